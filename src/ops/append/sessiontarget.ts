import { SessError } from '../../model/errors.ts'
import { findCurrent } from '../../repo/currentsession.ts'
import type { Repo } from '../../repo/repo.ts'
import { resolveSession } from '../../repo/revision.ts'

/**
 * Returns the id of the session that an append goes to: the named one, else the current one. Throws `no-session`,
 * `unnamed-session`, and `bad-usage` where none was named and none is current.
 */
export async function sessionTarget(repo: Repo, name: string | undefined): Promise<string> {
  const id = await repo.read(async (reader) => {
    if (name === undefined && !(await findCurrent(reader)))
      throw new SessError('bad-usage', 'no session was named')
    return (await resolveSession(reader, name ?? '@')).id
  })
  repo.checkCurrent()
  return id
}

import { formatNamed } from '../formats/registry.ts'
import { graftsIn } from '../repo/grafts.ts'
import { readHeaders } from '../repo/logreading.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, type Session } from '../repo/session.ts'
import { sourceBytes } from './export/export.ts'
import { type Grafting, graftLacking } from './graft.ts'
import { sourceNames } from './import/source.ts'
import type { UnresolvedParent } from './import/unresolvedparents.ts'

/** A session whose source names parents that it lacks. */
export interface LackingSession {
  readonly session: string
  /** How many of its entries lack their parent, and how many of these a graft joins. */
  readonly lacking: number
  readonly grafted: number
}

/**
 * Joins what lacks its parent to the session that has it, whichever came first, in one operation: reads the sources of
 * sessions that lack parents again, and the spines of all sessions of their formats.
 */
export const relink = (repo: Repo): Promise<Grafting[]> =>
  repo.write({ plain: true }, async (change) => {
    const { reader } = change
    const lacking: UnresolvedParent[] = []
    for await (const session of allSessions(reader))
      if (session.source?.lacking) for await (const one of lackingIn(reader, session)) lacking.push(one)
    return graftLacking(change, lacking, 'all')
  })

/** Gives the sessions whose sources name parents that they lack. */
export async function* lackingSessions(reader: Reader): AsyncGenerator<LackingSession> {
  const grafted = new Map<string, number>()
  for await (const { session } of graftsIn(reader)) grafted.set(session, (grafted.get(session) ?? 0) + 1)
  for await (const { id, source } of allSessions(reader))
    if (source?.lacking) yield { session: id, lacking: source.lacking, grafted: grafted.get(id) ?? 0 }
}

/** Gives the entries of a session's source that lack the parent which it names, as its bytes are read again. */
async function* lackingIn(reader: Reader, { id, meta, source }: Session): AsyncGenerator<UnresolvedParent> {
  const format = formatNamed(meta.format)
  if (!format || !source) return
  const splitter = format.splitter()
  const { name, folder, above } = sourceNames(meta)
  const sourceReader = format.reader(name, folder, above)
  const found = new Map<number, Pick<UnresolvedParent, 'native' | 'time'>>()
  let position = 0
  const read = (units: ReturnType<typeof splitter.push>): void => {
    for (const unit of units) {
      const { dangling: native, time, rechained: again = [] } = sourceReader.read(unit)
      if (native !== undefined) found.set(position, { native, time })
      position += 1 + again.length
    }
  }
  for await (const bytes of sourceBytes(reader, source)) read(splitter.push(bytes))
  read(splitter.end().units)
  if (found.size === 0) return
  for await (const [at, { entry: handle }] of readHeaders(reader, source.log, 0, source.count)) {
    const one = found.get(at)
    if (one && handle !== undefined) yield { session: id, root: await reader.oid(handle), ...one }
  }
}

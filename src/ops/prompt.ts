import { viewOf } from '../formats/registry.ts'
import { textOf } from '../model/view.ts'
import { type Backend, NO_ROW } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { findSession, logsOf, type Session } from '../repo/session.ts'

/** The first prompt stands among so many first records, or is not looked for. */
const NEAR = 40

/** What agents send in the user's name before the user's first words. */
const PREAMBLE = /^\s*(?:<|# AGENTS\.md|Caveat:)/

/** Gives by id the first thing that the user said in each of some sessions: what people know a session by. */
export async function firstPrompts(
  repo: Repo,
  sessions: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const prompts = new Map<string, string>()
  await repo.read(async (backend) => {
    for (const id of sessions) {
      const session = await findSession(backend, id)
      const prompt = session && (await promptOf(backend, session))
      if (prompt !== undefined) prompts.set(id, prompt)
    }
  })
  return prompts
}

async function promptOf(backend: Backend, session: Session): Promise<string | undefined> {
  const [log, count] = logsOf(session).findLast(([, length]) => length > 0) ?? [0, 0]
  for await (const [, { row }] of backend.spine(log, 0, Math.min(count, NEAR))) {
    if (row === NO_ROW) continue
    const { type } = await backend.node(row)
    const view = viewOf(type, await backend.body(row))
    const text = view.role === 'user' ? textOf(view) : null
    if (text !== null && text.trim() !== '' && !PREAMBLE.test(text)) return text
  }
  return undefined
}

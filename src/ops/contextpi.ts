import { type Origin, type PiContext, piContext } from '../formats/pi/messages.ts'
import { fullViewOf } from '../formats/registry.ts'
import type { Context, ContextOptions as Rules } from '../graph/context.ts'
import type { Awaitable } from '../graph/contextwalk.ts'
import type { Json } from '../model/json.ts'
import type { Backend, Row } from '../repo/backend.ts'
import { valueAt } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import type { Place } from '../repo/revision.ts'
import { type ContextOptions, gather } from './context.ts'
import { PathRecords } from './pathrecords.ts'

/** The versions of pi whose contexts differ. */
export const PI_VERSIONS = ['1.5', '0.73'] as const

/** How a context of pi is made. */
export interface PiContextOptions extends ContextOptions {
  /** Of pi 1.5 unless said. 0.73 knew no edits of its context, and no system prompt that a compaction carries. */
  readonly version?: (typeof PI_VERSIONS)[number]
}

const RULES: Readonly<Record<(typeof PI_VERSIONS)[number], Rules>> = {
  '1.5': {},
  '0.73': { edits: false, checkpoints: false },
}

/** Gives the context as pi's own `buildSessionContext` does, with times from the session that is named. */
export async function piContextOf(
  repo: Repo,
  revision: string,
  { version = '1.5', ...options }: PiContextOptions = {},
): Promise<PiContext> {
  return repo.read(async (backend) => {
    const bodies = new Map<Row, Json>()
    const rules = { ...options, ...RULES[version], view: fullViewOf, bodies }
    const context = await gather(repo, backend, revision, rules)
    const origins = await originsOf(backend, context.at, context, bodies)
    return piContext(context, (node) => origins.get(node))
  })
}

/** Gives where each entry of a context comes from: its record in the session that is asked, else its body. */
async function originsOf(
  backend: Backend,
  { session }: Place,
  context: Context<Row>,
  bodies: ReadonlyMap<Row, Json>,
): Promise<Map<Row, Origin>> {
  const bodyOf = (row: Row): Awaitable<Json> => bodies.get(row) ?? backend.body(row)
  const origins = new Map<Row, Origin>()
  const rows = new Set(
    context.items.flatMap(({ node, edit }) => (edit === undefined ? [node] : [node, edit])),
  )
  const finder = new PathRecords(backend, session)
  try {
    for (const row of [...rows].sort((a, b) => b - a)) {
      const found = await finder.find(row)
      const { type } = await backend.node(row)
      const value = (found && (await valueAt(backend, found, bodyOf))) ?? (await bodyOf(row))
      const time = found?.time
      origins.set(row, { type, value, ...(time === undefined ? {} : { time }) })
    }
  } finally {
    await finder.close()
  }
  return origins
}

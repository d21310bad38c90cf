import { type Origin, type PiContext, piContext } from '../formats/pi/messages.ts'
import { viewOf } from '../formats/registry.ts'
import { type Awaitable, type Context, type ContextAccess, contextOf as contextAt } from '../graph/context.ts'
import type { Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import type { Block, Role, Setting, View } from '../model/view.ts'
import { type Backend, NEAR, type Node, type Row } from '../repo/backend.ts'
import { RecordFinder, valueAt } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { type Resolved, resolve } from '../repo/revision.ts'
import { logsOf } from '../repo/session.ts'

/** One thing that the model sees, whatever agent it came from. */
export interface ContextMessage {
  readonly oid: Oid
  /** `message`, `kept`, `replacement`, `compaction-summary`, `branch-summary` or `closing`. */
  readonly part: string
  readonly role: Role | null
  readonly blocks: readonly Block[]
}

/** What the model sees of a path. Equal paths give equal values. */
export interface NeutralContext extends Setting {
  readonly messages: readonly ContextMessage[]
  /** What was left out or closed so that each tool result has its call and each call its result. */
  readonly repairs: readonly { readonly kind: string; readonly oid: Oid; readonly call: string }[]
}

/** Gives what the model sees of a path, with the latest compaction and edits applied, always valid for an API. */
export async function contextOf(repo: Repo, revision: string): Promise<NeutralContext> {
  return repo.read(async (backend) => {
    const { row } = await resolve(backend, revision, repo.env.cwd)
    const { items, repairs, ...settings } = await contextAt(row, accessTo(backend), { valid: true })
    const messages: ContextMessage[] = []
    for (const { node, part, view } of items)
      messages.push({ oid: await backend.oid(node), part, ...messageOf(view) })
    const repaired: NeutralContext['repairs'][number][] = []
    for (const { kind, node, call } of repairs) repaired.push({ kind, oid: await backend.oid(node), call })
    return { ...settings, messages, repairs: repaired }
  })
}

/** Gives what a view says to the model; a summary is a message of the user, as agents send it. */
function messageOf({ role, blocks, effect }: View): Pick<ContextMessage, 'role' | 'blocks'> {
  const text =
    effect?.kind === 'compaction' ? effect.summary : effect?.kind === 'summary' ? effect.text : undefined
  if (text === undefined || blocks.length > 0) return { role, blocks }
  return { role: role ?? 'user', blocks: [{ kind: 'text', text }] }
}

/** Gives the context as pi's own `buildSessionContext` does, with times from the session that is named. */
export async function piContextOf(repo: Repo, revision: string): Promise<PiContext> {
  return repo.read(async (backend) => {
    const at = await resolve(backend, revision, repo.env.cwd)
    const bodies = new Map<Row, Json>()
    const context = await contextAt(at.row, accessTo(backend, bodies))
    const origins = await originsOf(backend, at, context, bodies)
    return piContext(context, (node) => origins.get(node))
  })
}

/**
 * Gives graph code its access to entries: parents, traits and links without bodies, views from bodies. Bodies that
 * were read are kept in `bodies`, where that is given.
 */
function accessTo(backend: Backend, bodies?: Map<Row, Json>): ContextAccess<Row> {
  // What is asked of one entry is asked in a row.
  let asked: Node | undefined
  const node = async (row: Row): Promise<Node> =>
    asked?.row === row ? asked : (asked = await backend.node(row))
  return {
    parent: async (row) => (await node(row)).parents[0],
    traits: async (row) => (await node(row)).traits,
    links: async (row) => (await node(row)).links,
    view: async (row) => {
      const body = await backend.body(row)
      bodies?.set(row, body)
      return viewOf((await node(row)).type, body)
    },
    setter: async (row, bit) => {
      const nearest = (await node(row)).near[NEAR.indexOf(bit)]
      return nearest === undefined || nearest < 0 ? undefined : nearest
    },
  }
}

/** Gives where each entry of a context comes from: its record in the session that is asked, else its body. */
async function originsOf(
  backend: Backend,
  { session }: Resolved,
  context: Context<Row>,
  bodies: ReadonlyMap<Row, Json>,
): Promise<Map<Row, Origin>> {
  const bodyOf = (row: Row): Awaitable<Json> => bodies.get(row) ?? backend.body(row)
  const origins = new Map<Row, Origin>()
  const rows = new Set(
    context.items.flatMap(({ node, edit }) => (edit === undefined ? [node] : [node, edit])),
  )
  const finder = new RecordFinder(backend, session ? logsOf(session) : [])
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

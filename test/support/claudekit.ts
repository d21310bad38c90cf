import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getSessionMessages, type SessionMessage } from '@anthropic-ai/claude-agent-sdk'
import { vi } from 'vitest'
import { viewOf } from '../../src/formats/registry.ts'
import type { ContextMessage, Store } from '../../src/index.ts'
import { field, type Json } from '../../src/model/json.ts'
import type { View } from '../../src/model/view.ts'
import { CORPUS } from './corpus.ts'
import { newFolder } from './folder.ts'

/** The messages that the context has and the kit does not return. */
type Why = 'attachment' | 'not said by the user' | 'result put in' | 'of a sub-agent' | 'behind a graft'

/** How the conversation that the kit returns of a file stands to the context that it has here. */
export interface Beside {
  readonly file: string
  /** How many messages the kit returns. */
  readonly theirs: number
  /** How many of them stand in the context here with the same words, in the same order. */
  readonly same: number
  /** The ids that only the kit returns. */
  readonly there: readonly string[]
  /** The messages that only the context has, for none of the known reasons. */
  readonly unexplained: readonly string[]
  /** The ids that the kit returns and that do not stand on the path here, in its order. */
  readonly lost: readonly string[]
}

/** Asks the kit for a Claude file of the corpus, and a store for its context; null where the file has no conversation. */
export async function besideKit(store: Store, file: string): Promise<Beside | null> {
  const [taken] = (await store.import(join(CORPUS, file))).files
  if (taken?.format !== 'claude-code' || taken.entries === 0) return null
  const returned = (await messagesOf(file)).map(({ uuid, type, message }) => ({
    uuid,
    words: wordsOf(viewOf(`claude/${type}`, { type, message: message as Json })),
  }))
  const path: (string | null)[] = []
  const natives = new Map<string, string | null>()
  let isJoined = false
  for await (const { oid, native, grafted } of store.log(taken.session)) {
    const own = isJoined ? null : native
    path.unshift(own)
    natives.set(oid, own)
    isJoined ||= grafted === true
  }
  const { messages } = await (await store.session(taken.session)).context()
  const ours = messages.map((message) => ({
    message,
    uuid: natives.get(message.oid) ?? null,
    words: wordsOf(message),
  }))
  const same = inOrder(returned, ours, (a, b) => a.uuid === b.uuid && a.words === b.words)
  const matched = new Set(same.map(([, at]) => at))
  const unexplained: string[] = []
  for (const one of ours.filter((_, at) => !matched.has(at))) {
    const { oid } = one.message
    // Entries that a graft joins have no record in this session.
    const why = natives.get(oid) === null ? 'behind a graft' : await reasonOf(store, taken.session, one)
    if (why === undefined) unexplained.push(one.words)
  }
  const found = new Set(same.map(([{ uuid }]) => uuid))
  const onPath = inOrder(returned, path, ({ uuid }, native) => uuid === native)
  const standing = new Set(onPath.map(([{ uuid }]) => uuid))
  return {
    file,
    theirs: returned.length,
    same: same.length,
    there: returned.flatMap(({ uuid }) => (found.has(uuid) ? [] : [uuid])),
    unexplained,
    lost: returned.flatMap(({ uuid }) => (standing.has(uuid) ? [] : [uuid])),
  }
}

const wordsOf = ({ role, blocks }: Pick<View, 'role' | 'blocks'>): string => JSON.stringify([role, blocks])

/** Returns those of one list that stand in another in the same order, with their places there. */
function inOrder<A, B>(
  some: readonly A[],
  all: readonly B[],
  isSame: (a: A, b: B) => boolean,
): [A, number][] {
  let from = 0
  return some.flatMap((a): [A, number][] => {
    const at = all.findIndex((b, i) => i >= from && isSame(a, b))
    if (at < 0) return []
    from = at + 1
    return [[a, at]]
  })
}

async function reasonOf(
  store: Store,
  session: string,
  { message: { part, oid }, uuid }: { readonly message: ContextMessage; readonly uuid: string | null },
): Promise<Why | undefined> {
  if (part === 'closing') return 'result put in'
  const { type, body, record } = await store.show(uuid ? `${session}:${uuid}` : oid)
  if (record !== null && field(record, 'isSidechain') === true) return 'of a sub-agent'
  if (type === 'claude/attachment') return 'attachment'
  return field(body, 'isMeta') === true ? 'not said by the user' : undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const A_UUID = '00000000-0000-4000-8000-000000000001'

/** Returns what the kit returns of a file of the corpus, from a copy where it looks for it. */
async function messagesOf(file: string): Promise<SessionMessage[]> {
  const [root, cwd] = [newFolder(), newFolder()]
  vi.stubEnv('CLAUDE_CONFIG_DIR', root)
  const folder = join(root, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const stem = basename(file, '.jsonl')
  const id = UUID.test(stem) ? stem : A_UUID
  copyFileSync(join(CORPUS, file), join(folder, `${id}.jsonl`))
  return getSessionMessages(id, { dir: cwd })
}

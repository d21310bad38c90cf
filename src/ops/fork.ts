import { ancestor, isOnPath } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { cutPrompt, promptIn } from '../model/prompt.ts'
import { branchRef, labelRef, metaRef } from '../model/refname.ts'
import { uuid7 } from '../model/uuid.ts'
import { sharedLogs } from '../repo/listedspending.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { MAIN, refValue, type SessionMeta, type SessionTrunk, tipOf } from '../repo/session.ts'
import { oidOrNull, viewAt } from './entries.ts'
import { announced, type Forked, type Forking } from './events.ts'
import { labelsOnPath } from './label.ts'
import { userMessageAt } from './usermessage.ts'

/** Options of a fork. */
export interface ForkOptions {
  /** None by default. */
  readonly title?: string
  /** Fork before the entry, which must be a message of the user. */
  readonly before?: boolean
}

/**
 * Makes a session that shares the path to an entry and the labels on it. With `before` the path ends before a message of the
 * user, whose text is returned; it may be empty. Copies nothing: the cost does not depend on the history. Throws as
 * `resolve`, and `no-prompt` for an entry that is no message of the user.
 */
export function fork(
  repo: Repo,
  revision: string,
  { title, before = false }: ForkOptions = {},
): Promise<Forked> {
  const plan = async (reader: Reader): Promise<ForkPlan> => {
    const { session, handle, oid } = await resolve(reader, revision)
    const from = session?.id ?? null
    if (!before) return { session, at: handle, event: { from, tip: oid, position: 'at' } }
    const message = await userMessageAt(reader, handle)
    if (message?.by !== 'user') throw new SessError('no-prompt', revision)
    const at = (await reader.node(handle)).parents[0]
    const tip = await oidOrNull(reader, at)
    return { session, at, text: message.text, event: { from, tip, position: 'before' } }
  }
  return announced(repo, 'fork', plan, async ({ reader, move, cover }, { session, at, text, event }) => {
    const id = uuid7(repo.env)
    const entries = at === undefined ? 0 : (await reader.node(at)).depth + 1
    const prompt = at === undefined ? undefined : (session?.meta.prompt ?? (await firstPrompt(reader, at)))
    const meta: SessionMeta = {
      format: 'sess',
      title: title?.toWellFormed() ?? null,
      cwd: session?.meta.cwd ?? repo.env.cwd,
      created: repo.env.now(),
      native: null,
      path: null,
      ...(prompt !== undefined && { prompt: cutPrompt(prompt) }),
      // The logs of the shared path identify the origin; without one, `from` does.
      fork: {
        ...(session ? sharedLogs(session) : { base: [] }),
        entries,
        ...(entries === 0 && session && { from: session.id }),
      },
    }
    // Without coverage of the session, moving the branch covers the fork.
    const isCovered = session && (await reader.index.session(session.id)) !== undefined
    if (isCovered && at !== undefined && (await isOnPathOf(reader, session, at)))
      cover(id, { session: { id: session.id, upTo: at } })
    move(metaRef(id), undefined, refValue(meta))
    if (event.tip !== null) move(branchRef(id, MAIN), undefined, event.tip)
    for (const [label, oid] of session && at !== undefined ? await labelsOnPath(reader, session, at) : [])
      move(labelRef(id, label), undefined, oid)
    return { session: id, tip: event.tip, ...defined({ text }) }
  })
}

/** The number of entries after the root in which the first prompt is searched. */
const PROMPT_WITHIN = 32

/** Returns the first prompt on the path to an entry; undefined if there is none near its root. */
async function firstPrompt(reader: Reader, tip: EntryHandle): Promise<string | undefined> {
  const look = lookIn(reader)
  const { depth } = await look(tip)
  for (let steps = depth; steps >= Math.max(0, depth - PROMPT_WITHIN); steps--) {
    const handle = await ancestor(tip, steps, look)
    if (handle === undefined) continue
    const prompt = promptIn(await viewAt(reader, handle))
    if (prompt !== undefined) return prompt
  }
  return undefined
}

interface ForkPlan {
  readonly session: SessionTrunk | undefined
  /** The last shared entry. */
  readonly at: EntryHandle | undefined
  readonly text?: string
  readonly event: Forking
}

async function isOnPathOf(reader: Reader, session: SessionTrunk, handle: EntryHandle): Promise<boolean> {
  const tip = tipOf(session)
  const end = tip && (await reader.find(tip))
  return end !== undefined && isOnPath(handle, end, lookIn(reader))
}

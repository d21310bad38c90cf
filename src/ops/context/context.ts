import { fullViewOf, viewOf } from '../../formats/registry.ts'
import { anthropicRequest } from '../../formats/requests/anthropic.ts'
import { chatRequest, responsesRequest } from '../../formats/requests/openai.ts'
import type { Request, RequestItem } from '../../formats/requests/turns.ts'
import { fitToBudget, type Measure, type Omission, tokensIn } from '../../graph/budget.ts'
import { type Context, contextOf as contextAt, type ContextRules as Rules } from '../../graph/context.ts'
import type { ContextAccess } from '../../graph/contextwalk.ts'
import { repairToolPairs } from '../../graph/repairtoolpairs.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { asSessError, SessError } from '../../model/errors.ts'
import { defined, type Json } from '../../model/json.ts'
import { type EntryHandle, NEAR, type Node } from '../../model/node.ts'
import type { RepairKind, RequestRepair } from '../../model/repair.ts'
import type { Block, Role, Setting, View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { type RevisionTarget, resolveTarget } from '../../repo/revision.ts'
import { withBlobs } from '../images.ts'

/** Options of a context. */
export interface ContextOptions {
  /** The maximum number of tokens, estimated. docs/context.md says what is left out first. */
  readonly budget?: number
}

/** A message that the model sees, of any agent. */
export interface ContextMessage {
  readonly oid: Oid
  /** `message`, `kept`, `replacement`, `checkpoint`, `compaction-summary`, `branch-summary` or `closing`. */
  readonly part: string
  readonly role: Role | null
  readonly blocks: readonly Block[]
}

/** A repair of a context for a model's API. */
export interface ContextRepair {
  readonly kind: RepairKind
  readonly oid: Oid
  /** The id of the tool call. */
  readonly call?: string
  /** The replacement of an id or a name. */
  readonly as?: string
}

/** Content that was left out of a context to fit a budget. */
export interface ContextLeft {
  readonly kind: Omission<unknown>['kind']
  readonly oid: Oid
  /** The number of tokens that were saved, estimated. */
  readonly tokens: number
}

/** The data of a context besides its content. */
export interface ContextNotes {
  readonly repairs: readonly ContextRepair[]
  readonly left: readonly ContextLeft[]
  /** The number of its tokens, estimated. */
  readonly tokens: number
}

/** The context of a path: what the model sees. Equal paths give equal values. */
export interface NeutralContext extends Setting, ContextNotes {
  readonly messages: readonly ContextMessage[]
}

/** A context of stored entries, and its revision. */
export interface GatheredContext extends Context<EntryHandle> {
  readonly at: RevisionTarget
  readonly left: readonly Omission<EntryHandle>[]
  /** The number of its tokens, estimated. */
  readonly tokens: number
}

/** Replaces the views of entries by shorter ones, and tells what they stand for. */
export interface Shortener extends Measure {
  readonly short: (handle: EntryHandle, view: View) => View
}

/** Options of gathering a context. */
export interface GatherOptions extends ContextOptions, Rules {
  readonly view?: (type: string, body: Json) => View
  /** Views are replaced by those that it returns. */
  readonly shortener?: Shortener | undefined
  /** Returns items to use instead of those made of views. */
  readonly itemOf?: ItemSource
}

/** Returns the context of a revision, within a budget. It is empty for a session without a tip. */
export const gather = async (
  reader: Reader,
  revision: string,
  gathering: GatherOptions,
): Promise<GatheredContext> => gatherAt(reader, await resolveTarget(reader, revision), gathering)

/** Returns the context of a resolved revision. */
export async function gatherAt(
  reader: Reader,
  at: RevisionTarget,
  { budget, view = viewOf, itemOf, shortener, ...rules }: GatherOptions,
): Promise<GatheredContext> {
  if (at.handle === undefined) return { at, items: [], repairs: [], left: [], tokens: 0 }
  const stored = accessTo(reader, view, itemOf)
  const access = shortener
    ? { ...stored, view: async (handle: EntryHandle) => shortener.short(handle, await stored.view(handle)) }
    : stored
  const context = await contextAt(at.handle, access, rules)
  const tokens = tokensIn(context.items, shortener)
  if (budget === undefined || tokens <= budget) return { ...context, at, left: [], tokens }
  const { items, left } = fitToBudget(context.items, budget, shortener)
  // a call may have lost its result
  const whole = repairToolPairs(items)
  const repairs = [...context.repairs, ...whole.repairs]
  return { ...context, ...whole, repairs, at, left, tokens: tokensIn(whole.items, shortener) }
}

/** Returns the context of a revision: the latest compaction and edits are applied, and each call has its result. */
export async function contextOf(
  repo: Repo,
  revision: string,
  options: ContextOptions = {},
): Promise<NeutralContext> {
  return repo.read(async (reader) =>
    neutralContext(reader, await gather(reader, revision, { ...options, valid: true })),
  )
}

/** Returns a gathered context as the same value for all agents. */
export async function neutralContext(reader: Reader, gathered: GatheredContext): Promise<NeutralContext> {
  const { model, thinking, mode } = gathered
  const messages: ContextMessage[] = []
  for (const { node, part, view } of gathered.items)
    messages.push({ oid: await reader.oid(node), part, ...messageOf(view) })
  return { ...defined({ model, thinking, mode }), messages, ...(await notesOf(reader, gathered)) }
}

/** Returns the notes of a context, with `more` repairs of a request. */
async function notesOf(
  reader: Reader,
  { repairs, left, tokens }: GatheredContext,
  more: readonly RequestRepair<EntryHandle>[] = [],
): Promise<ContextNotes> {
  return {
    repairs: await Promise.all(
      [...repairs, ...more].map(async ({ kind, node, ...rest }) => ({
        kind,
        oid: await reader.oid(node),
        ...rest,
      })),
    ),
    left: await Promise.all(
      left.map(async ({ kind, node, tokens: saved }) => ({
        kind,
        oid: await reader.oid(node),
        tokens: saved,
      })),
    ),
    tokens,
  }
}

/** Returns the number of tokens of the context of an entry, estimated. */
export async function contextTokens(reader: Reader, handle: EntryHandle): Promise<number> {
  return tokensIn((await contextAt(handle, accessTo(reader, viewOf), { valid: true })).items)
}

/** Returns the message of a view. A summary is a message of the user, as agents send it. */
function messageOf({ role, blocks, effect }: View): Pick<ContextMessage, 'role' | 'blocks'> {
  const text =
    effect?.kind === 'compaction' ? effect.summary : effect?.kind === 'summary' ? effect.text : undefined
  if (text === undefined || blocks.length > 0) return { role, blocks }
  return { role: role ?? 'user', blocks: [{ kind: 'text', text }] }
}

/** Returns the item of a context for an entry; undefined where its view is enough. */
export type ItemSource = NonNullable<ContextAccess<EntryHandle>['itemOf']>

/** Returns the access of graph code to entries: parents, traits and links without bodies, views from bodies. */
export function accessTo(
  reader: Reader,
  viewFor: (type: string, body: Json) => View,
  itemOf?: ItemSource,
): ContextAccess<EntryHandle> {
  // Consecutive questions mostly concern one entry.
  let asked: Node | undefined
  const of = async (handle: EntryHandle): Promise<Node> =>
    asked?.handle === handle ? asked : (asked = await reader.node(handle))
  return {
    parent: async (handle) => (await of(handle)).parents[0],
    traits: async (handle) => (await of(handle)).traits,
    links: async (handle) => (await of(handle)).links,
    otherParents: async (handle) => (await of(handle)).parents.slice(1),
    prefetch: (handles) => reader.prefetch(handles),
    view: async (handle) => {
      const { type } = await of(handle)
      return withBlobs(reader, viewFor(type, await reader.body(handle)), viewFor === fullViewOf)
    },
    ...(itemOf && { itemOf }),
    setter: async (handle, bit) => (await of(handle)).near[NEAR.indexOf(bit)],
  }
}

/** The functions that write a context for a model's API, by format. */
export const REQUESTS = {
  anthropic: anthropicRequest,
  openai: responsesRequest,
  'openai-chat': chatRequest,
} as const satisfies Readonly<
  Record<string, (items: readonly RequestItem<EntryHandle>[]) => Request<EntryHandle>>
>

/** The formats that are a part of a request to a model's API. */
export type RequestFormat = keyof typeof REQUESTS

/** Returns whether a format is a part of a request. */
export const isRequestFormat = (format: string): format is RequestFormat => Object.hasOwn(REQUESTS, format)

/** A context as a part of a request to a model's API. Equal paths give equal values. */
export interface RequestContext<F extends RequestFormat = RequestFormat> extends ContextNotes {
  /** The part of the request: `system` and `messages`, `input`, or `messages`. */
  readonly request: ReturnType<(typeof REQUESTS)[F]>['value']
}

/**
 * Returns the context of a revision as a part of a request. It is valid for the API; `repairs` lists what was changed for
 * that. Throws `no-format` for an unknown format, `bad-value` where a text of it would be longer than a text can be.
 */
export async function requestOf<F extends RequestFormat>(
  repo: Repo,
  revision: string,
  format: F,
  options: ContextOptions = {},
): Promise<RequestContext<F>> {
  if (!isRequestFormat(format))
    throw new SessError('no-format', format, {
      hint: `say one of ${['json', 'pi', ...Object.keys(REQUESTS)].join(', ')}`,
    })
  return repo.read(async (reader) =>
    requestIn(reader, await gather(reader, revision, { ...options, valid: true, view: fullViewOf }), format),
  )
}

/** Returns a gathered context, of full views, as a part of a request. */
export async function requestIn<F extends RequestFormat>(
  reader: Reader,
  gathered: GatheredContext,
  format: F,
): Promise<RequestContext<F>> {
  try {
    const { value, repairs } = REQUESTS[format](gathered.items)
    return { request: value, ...(await notesOf(reader, gathered, repairs)) }
  } catch (error) {
    throw asSessError(error)
  }
}

import { field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import type { Setting, Usage } from '../../model/view.ts'
import { fieldAt } from '../core/values.ts'
import { callsOf } from './entries.ts'
import { contentOf, makeMessages, type PiContextItem, text } from './makemessages.ts'
import { millis } from './read.ts'

/** Where an entry comes from. */
export interface PiOrigin {
  /** The entry's type, such as `pi/message`. */
  readonly type: string
  /** The value of the record of the session that is asked, or the entry's body where no record is known. */
  readonly value: Json
  /** The time of the record, in milliseconds since 1970, used if the value has none. */
  readonly time?: number
  /** The usage that the record holds, of an entry of another dialect. */
  readonly usage?: Usage
}

/** The result of pi's own `buildSessionContext`. */
export interface PiContext {
  readonly messages: readonly Json[]
  readonly thinkingLevel: string
  readonly model: { readonly provider?: string; readonly modelId: string } | null
}

/** Returns a context in pi's form: its messages, its thinking level ("off" by default), its model. */
export function piContext<N>(
  context: {
    readonly items: readonly PiContextItem<N>[]
    readonly thinking?: string
    readonly model?: Setting['model']
  },
  origin: (node: N) => PiOrigin | undefined,
): PiContext {
  const { id: modelId, ...by } = context.model ?? { id: undefined }
  return {
    messages: piMessages(context.items, origin),
    thinkingLevel: context.thinking ?? 'off',
    model: modelId === undefined ? null : { ...by, modelId },
  }
}

/**
 * Returns the messages of a context as pi (1.5) does: those of its own entries as their records hold them, with
 * times and key order, those of other dialects made from their views.
 */
export function piMessages<N>(
  context: readonly PiContextItem<N>[],
  origin: (node: N) => PiOrigin | undefined,
): readonly Json[] {
  const others = makeMessages()
  const messages: Json[] = []
  for (const item of context) {
    const from = item.messages ? undefined : origin(item.node)
    const own = item.messages ?? (from && isOwn(item, from) ? ownMessages(item, from, origin) : undefined)
    messages.push(
      ...(own ? others.pass(item.view, own) : others.make(withUsage(item, from), from?.time ?? 0)),
    )
  }
  return messages
}

const withUsage = <N>(item: PiContextItem<N>, from: PiOrigin | undefined): PiContextItem<N> =>
  from?.usage ? { ...item, view: { ...item.view, usage: { ...item.view.usage, ...from.usage } } } : item

/** A message, and the role and calls of its view. */
export type MessageAlone = Required<Pick<PiContextItem<unknown>, 'view' | 'messages'>>

/** Returns the message of an entry that depends on no other entry; undefined if its full view is needed. */
export function messageAlone(from: PiOrigin): MessageAlone | undefined {
  if (from.type !== 'pi/message') return undefined
  const message = field(from.value, 'message')
  const view = callsOf(message)
  return view && { view, messages: ownMessage(message, from) }
}

const isOwn = ({ part }: PiContextItem<unknown>, { type }: PiOrigin): boolean =>
  type.startsWith('pi/') && part !== 'closing'

function ownMessages<N>(
  item: PiContextItem<N>,
  from: PiOrigin,
  origin: (node: N) => PiOrigin | undefined,
): readonly Json[] {
  const { type, value } = from
  if (item.part === 'replacement')
    return ownMessage(items(field(value, 'retainedTail'))[item.index ?? 0], from)
  if (item.part === 'checkpoint') return [field(value, 'systemMessage') ?? null]
  const edited = contentInstead(item, origin)
  switch (type) {
    case 'pi/message':
      return ownMessage(field(value, 'message'), from, edited)
    case 'pi/custom_message': {
      const content = edited ?? field(value, 'content') ?? []
      return [made('custom', from, ['customType', 'content', 'display', 'details'], { content })]
    }
    case 'pi/branch_summary':
      return [made('branchSummary', from, ['summary', 'fromId'])]
    case 'pi/compaction':
      return [made('compactionSummary', from, ['summary', 'tokensBefore'])]
    default:
      return []
  }
}

/** Makes a message of another entry: a role, some of its fields, its time. */
function made(
  role: string,
  { value, time }: PiOrigin,
  keys: readonly string[],
  instead: JsonObject = {},
): JsonObject {
  const message: Record<string, Json> = { role }
  for (const key of keys) {
    const part = instead[key] ?? field(value, key)
    if (part !== undefined) message[key] = part
  }
  message.timestamp = millis(field(value, 'timestamp')) ?? time ?? null
  return message
}

/** The roles whose content is a list of blocks, or may be; of those, the ones that may have a bare text. */
const LISTS: ReadonlySet<Json | undefined> = new Set(['user', 'assistant', 'toolResult', 'custom'])
const TEXTS: ReadonlySet<Json | undefined> = new Set(['user', 'custom'])

function ownMessage(message: Json | undefined, from: PiOrigin, edited?: Json): readonly Json[] {
  if (!isObject(message)) return message === undefined ? [] : [message]
  const role = message.role === 'hookMessage' ? 'custom' : message.role
  const fresh: Record<string, Json> = {}
  if (role !== message.role && role !== undefined) fresh.role = role
  if (edited !== undefined && LISTS.has(role))
    fresh.content = typeof edited === 'string' && !TEXTS.has(role) ? [text(edited)] : edited
  else if (message.content === undefined || message.content === null) {
    if (role === 'system') fresh.content = ''
    else if (LISTS.has(role) && role !== 'custom') fresh.content = []
  }
  // a body holds no time, a record has it where its agent put it
  if (!isRecord(from.value) && message.timestamp === undefined) fresh.timestamp = from.time ?? 0
  return [Object.keys(fresh).length === 0 ? message : { ...message, ...fresh }]
}

const isRecord = (value: Json): boolean => field(value, 'type') !== undefined

/** Returns the content that replaces an entry's own: that of its edit, unchanged if the edit is one of pi. */
function contentInstead<N>(
  { view, edit, reduced }: PiContextItem<N>,
  origin: (node: N) => PiOrigin | undefined,
): Json | undefined {
  if (edit === undefined && !reduced) return undefined
  const from = edit === undefined || reduced ? undefined : origin(edit)
  if (from?.type !== 'pi/context_edit') return contentOf(view.blocks)
  return fieldAt(from.value, 'replacement', 'content') ?? []
}

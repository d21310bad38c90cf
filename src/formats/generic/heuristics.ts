import { asString, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { type Block, OPAQUE, type Role, type View } from '../../model/view.ts'
import { gitFacts } from '../core/facthistory.ts'
import type { Facts } from '../core/format.ts'
import { factsOf, millis } from '../core/values.ts'
import { blocksOf, callOf, callsIn, firstOf, resultOf, textOfOutput } from '../core/views.ts'

const SPEAKERS: Readonly<Record<Role, readonly string[]>> = {
  user: ['user', 'human', 'prompt', 'user_input', 'user_explicit', 'user_message', 'usermessage'],
  assistant: ['assistant', 'ai', 'model', 'agent', 'gemini', 'bot', 'assistant_message', 'assistantmessage'],
  tool: ['tool', 'function', 'tool_result', 'toolresult', 'toolresults', 'tool_message'],
  system: ['system', 'developer', 'system_message'],
}
const ROLES: ReadonlyMap<string, Role> = new Map(
  Object.entries(SPEAKERS).flatMap(([role, names]) => names.map((name) => [name, role as Role] as const)),
)
const ROLE_FIELDS = ['role', 'sender', 'author', 'type', 'kind', 'source'] as const
const CONTENT_FIELDS = ['content', 'text', 'parts', 'message', 'response', 'user_response'] as const
const THOUGHT_FIELDS = ['thinking', 'reasoning', 'reasoning_content'] as const
const CALLS_FIELDS = ['tool_calls', 'toolCalls'] as const
/** The fields that may contain the message itself, or its role. */
const INNER_FIELDS = ['message', 'data', 'info', 'payload'] as const

/**
 * Guesses the view of a record of an unknown format: the role from fields like `role`, `type` and `sender`, the
 * blocks from `content`, `text`, `parts` or a nested message. Opaque if it does not recognise a message.
 */
export function guessView(body: Json): View {
  if (!isObject(body)) return OPAQUE
  const inner = INNER_FIELDS.flatMap((name) => {
    const part = body[name]
    return isObject(part) ? [part] : []
  })
  const layers = [...inner, body]
  const found = layers.map(blocksIn).find((blocks) => blocks.length > 0)
  const role = layers.map(roleIn).find((speaker) => speaker !== undefined)
  if (found === undefined) return role === undefined ? OPAQUE : { role, blocks: [] }
  return { role: speakerOf(found, role), blocks: found }
}

/** Calls and results determine the role if the record has none, or if the user sends the results of tools. */
function speakerOf(blocks: readonly Block[], role: Role | undefined): Role | null {
  if (blocks.every((block) => block.kind === 'toolResult')) return 'tool'
  if (role !== undefined) return role
  return blocks.some((block) => block.kind === 'toolCall') ? 'assistant' : null
}

function roleIn(value: JsonObject): Role | undefined {
  for (const name of ROLE_FIELDS) {
    const normalized = asString(value[name])
      ?.toLowerCase()
      .replaceAll(/[.\- ]/g, '_')
    const role = normalized === undefined ? undefined : ROLES.get(normalized)
    if (role !== undefined) return role
  }
  return undefined
}

function blocksIn(value: JsonObject): Block[] {
  const type = asString(value.type) ?? ''
  const alone = callOf(value, type) ?? resultOf(value, type) ?? toolMessage(value)
  if (alone) return alone
  const thoughts = THOUGHT_FIELDS.flatMap((name): Block[] => {
    const text = asString(value[name])
    return text ? [{ kind: 'thinking', text }] : []
  })
  const content =
    CONTENT_FIELDS.map((name) => blocksOf(value[name])).find((blocks) => blocks.length > 0) ?? []
  return [...thoughts, ...content, ...callsIn(firstOf(value, CALLS_FIELDS))]
}

/** OpenAI answers a call with a message of the role `tool`. */
function toolMessage(value: JsonObject): Block[] | undefined {
  const id = asString(value.tool_call_id)
  return id === undefined
    ? undefined
    : [{ kind: 'toolResult', id, text: textOfOutput(value.content), error: false }]
}

const TIMES = [
  'timestamp',
  'ts',
  'time',
  'created_at',
  'createdAt',
  'created',
  'date',
  'sentAt',
  'startTime',
] as const
const INNER = ['message', 'info', 'data', 'meta', 'metadata', 'payload'] as const
const IDS = ['uuid', 'id', 'messageId', 'message_id'] as const
const SESSION_IDS = [
  'sessionId',
  'session_id',
  'sessionID',
  'conversationId',
  'conversation_id',
  'threadId',
] as const
const TITLES = ['title', 'sessionTitle', 'customTitle', 'name', 'summary'] as const
const GIT_BRANCHES = ['gitBranch', 'git_branch'] as const
const FOLDERS = ['cwd', 'workingDirectory', 'workspaceDirectory', 'directory', 'workspace'] as const

/**
 * Returns the time of a record of an unknown format, in milliseconds since 1970; undefined if none of its fields has
 * one.
 */
export function timeIn(value: Json): number | undefined {
  if (!isObject(value)) return undefined
  const own = timeAmong(value)
  if (own !== undefined) return own
  for (const name of INNER) {
    const inner = value[name]
    const time = isObject(inner) ? timeAmong(inner) : undefined
    if (time !== undefined) return time
  }
  return undefined
}

function timeAmong(value: JsonObject): number | undefined {
  for (const name of TIMES) {
    const found = value[name]
    const time = millis(isObject(found) ? firstOf(found, ['created', 'start', 'started']) : found)
    if (time !== undefined) return time
  }
  return undefined
}

/** Returns the id that a record of an unknown format carries. */
export const nativeIn = (value: Json): string | undefined =>
  asString(firstOf(value, IDS)) ?? asString(firstOf(firstOf(value, INNER), IDS))

/** Returns the facts in a record. A header's own `id`, `title` and `name` are the session's. */
export function hintsIn(value: Json, isHeader: boolean): Facts {
  const inner = firstOf(value, ['data', 'context', 'info'])
  const find = (names: readonly string[]): string | undefined =>
    asString(firstOf(value, names)) ?? asString(firstOf(inner, names))
  const id = find(SESSION_IDS) ?? (isHeader ? find(['id']) : undefined)
  const title = isHeader ? find(TITLES) : undefined
  return factsOf({ id, title, cwd: find(FOLDERS), ...gitFacts({ branch: find(GIT_BRANCHES) }) })
}

/** Returns whether a record is the header of a session. */
export const isHeader = (value: Json): boolean =>
  /^(session|metadata|header|init)\b|session[._-]?(start|meta|init|created)/i.test(
    asString(firstOf(value, ['type'])) ?? '',
  )

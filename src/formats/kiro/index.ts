import { asString, field, items, type Json, jsonText } from '../../model/json.ts'
import type { Block, Role, View } from '../../model/view.ts'
import {
  type AllowList,
  all,
  defineFormat,
  type EntryDeclaration,
  type EntryDeclarations,
  each,
  fields,
} from '../core/define.ts'
import type { Facts, Format } from '../core/format.ts'
import { words } from '../core/known.ts'
import { headText, startText } from '../core/sample.ts'
import { fileNamedLike, folderNamedLike, sidecar } from '../core/sidecar.ts'
import { factsAt, fieldAt, idNamed, millis } from '../core/values.ts'
import { callBlock, modelIn, resultBlock, thinkingBlock } from '../core/views.ts'
import { ABOUT, EVENTS, EventEntries, eventFacts, eventType, KIRO } from './events.ts'

const BODY: AllowList = { content: each(fields(all('kind', 'data'))) }

/** The metadata of a session: its title, its folder, the session that started it. */
export const kiroAbout: Format = sidecar({
  name: 'kiro-session',
  detect: ({ name, head }) =>
    /^\s*\{\s*"session_id"\s*:[^]*"session_state"\s*:/.test(headText(head)) ||
    (name === ABOUT && /"id"\s*:\s*"sess_[^]*"workspacePaths"\s*:/.test(startText(head))),
  facts: (name, folder = '') => ({ id: `${name === ABOUT ? folder : name.replace(/\.json$/, '')}-session` }),
})

function kindOf(line: Json): string | undefined {
  const kind = asString(field(line, 'kind')) ?? ''
  const isOwn = Object.hasOwn(MESSAGES, kind) && typeof field(line, 'version') === 'string'
  return isOwn && Array.isArray(fieldAt(line, 'data', 'content')) ? kind : undefined
}

const entryOf = (role: Role): EntryDeclaration => ({
  body: BODY,
  view(body): View {
    const parts = items(field(body, 'content'))
    const model = parts.flatMap((part) => fieldAt(part, 'data', 'modelId') ?? [])[0]
    return { role, blocks: parts.flatMap(blockOf), ...(role === 'assistant' && modelIn(model)) }
  },
})

/** The messages of the second engine. */
const MESSAGES: EntryDeclarations = {
  Prompt: entryOf('user'),
  AssistantMessage: entryOf('assistant'),
  ToolResults: entryOf('tool'),
}

function blockOf(part: Json): Block[] {
  const data = field(part, 'data')
  const id = field(data, 'toolUseId')
  switch (asString(field(part, 'kind'))) {
    case 'text':
      return [{ kind: 'text', text: asString(data) ?? '' }]
    case 'thinking':
      // Its models sign with the seals of Anthropic, which stay with Kiro's own service.
      return [thinkingBlock(field(data, 'text'))]
    case 'toolUse':
      return [callBlock(id, field(data, 'name'), field(data, 'input'))]
    case 'toolResult': {
      const text = items(field(data, 'content')).map(wordsOf).join('\n')
      return [resultBlock(id, text, field(data, 'status') === 'error')]
    }
    default:
      return []
  }
}

function wordsOf(part: Json): string {
  const data = field(part, 'data') ?? null
  return asString(data) ?? asString(field(data, 'stdout')) ?? jsonText(data)
}

/** The folder of a session of the third engine has the session's id. */
const idIn = (name: string, folder: string): Facts =>
  name === 'messages.jsonl' && folder.startsWith('sess_') ? { id: folder } : idNamed(folderNamedLike(name))

/**
 * Kiro's second engine: `<session>.jsonl` next to a document with the session's metadata; and its third:
 * `sess_<id>/messages.jsonl` next to `session.json`.
 */
export const kiro = defineFormat({
  name: 'kiro',
  detect: ({ lines: objects }) =>
    objects.some((line) => kindOf(line) !== undefined || eventType(line) !== undefined),
  record: (name, folder = '') => {
    const events = new EventEntries()
    return {
      state: events,
      id: ({ id, data }) => asString(field(data, 'message_id')) ?? asString(id),
      time: ({ data, timestamp }) => millis(fieldAt(data, 'meta', 'timestamp') ?? timestamp),
      carries: (line) => kindOf(line) ?? events.carriedBy(line),
      known: idIn(name, folder),
    }
  },
  sidecars: {
    names: (name) => (name === 'messages.jsonl' ? [ABOUT] : fileNamedLike(name, '.json')),
    facts: (path, value) =>
      path === ABOUT
        ? eventFacts(value)
        : factsAt(value, {
            title: 'title',
            cwd: 'cwd',
            created: 'created_at',
            parent: 'parent_session_id',
          }),
    version: { path: ABOUT, field: 'schemaVersion', newest: '1.0.0' },
  },
  at: ['data'],
  entries: { ...MESSAGES, ...EVENTS },
  known: {
    written: '2026-10',
    types: {
      kind: words('Prompt AssistantMessage ToolResults'),
      'data.content.kind': words('text image thinking toolUse toolResult'),
      'payload.type': words(`
        user assistant tool_call tool_result turn_start turn_end session_metadata pending_interaction
        interaction_resolved usage_summary session_event session_start
      `),
      'payload.operationType': words('Say Reasoning'),
    },
    fields: {
      '': words('version kind data id timestamp payload'),
      data: words('message_id content meta results'),
      'data.content': words('kind data'),
    },
  },
  agent: KIRO,
})

import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { all, type CarriedEntry, type EntryDeclarations } from '../core/define.ts'
import type { Agent, Facts } from '../core/format.ts'
import { factsAt, factsOf, pathOfUri } from '../core/values.ts'
import {
  blocksOf,
  callBlock,
  firstOf,
  imageBlock,
  outputText,
  resultBlock,
  thinkingBlock,
} from '../core/views.ts'

/** The program, whose engines keep their sessions in different places. */
export const KIRO: Agent = {
  title: 'Kiro CLI',
  name: 'kiro',
  resume: ({ id }) => ['kiro-cli', 'chat', '--resume-id', id],
}

/** The types of a payload that are no part of the conversation. */
const RECORDS = [
  ...['turn_start', 'turn_end', 'session_start', 'session_event', 'session_metadata'],
  ...['pending_interaction', 'interaction_resolved', 'usage_summary'],
]

/** The text in place of a thought that only its model can read. */
const SEALED = '...'

/** The messages of a session as Kiro's third engine records them: the kinds are the types of the payload. */
export const EVENTS: EntryDeclarations = {
  user: {
    body: all('content', 'images', 'documents'),
    view: (body) => ({
      role: 'user',
      blocks: [
        ...blocksOf(field(body, 'content')),
        ...items(field(body, 'images')).flatMap(imageIn),
        ...items(field(body, 'documents')).flatMap(documentIn),
      ],
    }),
  },
  assistant: {
    body: all('content', 'operationType', 'reasoningSignature'),
    view: (body) => ({ role: 'assistant', blocks: answerBlocks(body) }),
  },
  tool_call: {
    body: all('toolCallId', 'toolName', 'args'),
    view: (body) => ({
      role: 'assistant',
      blocks: [callBlock(field(body, 'toolCallId'), field(body, 'toolName'), field(body, 'args'))],
    }),
  },
  tool_result: {
    body: all('toolCallId', 'content', 'success'),
    view: (body) => {
      const content = field(body, 'content')
      const isError = field(body, 'success') === false
      const images = Array.isArray(content) ? blocksOf(content).filter(({ kind }) => kind === 'image') : []
      return {
        role: 'tool',
        blocks: [resultBlock(field(body, 'toolCallId'), outputText(content), isError), ...images],
      }
    },
  },
}

const TYPES: ReadonlySet<string> = new Set([...Object.keys(EVENTS), ...RECORDS])

function answerBlocks(body: Json): Block[] {
  const content = field(body, 'content')
  if (field(body, 'operationType') !== 'Reasoning') return blocksOf(content)
  // The seal of a thought stays with Kiro's own service.
  return [thinkingBlock(content === SEALED ? '' : content)]
}

/** Returns an image in any of the shapes that Kiro's engines use: `data` or `source.bytes`, bytes as base64 or as numbers. */
export function imageIn(image: Json): Block[] {
  const source = firstOf(image, ['source']) ?? image
  const data = firstOf(source, ['bytes', 'Bytes', 'data'])
  const named = asString(firstOf(image, ['mimeType', 'mediaType', 'media_type', 'format'])) ?? 'png'
  const type = named.includes('/') ? named : `image/${named}`
  if (Array.isArray(data)) return [imageBlock(type, Buffer.from(data.map(Number)).toString('base64'))]
  const text = asString(data) ?? asString(image)
  return text === undefined || text.startsWith('data:')
    ? blocksOf([{ type: 'image', url: text ?? asString(firstOf(image, ['url', 'uri'])) ?? '' }])
    : [imageBlock(type, text)]
}

function documentIn(document: Json): Block[] {
  const name = asString(firstOf(document, ['name', 'path', 'uri'])) ?? 'document'
  const text = asString(firstOf(document, ['text', 'content']))
  return [{ kind: 'text', text: text === undefined ? `[${name}]` : `[${name}]\n${text}` }]
}

/** Returns the type of an event's payload; undefined of a line that is no event. */
export function eventType(line: Json): string | undefined {
  const type = asString(field(field(line, 'payload'), 'type'))
  const isEvent = type !== undefined && isObject(line) && line.type === undefined && 'timestamp' in line
  return isEvent && TYPES.has(type) ? type : undefined
}

/**
 * Finds the entries of events. A call or a result that is recorded again keeps its first entry, because the ids are unique
 * within a session.
 */
export class EventEntries {
  private readonly seen = new Set<string>()

  /** Returns the entry that an event carries, if any. */
  carriedBy(event: JsonObject): CarriedEntry | undefined {
    const kind = eventType(event)
    if (kind === undefined || !Object.hasOwn(EVENTS, kind)) return undefined
    const call = asString(field(event.payload, 'toolCallId'))
    if (call !== undefined) {
      const known = this.seen.size
      if (this.seen.add(`${kind} ${call}`).size === known) return undefined
    }
    return { kind, bodyPath: ['payload'] }
  }
}

/** The file with the facts of a session, beside its messages. */
export const ABOUT = 'session.json'

/** Returns the facts in that file. */
export function eventFacts(value: Json): Facts {
  const paths = ['workspacePaths', 'rootPaths'].flatMap((key) => items(field(value, key)))
  const folders = [...new Set(paths.flatMap((path) => asString(path) ?? []).map(pathOfUri))]
  return factsOf({
    ...factsAt(value, { title: 'title', created: 'createdAt' }),
    cwd: folders[0],
    folders: folders.length > 1 ? folders : undefined,
    model: asString(field(value, 'modelId')),
  })
}

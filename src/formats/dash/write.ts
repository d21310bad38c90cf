import { asString, field, isObject, type Json, type JsonObject, without } from '../../model/json.ts'
import { inputText } from '../../model/said.ts'
import type { Block, View } from '../../model/view.ts'
import { blocksOf } from '../blocks.ts'
import type { PiForm } from '../pi/form.ts'
import { fileName, headerOf, linesOf } from '../pi/write.ts'
import type { Draft, Writer } from '../write.ts'
import { bodyOf, KINDS } from './body.ts'
import { view as viewOf } from './view.ts'

const FORM: PiForm = {
  dialect: 'dash',
  view,
  system: 'system',
  edits: false,
  modes: false,
  model: () => ({}),
  labels: true,
  title: () => undefined,
  head: (branchName) => ({ type: 'branch_point', branchName }),
  says: (fields) => field(wordy(fields), 'content') !== '',
  begin: () => ({ header: (draft) => [header(draft)], record: (record) => [wordy(record)] }),
}

/** Writes sessions as Dash keeps them: version 1, a tree by `id` and `parentId`, of messages that are words. */
export const writer: Writer = {
  branched: true,
  takesId: (id) => /^sess_[0-9a-f]{8}$/.test(id),
  idOf: (uuid) => `sess_${uuid.slice(0, 8)}`,
  place: ({ id, created }) => ['sessions', fileName(id, created)],
  lines: (draft) => linesOf(draft, FORM),
}

function header(draft: Draft): JsonObject {
  const own = without(headerOf(draft), 'name')
  return { ...own, version: 1, ...(draft.title !== undefined && { name: draft.title }) }
}

function view(kind: string, made: Json): View {
  return viewOf(kind, isObject(made) && KINDS.has(kind) ? bodyOf(kind, wordy({ ...made, type: kind })) : made)
}

/** Gives a record with what pi has in a message in its own fields, and as words. */
function wordy({ message, ...record }: JsonObject): JsonObject {
  if (!isObject(message)) return record
  const { role = 'user', content, isError } = message
  const blocks = blocksOf(content)
  const failed = isError === true ? '[failed] ' : ''
  return {
    ...record,
    role: role === 'toolResult' ? 'tool' : role,
    content: failed + blocks.flatMap(wordsOf).join('\n'),
    ...(role === 'assistant' && metadataOf(message)),
  }
}

function wordsOf(block: Block): string[] {
  if (block.kind === 'text') return [block.text]
  return block.kind === 'toolCall' ? [`[${block.name}] ${inputText(block.input)}`] : []
}

function metadataOf({ model, provider, usage }: JsonObject): JsonObject {
  const known = (name: string, value: Json | undefined): JsonObject =>
    asString(value) === undefined || value === 'unknown' ? {} : { [name]: value as Json }
  const [cost, tokens] = [field(field(usage, 'cost'), 'total'), field(usage, 'totalTokens')]
  const took = typeof tokens === 'number' && tokens > 0 ? { cost: cost ?? 0, tokens } : {}
  return { metadata: { ...known('model', model), ...known('provider', provider), ...took } }
}

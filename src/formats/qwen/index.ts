import { asString, field, items, type Json } from '../../model/json.ts'
import type { Format, Sample } from '../format.ts'
import { lines } from '../lines.ts'
import { QwenReader } from './read.ts'
import { view } from './view.ts'

/** Qwen Code: `projects/<folder>/chats/<session>.jsonl`, the records of Claude Code around the messages of Gemini. */
export const qwen: Format = {
  name: 'qwen-code',
  dialect: 'qwen',
  reading: 1,
  conversational: true,
  detect: ({ lines: objects }: Sample) => objects.some(isOwn),
  splitter: lines,
  reader: () => new QwenReader(),
  view,
}

const isOwn = (line: Json): boolean =>
  asString(field(line, 'uuid')) !== undefined &&
  asString(field(line, 'type')) !== undefined &&
  (Array.isArray(field(field(line, 'message'), 'parts')) ||
    (field(line, 'systemPayload') !== undefined && items(field(line, 'content')).length === 0))

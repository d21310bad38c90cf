import { asString, isObject, type Json } from '../model/json.ts'
import { ROLES } from '../model/view.ts'
import type { Format } from './format.ts'
import { guessView } from './guess.ts'
import { millis } from './hints.ts'
import { given, linearReader } from './linearreader.ts'
import { lines } from './lines.ts'
import { all, chosen } from './select.ts'

const SAID = ['role', 'content', 'reasoning_content', 'tool_calls', 'tool_call_id', 'name'] as const
const BODY = all(...SAID)
const KEYS: ReadonlySet<string> = new Set([...SAID, 'timestamp', 'message_id', 'injected'])

/** Mistral Vibe: `session_<…>/messages.jsonl`, messages of the chat API a line. */
export const vibe: Format = {
  name: 'vibe',
  dialect: 'vibe',
  reading: 1,
  conversational: true,
  detect: ({ name, lines: objects }) =>
    name === 'messages.jsonl' && objects.length > 0 && objects.every(isMessage),
  splitter: lines,
  reader: (_name, folder = '') =>
    linearReader(
      'vibe',
      (value) => ({
        ...given('native', asString(value.message_id)),
        ...given('time', millis(value.timestamp)),
        ...(isMessage(value) && { entry: { kind: 'message', body: chosen(value, BODY) } }),
      }),
      folder.startsWith('session_') ? { id: folder } : {},
    ),
  beside: {
    folder: (_name, folder) => (folder.startsWith('session_') ? '' : undefined),
    holds: (path) => path === 'meta.json',
  },
  view: (_kind, body) => guessView(body),
}

const isMessage = (value: Json): boolean =>
  isObject(value) &&
  ROLES.some((role) => role === value.role) &&
  Object.keys(value).every((key) => KEYS.has(key))

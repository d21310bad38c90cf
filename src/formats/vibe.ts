import { field, isObject, type Json, type JsonObject } from '../model/json.ts'
import { type AllowList, all, defineFormat, each, fields } from './core/define.ts'
import { gitFacts } from './core/facthistory.ts'
import { words } from './core/known.ts'
import { factsAt } from './core/values.ts'
import { roleNamed } from './core/views.ts'
import { guessView } from './generic/heuristics.ts'

const MESSAGE_KEYS = ['role', 'content', 'reasoning_content', 'tool_calls', 'tool_call_id', 'name'] as const
const BODY: AllowList = {
  ...all(...MESSAGE_KEYS),
  tool_calls: each(fields({ ...all('id', 'type', 'index'), function: fields(all('name', 'arguments')) })),
}
const KEYS: ReadonlySet<string> = new Set([...MESSAGE_KEYS, 'timestamp', 'message_id', 'injected'])

/** The folder of a session, in which a message may have fields that are not known. */
const isOwn = (folder: string): boolean => folder.startsWith('session_')

const isMessage = (value: Json): value is JsonObject => isObject(value) && roleNamed(value.role) !== null

const hasOwnKeys = (value: JsonObject): boolean => Object.keys(value).every((key) => KEYS.has(key))

/** Mistral Vibe: `session_<…>/messages.jsonl`, messages of the chat API a line. */
export const vibe = defineFormat({
  name: 'vibe',
  detect: ({ name, folder = '', lines: objects }) =>
    name === 'messages.jsonl' &&
    objects.length > 0 &&
    objects.every((line) => isMessage(line) && (isOwn(folder) || hasOwnKeys(line))),
  record: (_name, folder = '') => ({
    id: 'message_id',
    time: 'timestamp',
    carries: (record) => (isMessage(record) ? 'message' : undefined),
    known: isOwn(folder) ? { id: folder } : {},
  }),
  sidecars: {
    folder: (_name, folder) => (isOwn(folder) ? '' : undefined),
    holds: (path) => path === 'meta.json',
    facts: (_path, value) => ({
      ...factsAt(value, {
        title: 'title',
        cwd: ['environment', 'working_directory'],
        created: 'start_time',
      }),
      ...gitFacts({ branch: field(value, 'git_branch'), commit: field(value, 'git_commit') }),
    }),
  },
  entries: { message: { body: BODY, view: guessView } },
  known: {
    written: '2026-08',
    fields: {
      '': words('message_id timestamp role content reasoning_content tool_calls tool_call_id name'),
      tool_calls: words('id type index function'),
    },
  },
})

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { asString, type Json, type JsonObject, without } from '../../src/model/json.ts'
import { filesIn } from './folder.ts'

/** The formats whose agents go on with files that are written for them. */
export const AGENTS = [
  ...([
    'claude-code',
    'codex',
    'pi',
    'oh-my-pi',
    'gemini-cli',
    'opencode',
    'kilo',
    'dash',
    'rollouts',
  ] as const),
  ...(['index-tree', 'uuid-tree', 'jsonl', 'pi-v1', 'pi-v2', 'pi-v4'] as const),
  ...(['opencode-files', 'opencode-database', 'rollouts-folder'] as const),
] as const

export type AgentFormat = (typeof AGENTS)[number]

const TIME = '2027-01-02T03:04:05.678Z'

/** Adds to a file what an agent adds in a turn: a prompt, a tool call, its result and an answer. */
export function goOn(path: string, format: AgentFormat, prompt = 'and on we go'): void {
  switch (format) {
    case 'opencode':
    case 'kilo':
      return goOnAnew(path, prompt)
    case 'opencode-files':
      return goOnInFiles(path, prompt)
    case 'opencode-database':
      return goOnInDatabase(path, prompt)
    case 'rollouts-folder':
      return goOnIn(join(path, filesIn(path, /messages\.jsonl$/)[0] as string), format, prompt)
    default:
      return goOnIn(path, format, prompt)
  }
}

function goOnIn(path: string, format: keyof typeof TURNS, prompt: string): void {
  const records = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]))
  const added = TURNS[format](records, prompt)
  appendFileSync(path, added.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

/** A message of OpenCode with its parts. */
interface Message {
  readonly info: JsonObject
  readonly parts: readonly JsonObject[]
}

const CREATED = Date.parse(TIME)

/** A turn of OpenCode in a session that has so many messages. */
function openCodeTurn(sessionID: Json, count: number, prompt: string): Message[] {
  const tool = {
    type: 'tool',
    callID: `call_on${count}`,
    tool: 'read',
    state: { status: 'completed', input: { path: '/a' }, output: 'read' },
  }
  const parts = [
    ['user', { type: 'text', text: prompt }],
    ['assistant', tool],
    ['assistant', { type: 'text', text: 'read it' }],
    ['assistant', { type: 'text', text: 'done' }],
  ] as const
  return parts.map(([role, part], n) => {
    const at = String(count + n).padStart(9, '0')
    const [id, own] = [`msg_zz${at}`, { sessionID, messageID: `msg_zz${at}`, id: `prt_zz${at}` }]
    const by = { modelID: 'claude-opus-4', providerID: 'anthropic', finish: 'stop' }
    return {
      info: { id, sessionID, role, time: { created: CREATED }, ...(role === 'assistant' && by) },
      parts: [{ ...part, ...own }],
    }
  })
}

const nameOf = ({ id }: JsonObject): string => asString(id) ?? ''

/** OpenCode exports all of a session anew, in its own spelling and with what it has to say besides. */
function goOnAnew(path: string, prompt: string): void {
  const { info, messages } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly info: JsonObject
    readonly messages: readonly Message[]
  }
  const added = openCodeTurn(info.id ?? null, messages.length, prompt)
  const before = messages.map(({ parts, ...message }) => ({
    parts: parts.map(({ type, id, ...part }) => ({ id, type, ...part, metadata: { seen: true } })),
    ...message,
  }))
  const anew = {
    info: { ...info, version: '9.9.9', time: { created: CREATED, updated: CREATED } },
    messages: [...before, ...added],
  }
  writeFileSync(path, JSON.stringify(anew, null, 2))
}

function goOnInFiles(path: string, prompt: string): void {
  const [own = ''] = filesIn(path, /^session\/.*\.json$/)
  const session = basename(own, '.json')
  const write = (file: string, value: JsonObject): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), JSON.stringify(value, null, 2))
  }
  const { length } = filesIn(path, /^message\/.*\.json$/)
  for (const { info, parts } of openCodeTurn(session, length, prompt)) {
    write(`message/${session}/${nameOf(info)}.json`, info)
    for (const part of parts) write(`part/${nameOf(info)}/${nameOf(part)}.json`, part)
  }
}

function goOnInDatabase(path: string, prompt: string): void {
  const database = new sqlite.Database(path)
  const { id: session = '' } = database.get('SELECT id FROM session') as { id?: string }
  const { count = 0 } = database.get('SELECT count(*) AS count FROM message') as { count?: number }
  for (const { info, parts } of openCodeTurn(session, count, prompt)) {
    const times = [CREATED, CREATED]
    const data = JSON.stringify(without(info, 'id', 'sessionID'))
    database.run('INSERT INTO message VALUES (?, ?, ?, ?, ?)', [nameOf(info), session, ...times, data])
    for (const part of parts) {
      const partData = JSON.stringify(without(part, 'id', 'sessionID', 'messageID'))
      const row = [nameOf(part), nameOf(info), session, ...times, partData]
      database.run('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)', row)
    }
  }
  database.close()
}

/** A turn of pi, and of what has its messages. */
function piTurn(records: readonly JsonObject[], prompt: string): JsonObject[] {
  const content = (text: string): Json => [{ type: 'text', text }]
  const by = { provider: 'anthropic', model: 'claude-opus-4' }
  const id = `call_on${records.length}`
  return [
    { role: 'user', content: content(prompt) },
    {
      role: 'assistant',
      content: [{ type: 'toolCall', id, name: 'read', arguments: { path: '/a' } }],
      ...by,
    },
    { role: 'toolResult', toolCallId: id, toolName: 'read', content: content('read'), isError: false },
    { role: 'assistant', content: content('done'), ...by },
  ]
}

/** Returns records that follow each other and what is there by `id` and `parentId`, or as these are called. */
function chained(
  records: readonly JsonObject[],
  messages: readonly JsonObject[],
  [own, above]: readonly [string, string] = ['id', 'parentId'],
): JsonObject[] {
  const idOf = (n: number): string => `0${(records.length + n).toString(16).padStart(7, '0')}`
  const last = records.findLast((record) => record[own] !== undefined && record.type !== 'title')
  // Below a header by `id` is nothing.
  const first = last?.type === 'session' && own === 'id' ? null : (last?.[own] ?? null)
  return messages.map((fields, n) => ({
    ...fields,
    [own]: idOf(n),
    [above]: n === 0 ? first : idOf(n - 1),
    timestamp: TIME,
  }))
}

const asMessages = (messages: readonly JsonObject[]): JsonObject[] =>
  messages.map((message) => ({ type: 'message', message }))

const TURNS: Readonly<
  Record<
    Exclude<AgentFormat, `opencode${string}` | 'kilo'>,
    (records: readonly JsonObject[], prompt: string) => Json[]
  >
> = {
  'claude-code': (records, prompt) => {
    const before = records.findLast(({ uuid }) => uuid !== undefined)
    const idOf = (n: number): string =>
      `0e0e0e0e-0000-4000-8000-${String(records.length + n).padStart(12, '0')}`
    const messages: [string, JsonObject][] = [
      ['user', { role: 'user', content: prompt }],
      [
        'assistant',
        {
          id: `msg_on${records.length}a`,
          role: 'assistant',
          model: 'claude-opus-4',
          content: [
            { type: 'tool_use', id: `toolu_on${records.length}`, name: 'Read', input: { file_path: '/a' } },
          ],
        },
      ],
      [
        'user',
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `toolu_on${records.length}`, content: 'read' }],
        },
      ],
      [
        'assistant',
        {
          id: `msg_on${records.length}b`,
          role: 'assistant',
          model: 'claude-opus-4',
          content: [{ type: 'text', text: 'done' }],
        },
      ],
    ]
    return messages.map(([type, message], n) => ({
      parentUuid: n === 0 ? (before?.uuid ?? null) : idOf(n - 1),
      isSidechain: false,
      type,
      message,
      uuid: idOf(n),
      sessionId: before?.sessionId ?? null,
      timestamp: TIME,
    }))
  },
  codex: ({ length }, prompt) =>
    [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
      { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: `call_on${length}` },
      { type: 'function_call_output', call_id: `call_on${length}`, output: 'read' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ].map((payload) => ({ timestamp: TIME, type: 'response_item', payload })),
  pi: (records, prompt) => chained(records, asMessages(piTurn(records, prompt))),
  'pi-v1': (records, prompt) =>
    asMessages(piTurn(records, prompt)).map((message) => ({ ...message, timestamp: TIME })),
  'pi-v2': (records, prompt) => chained(records, asMessages(piTurn(records, prompt))),
  'pi-v4': (records, prompt) => {
    const last = records.findLast(
      ({ kind, lane }) => kind === 'entry' || (kind === 'lane' && lane === 'main'),
    )
    const messages = asMessages(piTurn(records, prompt))
    const entries = chained(records, messages).map((entry, n) => ({
      ...{ kind: 'entry', lane: 'main', seq: records.length + n },
      ...entry,
      ...(n === 0 && { parentId: (last?.kind === 'lane' ? last.leafId : last?.id) ?? null }),
      timestamp: Date.parse(TIME),
    }))
    return entries
  },
  'oh-my-pi': (records, prompt) => chained(records, asMessages(piTurn(records, prompt))),
  'uuid-tree': (records, prompt) =>
    chained(records, asMessages(piTurn(records, prompt)), ['uuid', 'parentUuid']),
  'index-tree': (records, prompt) =>
    asMessages(piTurn(records, prompt)).map((record, n) => {
      const last = records.at(-1)
      const first = last?.type === 'head' ? (last.parent ?? 0) : records.length - 1
      return { ...record, parent: n === 0 ? first : records.length - 1 + n, timestamp: TIME }
    }),
  dash: (records, prompt) =>
    chained(
      records,
      [
        { role: 'user', content: prompt },
        {
          role: 'assistant',
          content: 'I read it.',
          metadata: { model: 'claude-opus-4', cost: 0.5, tokens: 7 },
        },
        { role: 'tool', content: 'read' },
        { role: 'assistant', content: 'done' },
      ].map((fields) => ({ type: 'message', ...fields })),
    ),
  'rollouts-folder': (records, prompt) =>
    TURNS.rollouts(records, prompt).map((record) => ({
      ...{ timestamp: TIME },
      ...((record as JsonObject).message as JsonObject),
    })),
  rollouts: ({ length }, prompt) => {
    const id = `call_on${length}`
    return [
      { role: 'user', content: prompt },
      { role: 'assistant', content: [{ type: 'toolCall', id, name: 'read', arguments: { path: '/a' } }] },
      { role: 'tool', content: 'read', tool_call_id: id },
      { role: 'assistant', content: 'done', provider: 'anthropic', model: 'claude-opus-4' },
    ].map((message) => ({ type: 'message', timestamp: TIME, message }))
  },
  'gemini-cli': ({ length }, prompt) => {
    const call = { id: `call_on${length}`, name: 'read', args: { path: '/a' }, status: 'success' }
    const result = [{ functionResponse: { id: call.id, name: 'read', response: { output: 'read' } } }]
    return [
      { type: 'user', content: [{ text: prompt }] },
      { type: 'gemini', content: '', toolCalls: [{ ...call, result }], model: 'gemini-3-pro' },
      { type: 'gemini', content: 'read it', model: 'gemini-3-pro' },
      { type: 'gemini', content: 'done', model: 'gemini-3-pro' },
    ].map((fields, n) => ({ id: `on${length + n}`, timestamp: TIME, ...fields }))
  },
  jsonl: ({ length }, prompt) =>
    [
      ['user', prompt],
      ['assistant', 'I read it'],
      ['tool', 'read'],
      ['assistant', 'done'],
    ].map(([role = '', content = ''], n) => ({ id: `on${length + n}`, role, content, time: TIME })),
}

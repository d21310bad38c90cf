import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../src/model/json.ts'

/** The formats whose agents go on with files that are written for them. */
export const AGENTS = [
  ...(['claude-code', 'codex', 'pi', 'oh-my-pi', 'gemini-cli', 'opencode', 'dash', 'rollouts'] as const),
  ...(['index-tree', 'uuid-tree', 'jsonl', 'pi-v1', 'pi-v2', 'pi-v4'] as const),
] as const

export type AgentFormat = (typeof AGENTS)[number]

const TIME = '2027-01-02T03:04:05.678Z'

/** Adds to a file what an agent adds in a turn: a prompt, a tool call, its result and an answer. */
export function goOn(path: string, format: AgentFormat, prompt = 'and on we go'): void {
  if (format === 'opencode') return goOnAnew(path, prompt)
  const records = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]))
  const added = TURNS[format](records, prompt)
  appendFileSync(path, added.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

/** OpenCode exports all of a session anew, in its own spelling and with what it has to say besides. */
function goOnAnew(path: string, prompt: string): void {
  const { info, messages } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly info: JsonObject
    readonly messages: readonly { readonly info: JsonObject; readonly parts: readonly JsonObject[] }[]
  }
  const created = Date.parse(TIME)
  const tool = {
    type: 'tool',
    callID: `call_on${messages.length}`,
    tool: 'read',
    state: { status: 'completed', input: { path: '/a' }, output: 'read' },
  }
  const said = [
    ['user', { type: 'text', text: prompt }],
    ['assistant', tool],
    ['assistant', { type: 'text', text: 'read it' }],
    ['assistant', { type: 'text', text: 'done' }],
  ] as const
  const added = said.map(([role, part], n) => {
    const id = `msg_zz${messages.length + n}`
    const own = { sessionID: info.id ?? null, messageID: id, id: `prt_zz${messages.length + n}` }
    const by = { modelID: 'claude-opus-4', providerID: 'anthropic', finish: 'stop' }
    return {
      info: { id, sessionID: info.id ?? null, role, time: { created }, ...(role === 'assistant' && by) },
      parts: [{ ...part, ...own }],
    }
  })
  const before = messages.map(({ parts, ...message }) => ({
    parts: parts.map(({ type, id, ...part }) => ({ id, type, ...part, metadata: { seen: true } })),
    ...message,
  }))
  const anew = {
    info: { ...info, version: '9.9.9', time: { created, updated: created } },
    messages: [...before, ...added],
  }
  writeFileSync(path, JSON.stringify(anew, null, 2))
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

/** Gives records that follow each other and what is there by `id` and `parentId`, or as these are called. */
function chained(
  records: readonly JsonObject[],
  said: readonly JsonObject[],
  [own, above]: readonly [string, string] = ['id', 'parentId'],
): JsonObject[] {
  const idOf = (n: number): string => `0${(records.length + n).toString(16).padStart(7, '0')}`
  const last = records.findLast((record) => record[own] !== undefined && record.type !== 'title')
  // Below a header by `id` is nothing.
  const first = last?.type === 'session' && own === 'id' ? null : (last?.[own] ?? null)
  return said.map((fields, n) => ({
    ...fields,
    [own]: idOf(n),
    [above]: n === 0 ? first : idOf(n - 1),
    timestamp: TIME,
  }))
}

const asMessages = (messages: readonly JsonObject[]): JsonObject[] =>
  messages.map((message) => ({ type: 'message', message }))

const TURNS: Readonly<
  Record<Exclude<AgentFormat, 'opencode'>, (records: readonly JsonObject[], prompt: string) => Json[]>
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
    asMessages(piTurn(records, prompt)).map((said) => ({ ...said, timestamp: TIME })),
  'pi-v2': (records, prompt) => chained(records, asMessages(piTurn(records, prompt))),
  'pi-v4': (records, prompt) => {
    const last = records.findLast(
      ({ kind, lane }) => kind === 'entry' || (kind === 'lane' && lane === 'main'),
    )
    const said = asMessages(piTurn(records, prompt))
    const entries = chained(records, said).map((entry, n) => ({
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
      ].map((said) => ({ type: 'message', ...said })),
    ),
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
    ].map((said, n) => ({ id: `on${length + n}`, timestamp: TIME, ...said }))
  },
  jsonl: ({ length }, prompt) =>
    [
      ['user', prompt],
      ['assistant', 'I read it'],
      ['tool', 'read'],
      ['assistant', 'done'],
    ].map(([role = '', content = ''], n) => ({ id: `on${length + n}`, role, content, time: TIME })),
}

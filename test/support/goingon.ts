import { appendFileSync, readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../src/model/json.ts'

/** The formats whose agents go on with files that are written for them. */
export const AGENTS = ['claude-code', 'codex', 'pi'] as const

export type AgentFormat = (typeof AGENTS)[number]

const TIME = '2027-01-02T03:04:05.678Z'

/** Adds to a file what an agent adds in a turn: a prompt, a tool call, its result and an answer. */
export function goOn(path: string, format: AgentFormat, prompt = 'and on we go'): void {
  const records = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]))
  const added = TURNS[format](records, prompt)
  appendFileSync(path, added.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

const TURNS: Readonly<Record<AgentFormat, (records: readonly JsonObject[], prompt: string) => Json[]>> = {
  'claude-code': (records, prompt) => {
    const before = records.findLast(({ uuid }) => uuid !== undefined)
    const idOf = (n: number): string =>
      `00000000-0000-4000-8000-${String(records.length + n).padStart(12, '0')}`
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
  pi: (records, prompt) => {
    const idOf = (n: number): string => `on${(records.length + n).toString(16).padStart(6, '0')}`
    const content = (text: string): Json => [{ type: 'text', text }]
    const said: JsonObject[] = [
      { role: 'user', content: content(prompt) },
      {
        role: 'assistant',
        content: [
          { type: 'toolCall', id: `call_on${records.length}`, name: 'read', arguments: { path: '/a' } },
        ],
        provider: 'anthropic',
        model: 'claude-opus-4',
      },
      {
        role: 'toolResult',
        toolCallId: `call_on${records.length}`,
        toolName: 'read',
        content: content('read'),
        isError: false,
      },
      { role: 'assistant', content: content('done'), provider: 'anthropic', model: 'claude-opus-4' },
    ]
    return said.map((message, n) => ({
      type: 'message',
      id: idOf(n),
      parentId: n === 0 ? (records.at(-1)?.id ?? null) : idOf(n - 1),
      timestamp: TIME,
      message,
    }))
  },
}

import type { AssistantMessage, FileEntry, SessionEntry } from '../../src/compat/core/types.ts'

/** When every entry here was made. */
export const T = '2025-01-01T00:00:01.000Z'

/** A user's message. */
export const user = (
  content: string,
  timestamp = 1,
): { role: 'user'; content: string; timestamp: number } => ({
  role: 'user',
  content,
  timestamp,
})

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost }

/** An assistant's message. */
export const assistant = (text: string, timestamp = 2): AssistantMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  api: 'a',
  provider: 'p',
  model: 'm',
  usage,
  stopReason: 'stop',
  timestamp,
})

/** An entry of a chain: its type and its other fields. */
export type ChainItem = readonly [type: string, fields?: object]

/** A message entry of a chain. */
export const messageItem = (role: string, content: unknown, more: object = {}): ChainItem => [
  'message',
  { message: { role, content, timestamp: 5, ...more } },
]

/** Makes a chain of entries `e1`, `e2`, … each the child of the one before. */
export const chain = (...items: readonly ChainItem[]): SessionEntry[] =>
  items.map(([type, fields], i) => {
    const parentId = i === 0 ? null : `e${i}`
    return { type, id: `e${i + 1}`, parentId, timestamp: T, ...fields } as unknown as SessionEntry
  })

/** Returns the lines of a session file. */
export const lines = (...entries: readonly object[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** A header of version 3. */
export const header = (fields: object = {}): FileEntry => ({
  type: 'session',
  version: 3,
  id: 'sid',
  timestamp: '2025-01-01T00:00:00.000Z',
  cwd: '/c',
  ...fields,
})

// Makes conversations of any length, the same ones each time, that weigh and compress like those of real agents.
import { closeSync, openSync, writeSync } from 'node:fs'

/** Returns a function that returns numbers from 0 up to 1, the same sequence for the same seed (mulberry32). */
export function chance(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const POOL = 8 << 20
const RECENT = 8 << 10

/** Returns text to cut from: made-up words in lines as tools print them, of which most repeat what stood shortly before. */
function makePool() {
  const next = chance(7)
  const letters = 'etaoinsrhldcumfpgwybvk'
  const pick = (from, bias) => from[Math.floor(next() ** bias * from.length)]
  const word = () => Array.from({ length: 2 + next() * 8 }, () => pick(letters, 1.5)).join('')
  const words = Array.from({ length: 4000 }, word)
  const parts = []
  let recent = ''
  for (let line = 0, size = 0; size < POOL; line = (line + 17) % 4000) {
    const at = Math.floor(next() * RECENT)
    let part = `${pick(words, 3)}${next() < 0.09 ? '\n' : ' '}`
    if (at < recent.length && next() < 0.12) part = recent.slice(at, at + 60 + next() * 500)
    else if (next() < 0.06) part = `src/${pick(words, 3)}/${pick(words, 1)}.ts:${line}\n`
    parts.push(part)
    size += part.length
    recent += part
    if (recent.length > 2 * RECENT) recent = recent.slice(-RECENT)
  }
  return parts.join('')
}

let pool

/** Returns a source of texts: a function from a length to so many characters. */
function textsOf(next) {
  pool ??= makePool()
  return (length) => {
    const at = Math.floor(next() * (pool.length - length))
    return pool.slice(at, at + length)
  }
}

const usage = (n) => ({
  input: 3 + (n % 7),
  output: 40 + (n % 400),
  cacheRead: 20_000 + (n % 100_000),
  cacheWrite: 900 + (n % 3000),
  totalTokens: 21_000 + (n % 100_000),
  cost: { input: 0.000_03, output: 0.006, cacheRead: 0.012, cacheWrite: 0.003, total: 0.021_03 },
})

/** Returns so many messages as pi keeps them, about 1 KB each: a prompt, calls with their results, an answer. */
export function* messages(count, seed = 1) {
  const next = chance(seed)
  const text = textsOf(next)
  for (let n = 0, turn = 0; n < count; turn++) {
    yield { role: 'user', content: [{ type: 'text', text: text(40 + next() * 400) }], timestamp: timeOf(n++) }
    for (let calls = 1 + Math.floor(next() * 9); calls > 0 && n < count - 1; calls--) {
      const id = `toolu_${seed}_${n}`
      const path = `/home/ada/engine/${text(12).replaceAll(/\s/g, '')}.ts`
      const thinking = { type: 'thinking', thinking: text(next() * 300), thinkingSignature: '' }
      const call = { type: 'toolCall', id, name: 'read', arguments: { path, limit: turn % 500 } }
      yield assistant([...(next() < 0.3 ? [thinking] : []), call], 'toolUse', n++)
      const content = [{ type: 'text', text: text(60 + next() ** 3 * 5200) }]
      const result = { role: 'toolResult', toolCallId: id, toolName: 'read', content, isError: false }
      if (n < count) yield { ...result, timestamp: timeOf(n++) }
    }
    if (n < count) yield assistant([{ type: 'text', text: text(100 + next() * 900) }], 'stop', n++)
  }
}

const assistant = (content, stopReason, n) => ({
  role: 'assistant',
  content,
  api: 'anthropic-messages',
  provider: 'anthropic',
  model: 'claude-opus-4-5',
  usage: usage(n),
  stopReason,
  timestamp: timeOf(n),
})

/** Returns the time of the n-th message, in milliseconds since 1970. */
export const timeOf = (n) => 1_770_000_000_000 + n * 4000

const idOf = (n) => (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')

/** Returns a function that writes values as lines of a file, and one that ends it. */
export function linesInto(path) {
  const file = openSync(path, 'w')
  let lines = []
  let size = 0
  const flush = () => {
    writeSync(file, `${lines.join('\n')}\n`)
    lines = []
    size = 0
  }
  /** Returns how many characters the line has. */
  const put = (value) => {
    const line = JSON.stringify(value)
    lines.push(line)
    size += line.length
    if (size > 4 << 20) flush()
    return line.length + 1
  }
  const end = () => {
    flush()
    closeSync(file)
    return path
  }
  return { put, end }
}

/**
 * Writes a session of pi, version 3, of so many entries. Those whose numbers `compacts` takes are compactions, each of
 * which keeps the 20 entries before it.
 */
export function writePiSession(path, { entries, seed = 1, compacts = () => false }) {
  const { put, end } = linesInto(path)
  const sessionId = `01957f00-0000-7000-8000-${seed.toString(16).padStart(12, '0')}`
  const time = (n) => new Date(timeOf(n)).toISOString()
  const cwd = `/home/ada/project-${seed % 50}`
  put({ type: 'session', version: 3, id: sessionId, timestamp: time(0), cwd })
  let n = 0
  for (const message of messages(entries, seed)) {
    if (compacts(n)) {
      const firstKeptEntryId = idOf(n - 20)
      const summary = 'What was done so far, in a few words. '.repeat(40)
      const own = { type: 'compaction', id: idOf(n), parentId: idOf(n - 1), timestamp: time(n), summary }
      put({ ...own, firstKeptEntryId, tokensBefore: 150_000 })
      n++
    }
    if (n === entries) break
    const parentId = n === 0 ? null : idOf(n - 1)
    put({ type: 'message', id: idOf(n), parentId, timestamp: time(n), message })
    n++
  }
  return end()
}

import { lstatSync } from 'node:fs'
import { savedOf } from './saved.ts'

/** The parts of a statusline. */
interface Status {
  readonly name: string
  readonly branch: string | null
  readonly tokens: number | null
  readonly cost: number | null
  /** The bytes that are not in the store yet; null where none of the session is. */
  readonly unsaved: number | null
}

/** The most characters of a name. */
const MAX_NAME = 32

/** Returns the line of a statusline from what Claude Code tells about a session, and from what was saved of it. */
export function statusLine(told: string, folder: string): string {
  const { name, branch, tokens, cost, unsaved } = statusOf(told, folder)
  const parts = [
    name,
    branch ?? '',
    tokens === null ? '' : `${shortNumber(tokens)} tokens`,
    cost === null ? '' : `$${cost.toFixed(2)}`,
    unsaved === null ? 'unsaved' : unsaved === 0 ? 'live' : `${shortNumber(unsaved)}B unsaved`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function statusOf(told: string, folder: string): Status {
  const facts = parsed(told)
  const path = valueAt(facts, 'transcript_path')
  const saved = typeof path === 'string' ? savedOf(folder, path) : undefined
  const id = valueAt(facts, 'session_id')
  const tokens = ['total_input_tokens', 'total_output_tokens'].map((key) =>
    valueAt(facts, 'context_window', key),
  )
  const cost = valueAt(facts, 'cost', 'total_cost_usd')
  const name =
    saved?.title ?? valueAt(facts, 'session_name') ?? (typeof id === 'string' ? id.slice(0, 8) : '')
  return {
    name: plain(name),
    branch: saved ? saved.branch && plain(saved.branch) : null,
    tokens: tokens.every((one) => typeof one === 'number') ? tokens.reduce((sum, one) => sum + one, 0) : null,
    cost: typeof cost === 'number' && Number.isFinite(cost) ? cost : null,
    unsaved: saved ? Math.max(0, sizeOf(saved.path) - saved.size) : null,
  }
}

/** Titles come from transcripts: characters that steer a terminal are left out. */
function plain(value: unknown): string {
  if (typeof value !== 'string') return ''
  const line = value
    .slice(0, 1000)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const letters = [...line]
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : line
}

const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Returns a number of at most four characters and a letter. */
function shortNumber(value: number): string {
  for (const [letter, unit] of [
    ['M', 1_000_000],
    ['k', 1000],
  ] as const)
    if (value >= unit) return `${(value / unit).toFixed(value < 10 * unit ? 1 : 0)}${letter}`
  return `${Math.round(value)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  let at = value
  for (const key of keys)
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined
  return at
}

import { callsOf } from './tokens.ts'
import type { Usage, View } from './view.ts'

/**
 * The facts of entries that lists show, kept with the head of their log so that no entry is read. Missing fields are
 * zero or unknown; tokens, and cost in US dollars, are sums over the model calls.
 */
export type Summary = Omit<Usage, 'call'> & {
  /** The number of prompts of the user. */
  readonly prompts?: number
  /** How many tools were called. */
  readonly calls?: number
  /** The model that was set or answered last. */
  readonly model?: string
  /** The usage of the newest model call, where it has a name: the next entries may repeat it. */
  readonly last?: Usage
}

/** Without entries there is nothing to say. */
export const NO_SUMMARY: Summary = {}

/**
 * Text that agents send in the user's name before and between the user's own words, and the mark before merged text.
 */
const PREAMBLE =
  /^\s*(?:<|# AGENTS\.md|Caveat:|Base directory for this skill:|This session is being continued from a previous|\[Request interrupted by user|\[What follows was said on ')/

/** Tags within a preamble that hold the user's own words. */
const ASKED = ['user_query', 'USER_REQUEST'] as const

/** Text that an editor adds before the user's words. */
const SURROUNDINGS = /^\s*# Context from my IDE setup:[^]*?## My request for Codex:/

/** The longest prompt and the longest name of a model that are kept, in UTF-16 units. */
const LONGEST = 120

/**
 * Returns the user's own words in an entry, from its first text that has any; undefined for none. Text that an agent or
 * an editor added before them is skipped.
 */
export function ownWords({ role, aside, blocks }: View): string | undefined {
  if (role !== 'user' || aside) return undefined
  for (const block of blocks) {
    if (block.kind !== 'text') continue
    const { text } = block
    const own = (PREAMBLE.test(text) ? askedIn(text) : text.replace(SURROUNDINGS, '')).trimStart()
    if (own !== '') return own
  }
  return undefined
}

/**
 * Returns the first words of the user in an entry, with single spaces, at most so many UTF-16 units (120); undefined
 * for none.
 */
export function promptIn(view: View, longest = LONGEST): string | undefined {
  const own = ownWords(view)
  if (own === undefined) return undefined
  const words = own
    .slice(0, 8 * longest)
    .trimEnd()
    .replace(/\s+/g, ' ')
  return (words.length > longest ? `${words.slice(0, longest - 1)}…` : words).toWellFormed()
}

/**
 * Returns the user's words in a preamble, '' if there are none: the content of a tag that holds them, or the name of
 * the command whose prompt Claude Code sends.
 */
function askedIn(text: string): string {
  if (/^\s*<command-message>/.test(text))
    return `${inTag(text, 'command-name') ?? ''} ${inTag(text, 'command-args') ?? ''}`
  for (const tag of ASKED) {
    const words = inTag(text, tag)
    if (words !== undefined) return words
  }
  return ''
}

function inTag(text: string, tag: string): string | undefined {
  const [open, close] = [`<${tag}>`, `</${tag}>`]
  const from = text.indexOf(open)
  const to = from < 0 ? -1 : text.indexOf(close, from)
  return to < 0 ? undefined : text.slice(from + open.length, to)
}

/** Returns the beginning of a prompt, at most so many UTF-16 units with the ellipsis. */
export const cutPrompt = (prompt: string, length = 32): string =>
  prompt.length <= length ? prompt : `${prompt.slice(0, length - 1)}…`.toWellFormed()

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost'] as const

type MutableFields<T> = { -readonly [K in keyof T]: T[K] }

/** Returns a summary with one more entry, in the order of the log; the same object if nothing changes. */
export function withView(summary: Summary, view: View): Summary {
  const prompts = ownWords(view) === undefined ? 0 : 1
  const calls = callsOf(view)
  const model = view.sets?.model?.id
  const { usage } = view
  if (prompts === 0 && calls === 0 && !model && !usage) return summary
  const next: MutableFields<Summary> = { ...summary }
  if (prompts > 0) next.prompts = (next.prompts ?? 0) + prompts
  if (calls > 0) next.calls = (next.calls ?? 0) + calls
  if (model) next.model = model === next.model ? next.model : model.slice(0, LONGEST).toWellFormed()
  if (usage) addUsage(next, usage)
  return next
}

/** Adds what a model call took. The entries of one call repeat its usage, which may grow from one to the next. */
function addUsage(summary: MutableFields<Summary>, usage: Usage): void {
  const repeats = usage.call !== undefined && usage.call === summary.last?.call
  const before = (repeats && summary.last) || NO_SUMMARY
  for (const name of COUNTS) {
    const more = (usage[name] ?? 0) - (before[name] ?? 0)
    if (more > 0) summary[name] = (summary[name] ?? 0) + more
  }
  if (usage.call === undefined) return
  const call: MutableFields<Usage> = { ...before, ...usage }
  for (const name of COUNTS)
    if (call[name] !== undefined) call[name] = Math.max(before[name] ?? 0, usage[name] ?? 0)
  summary.last = call
}

/** Returns a summary without an entry that it counts and whose model call no other entry repeats. */
export function withoutView(summary: Summary, view: View): Summary {
  const one = withView(NO_SUMMARY, view)
  const next: MutableFields<Summary> = { ...summary }
  for (const name of [...COUNTS, 'prompts', 'calls'] as const) {
    const left = (summary[name] ?? 0) - (one[name] ?? 0)
    if (left > 0) next[name] = left
    else delete next[name]
  }
  return next
}

/** Returns the summary of two logs; the newer one determines the last model. */
export function joinedSummary(newer: Summary = NO_SUMMARY, older: Summary = NO_SUMMARY): Summary {
  const joined: MutableFields<Summary> = { ...older, ...newer }
  for (const name of [...COUNTS, 'prompts', 'calls'] as const)
    if (joined[name] !== undefined) joined[name] = (newer[name] ?? 0) + (older[name] ?? 0)
  return joined
}

/** Returns the total tokens of a summary; undefined if none are known. */
export function usedTokens({ input, output, cacheRead, cacheWrite }: Summary): number | undefined {
  const known = [input, output, cacheRead, cacheWrite].filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

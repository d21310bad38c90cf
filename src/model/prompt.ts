import type { View } from './view.ts'

/**
 * Text that agents send in the user's name before and between the user's own words, and the mark before merged text.
 */
const PREAMBLE =
  /^\s*(?:<|# AGENTS\.md|Caveat:|Base directory for this skill:|This session is being continued from a previous|\[Request interrupted by user|\[What follows was said on ')/

/** Text between tags whose names no markup language has: an agent added it. */
const INJECTED = /^\s*<[a-z]+(?:[-_ ][a-z]+)+>[^]*<\/[^<>]+>\s*$/

/** Tags within a preamble that hold the user's own words. */
const ASKED = ['user_query', 'USER_REQUEST'] as const

/** Text that an editor adds before the user's words. */
const SURROUNDINGS = /^\s*# Context from my IDE setup:[^]*?## My request for Codex:/

/** The longest prompt that is kept, in UTF-16 units. */
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
 * Returns what the user wrote of a text that was sent in the user's name; undefined for a text that an agent added. Markup
 * that the user wrote is kept.
 */
export function writtenByUser(text: string): string | undefined {
  const isMarkup = /^\s*</.test(text) && !INJECTED.test(text)
  if (isMarkup || !PREAMBLE.test(text)) return text.replace(SURROUNDINGS, '')
  return askedIn(text).trim() || undefined
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

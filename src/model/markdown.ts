import { collapsed } from './collapsed.ts'

/** Returns a text in one line with single spaces. */
export const flat = (text: string): string => collapsed(text.trim().replace(/\s{1,999}/g, ' '), ' ')

/** Returns the beginning of a text, at most `longest` UTF-16 units; `…` replaces the rest. */
export const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…`.toWellFormed() : text.toWellFormed()

/** Returns a text as a quotation of at most `longest` UTF-16 units; nothing in it ends the quotation. */
export const quotation = (text: string, longest: number): string =>
  cut(text.trim(), longest)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Returns one line of text as inline code: its fence is longer than any run of backquotes in it. */
export function inlineCode(text: string): string {
  const fence = '`'.repeat(1 + longestRun(text))
  const pad = /^`|`$/.test(text) ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}

/** Returns a text of many lines between fences that are longer than any run of backquotes in it. */
export function fencedBlock(text: string): string {
  const fence = '`'.repeat(1 + Math.max(2, longestRun(text)))
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

/** Returns the length of the longest run of backquotes. Some runs are too long for a regular expression. */
function longestRun(text: string): number {
  let longest = 0
  for (let at = text.indexOf('`'); at !== -1; at = text.indexOf('`', at)) {
    const start = at
    while (text[at] === '`') at++
    longest = Math.max(longest, at - start)
  }
  return longest
}

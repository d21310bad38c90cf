/** Gives a text in one line, white space single. */
export const flat = (text: string): string => text.trim().replace(/\s+/g, ' ')

/** Gives the beginning of a text, at most so many UTF-16 units; `…` stands for the rest. */
export const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…`.toWellFormed() : text.toWellFormed()

/** Gives a text as a quotation, at most so many UTF-16 units of it: nothing in it ends it. */
export const quotation = (text: string, longest: number): string =>
  cut(text.trim(), longest)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Gives one line of text as code in a line: its fence is longer than any run of backquotes in it. */
export function inlineCode(text: string): string {
  const fence = '`'.repeat(1 + longestRun(text))
  const pad = /^`|`$/.test(text) ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)

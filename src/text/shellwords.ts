import { PLAIN_WORD } from '../model/shellword.ts'
import { safeLine } from '../model/terminaltext.ts'

/** Returns a word quoted for bash or zsh, with characters that must not reach a terminal escaped. */
export function quoted(word: string): string {
  if (PLAIN_WORD.test(word)) return word
  return safeLine(word) === word
    ? `'${word.replaceAll("'", "'\\''")}'`
    : `$'${safeLine(word.replace(/[\\']/g, '\\$&'))}'`
}

/** Returns quoted arguments, after `--` if one could be taken for an option. */
export const typed = (...words: readonly string[]): string =>
  [...(words.some((word) => word.startsWith('-')) ? ['--'] : []), ...words.map(quoted)].join(' ')

/** Returns a quoted command line that runs commands in another folder, each after the success of the one before. */
export const shellLine = (commands: readonly (readonly string[])[], cwd: string, here: string): string =>
  [
    ...(cwd === here ? [] : [`cd ${typed(cwd)}`]),
    ...commands.map((command) => command.map(quoted).join(' ')),
  ].join(' && ')

/** White space, a quotation, an escaped character, plain characters; last what is left open. */
const PIECES = /\s+|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\]+|[^]/g

/**
 * Splits a command into words by the quoting rules of POSIX shells: at white space outside of `'…'`, `"…"` and
 * backslash escapes. Nothing is expanded, and `|`, `>` and `;` are ordinary characters: no shell reads it. Returns
 * undefined for an open quotation.
 */
export function splitWords(command: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  for (const [piece] of command.matchAll(PIECES)) {
    if (piece === "'" || piece === '"' || piece === '\\') return undefined
    if (piece.trim() !== '') word = (word ?? '') + meant(piece)
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

function meant(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1)
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1')
  return piece.startsWith('\\') ? piece.slice(1) : piece
}

import { PLAIN_WORD } from '../model/typable.ts'
import { safeLine } from './safe.ts'

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

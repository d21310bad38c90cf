import { PLAIN_WORD } from '../model/typable.ts'
import { safeLine } from './safe.ts'

/**
 * Gives a word as it is typed in bash or zsh: in quotes where it holds more than plain characters, escaped where it
 * holds some that may not reach a terminal.
 */
export function quoted(word: string): string {
  if (PLAIN_WORD.test(word)) return word
  return safeLine(word) === word
    ? `'${word.replaceAll("'", "'\\''")}'`
    : `$'${safeLine(word.replace(/[\\']/g, '\\$&'))}'`
}

/** Gives arguments of a command as they are typed, behind `--` where one could be taken for an option. */
export const typed = (...words: readonly string[]): string =>
  [...(words.some((word) => word.startsWith('-')) ? ['--'] : []), ...words.map(quoted)].join(' ')

/** Gives commands as they are typed in a folder to run them in another one, each where the one before succeeds. */
export const shellLine = (commands: readonly (readonly string[])[], cwd: string, here: string): string =>
  [
    ...(cwd === here ? [] : [`cd ${typed(cwd)}`]),
    ...commands.map((command) => command.map(quoted).join(' ')),
  ].join(' && ')

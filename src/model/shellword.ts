/** A word that no shell changes: it does not begin with `~` or `=` and has no list in braces. */
export const PLAIN_WORD = /^(?![~=])(?!.*\{.*(?:,|\.\.))[\w@%+=:,./~^{}-]+$/

/**
 * Returns a word as it can be typed in a suggested command: itself if neither a shell nor an option parser changes it,
 * as a hostile id or title could make them do; else a placeholder.
 */
export const typable = (word: string, instead: string): string =>
  PLAIN_WORD.test(word) && !word.startsWith('-') ? word : instead

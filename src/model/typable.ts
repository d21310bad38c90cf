/** A word that no shell changes: no `~` or `=` begins it, no list stands in braces. */
export const PLAIN_WORD = /^(?![~=])(?!.*\{.*(?:,|\.\.))[\w@%+=:,./~^{}-]+$/

/**
 * Gives a word as it may stand in a command that somebody is told to type: itself where no shell and no option makes
 * something else of it, as a transcript's id or title may be made to; else what stands for such a word.
 */
export const typable = (word: string, instead: string): string =>
  PLAIN_WORD.test(word) && !word.startsWith('-') ? word : instead

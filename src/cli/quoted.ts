/** Gives a word as it is typed in a shell: in single quotes where it holds more than plain characters. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./~^{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

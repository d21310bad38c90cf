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

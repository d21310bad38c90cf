/**
 * Characters that a terminal is never sent: control characters but newline and tab, what is not seen, half surrogates, separators,
 * and marks without end. Joiners and selectors may stand where they shape what is seen.
 */
export const HARMFUL =
  /(?!\n|\t|[\u0600-\u0605]|\u06dd|\u070f|\u08e2|\u200c|\u200d|\ufe0e|\ufe0f|[\u180b-\u180f]|[\u{e0100}-\u{e01ef}])(?:[\p{Cc}\p{Cf}\p{Cs}]|[\p{Zl}\p{Zp}\p{DI}]|\u2800)|\p{M}{9}/u

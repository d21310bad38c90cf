/** Gives the beginning of a hint: what a mistyped word may have meant; nothing where no name is near it. */
export const guessing = (names: readonly string[]): string =>
  names.length === 0 ? '' : `did you mean ${names.map((name) => `'${name}'`).join(' or ')}? `

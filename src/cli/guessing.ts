/** Returns the start of a hint that suggests names for a mistyped word; '' if no name is near. */
export const guessing = (names: readonly string[]): string =>
  names.length === 0 ? '' : `did you mean ${names.map((name) => `'${name}'`).join(' or ')}? `

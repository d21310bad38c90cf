import fc from 'fast-check'

/** How many half surrogates there are, which are no characters, and the first of them. */
const [HALVES, FIRST_HALF] = [0x800, 0xd800]

/**
 * Any character. As the unit of a string it gives what the unit `binary` of fast-check does, in the same order. For that one
 * each process first maps all characters to their numbers, which takes it a second.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc.nat(0x10ffff - HALVES).map(
  (index) => String.fromCodePoint(index < FIRST_HALF ? index : index + HALVES),
  (text) => {
    const [character, ...more] = typeof text === 'string' && text.isWellFormed() ? text : ''
    if (character === undefined || more.length > 0)
      throw new Error(`'${String(text)}' is no single character`)
    const code = character.codePointAt(0) as number
    return code < FIRST_HALF ? code : code - HALVES
  },
)

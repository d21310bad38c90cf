/**
 * Gives the one text that all JSON spellings of a number share: digits without outer zeros, then the exponent.
 * `7.0`, `7` and `70e-1` are `7`; `-0.0` is `-0`.
 */
export function decimalText(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = `${whole}${fraction}`
  // By hand: a regular expression for trailing zeros takes quadratic time on a long run of zeros within.
  let from = 0
  let to = digits.length
  while (digits[from] === '0') from++
  if (from === to) return `${sign}0`
  while (digits[to - 1] === '0') to--
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - to)
  const kept = digits.slice(from, to)
  return power === 0n ? `${sign}${kept}` : `${sign}${kept}e${power}`
}

/** Tells whether a double holds exactly the decimal value that a JSON number literal spells. */
export function isExact(literal: string): boolean {
  const value = Number(literal)
  const shortest = String(value)
  if (shortest === literal) return true
  if (!Number.isFinite(value) || Object.is(value, -0) || literal.length > 400) return false
  return decimalText(literal) === decimalText(shortest)
}

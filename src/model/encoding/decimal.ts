/**
 * Returns the canonical text of a JSON number: digits without outer zeros, then the exponent. `7.0`, `7` and `70e-1`
 * are `7`; `-0.0` is `-0`.
 */
export function decimalText(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)(\d+))?$/.exec(literal)
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', minus = '', exponent = '0'] = match
  const digits = `${whole}${fraction}`
  // By hand: a regular expression for trailing zeros takes quadratic time on a long run of zeros within.
  let from = 0
  let to = digits.length
  while (digits[from] === '0') from++
  if (from === to) return `${sign}0`
  while (digits[to - 1] === '0') to--
  const power = sum(minus === '-', exponent, digits.length - to - fraction.length)
  const kept = digits.slice(from, to)
  return power === '0' ? `${sign}${kept}` : `${sign}${kept}e${power}`
}

/** How many digits a double adds exactly. */
const CHUNK = 15
const CHUNK_SIZE = 10 ** CHUNK

/** Adds a small integer to one of any length, in linear time where BigInt would take more. */
function sum(negative: boolean, exponent: string, added: number): string {
  let zeros = 0
  while (exponent[zeros] === '0') zeros++
  const digits = exponent.slice(zeros)
  const sign = negative ? -1 : 1
  if (digits.length <= CHUNK) return String(sign * Number(digits) + added)
  const low = Number(digits.slice(-CHUNK)) + sign * added
  const carry = Math.floor(low / CHUNK_SIZE)
  const high = carried(digits.slice(0, -CHUNK), carry)
  const all = high + String(low - carry * CHUNK_SIZE).padStart(CHUNK, '0')
  return (negative ? '-' : '') + all.replace(/^0+/, '')
}

/** Adds 1, 0 or -1 to a positive integer. */
function carried(digits: string, carry: number): string {
  if (carry === 0) return digits
  const [full, empty] = carry > 0 ? ['9', '0'] : ['0', '9']
  let at = digits.length - 1
  while (digits[at] === full) at--
  const changed = at < 0 ? '1' : String(Number(digits[at]) + carry)
  return digits.slice(0, Math.max(at, 0)) + changed + empty.repeat(digits.length - 1 - at)
}

/** Returns whether a double holds exactly the decimal value of a JSON number. */
export function isExact(literal: string): boolean {
  const value = Number(literal)
  const shortest = String(value)
  if (shortest === literal) return true
  if (!Number.isFinite(value) || Object.is(value, -0)) return false
  return decimalText(literal) === decimalText(shortest)
}

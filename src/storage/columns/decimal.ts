import { isFoldable } from './varint.ts'

/** A number as an integer divided by a power of ten. */
export interface Decimal {
  readonly digits: number
  readonly places: number
}

/** The powers of ten that are exact as doubles, so that a quotient by one is rounded once, as in parsing. */
const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))

/** Gives a number as a decimal, where `valueOf` gives exactly the number back. */
export function decimalOf(value: number): Decimal | undefined {
  const [, whole, fraction] = /^(-?\d+)\.(\d+)$/.exec(String(value)) ?? []
  if (whole === undefined || fraction === undefined) return undefined
  const decimal = { digits: Number(whole + fraction), places: fraction.length }
  const exact = isFoldable(decimal.digits) && decimal.places < POWERS.length && valueOf(decimal) === value
  return exact ? decimal : undefined
}

/** Gives the number that a decimal stands for; NaN with too many places. */
export const valueOf = ({ digits, places }: Decimal): number => digits / (POWERS[places] ?? Number.NaN)

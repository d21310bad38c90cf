import { InvalidArgumentError } from 'commander'

/** Reads a whole number from 0. */
export function count(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It is not a whole number.')
  return number
}

/** Reads a number of seconds, fractions allowed. */
export function seconds(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is not a number of seconds.')
  return Number(text)
}

/** Reads a path: an empty one is a variable that is not set, and would mean another place. */
export function filled(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.')
  return text
}

/** Reads several paths. */
export const allFilled = (text: string, before: readonly string[] = []): string[] => [...before, filled(text)]

/** Gathers what an option is given each time. */
export const several = (value: string, before: readonly string[] = []): string[] => [...before, value]

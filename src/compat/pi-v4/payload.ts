import { SessionError } from './error.ts'

/**
 * Returns a copy of a value as JSON holds it. Throws `invalid_payload` where JSON would lose or change a part of it:
 * undefined, a function, a number that is not finite, an object of a class, a cycle. No recursion, however deep it is.
 */
export function copyPayload<T>(value: T): T {
  checkPayload(value)
  return JSON.parse(JSON.stringify(value)) as T
}

/** A value on the way down, or the end of a container that was gone through. */
type PayloadStep = { readonly value: unknown } | { readonly end: object }

function checkPayload(payload: unknown): void {
  const within = new Set<object>()
  const steps: PayloadStep[] = [{ value: payload }]
  for (let step = steps.pop(); step; step = steps.pop()) {
    if ('end' in step) {
      within.delete(step.end)
      continue
    }
    const { value } = step
    if (typeof value !== 'object' || value === null) {
      checkScalar(value)
      continue
    }
    if (within.has(value)) throw invalid('a cycle')
    within.add(value)
    steps.push({ end: value })
    for (const child of childrenOf(value)) steps.push({ value: child })
  }
}

function checkScalar(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('a non-finite number')
  if (['undefined', 'function', 'symbol', 'bigint'].includes(typeof value)) throw invalid(typeof value)
}

function childrenOf(value: object): readonly unknown[] {
  if (Object.getOwnPropertySymbols(value).length > 0) throw invalid('symbol')
  if (Array.isArray(value)) {
    if (Object.keys(value).length !== value.length) throw invalid('an array with unsupported properties')
    return value
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw invalid('a non-plain object')
  return Object.values(value)
}

const invalid = (what: string): SessionError =>
  new SessionError('invalid_payload', `Durable payload contains ${what}`)

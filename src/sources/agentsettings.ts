import { readFileSync } from 'node:fs'
import { kindOf, statOf } from './files.ts'

/** Returns a string from an agent's settings by its keys; undefined where it or the file is missing, or it is not JSON. */
export function settingOf(path: string, ...keys: readonly string[]): string | undefined {
  let value = readSettings(path)
  for (const key of keys) value = valueOf(value, key)
  return typeof value === 'string' ? value : undefined
}

/** Returns the value of an object's own key; undefined of any other value. */
export const valueOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined

/** Returns the JSON in a file of settings; undefined where it is missing, larger than a limit, or no JSON. */
export function readSettings(path: string, most = Number.POSITIVE_INFINITY): unknown {
  try {
    if (kindOf(path) !== 'file' || statOf(path).size > most) return undefined
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // An agent that cannot read its settings has none.
    if (error instanceof SyntaxError || (error instanceof Error && 'syscall' in error)) return undefined
    throw error
  }
}

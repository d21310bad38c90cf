import type { SqlRow, SqlValue } from './sqlite.ts'

/** Matches a JSON object or array on one line, except for objects that begin with a `$` tag. */
const EMBEDDED = /^(?:\{(?!"\$)|\[)[^\n\r]*$/

/** Returns the JSON text of a value. Values that JSON cannot represent become an object with a tag. */
function valueText(value: SqlValue): string {
  if (typeof value === 'bigint') return `{"$integer":"${value}"}`
  if (typeof value === 'number' && !Number.isFinite(value)) return `{"$real":"${value}"}`
  if (value instanceof Uint8Array) return `{"$blob":"${Buffer.from(value).toString('base64')}"}`
  return JSON.stringify(value)
}

/** Returns a string that is a JSON object or array unquoted, so that it becomes a part of its row; others as `valueText`. */
export function embedded(value: SqlValue = null): string {
  return typeof value === 'string' && isJsonContainer(value) ? value : valueText(value)
}

/** Returns bytes that are the UTF-8 of such a string as `{"$bytes": …}`, and any other value as `embedded` does. */
function embeddedOrBytes(value: SqlValue): string {
  if (!(value instanceof Uint8Array)) return embedded(value)
  const text = textOf(value)
  return text !== undefined && isJsonContainer(text) ? `{"$bytes":${text}}` : valueText(value)
}

function isJsonContainer(text: string): boolean {
  if (!EMBEDDED.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // an ordinary string
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined // not UTF-8
  }
}

/** Returns a row as a JSON object with its columns in order, except for `without`. Columns in `json` are embedded as JSON. */
export function rowText(
  row: SqlRow,
  {
    json = [],
    without = [],
  }: { readonly json?: readonly string[]; readonly without?: readonly string[] } = {},
): string {
  const columns = Object.entries(row).flatMap(([name, value]) =>
    without.includes(name)
      ? []
      : [`${JSON.stringify(name)}:${json.includes(name) ? embeddedOrBytes(value) : valueText(value)}`],
  )
  return `{${columns.join(',')}}`
}

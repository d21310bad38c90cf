import type { Row, Value } from './sqlite.ts'

/** A JSON object or list on one line, which no tag of a value begins. */
const EMBEDDED = /^(?:\{(?!"\$)|\[)[^\n\r]*$/

/** Gives the JSON text of a value: of one that JSON does not hold an object that names it, so that it comes back. */
function valueText(value: Value): string {
  if (typeof value === 'bigint') return `{"$integer":"${value}"}`
  if (typeof value === 'number' && !Number.isFinite(value)) return `{"$real":"${value}"}`
  if (value instanceof Uint8Array) return `{"$blob":"${Buffer.from(value).toString('base64')}"}`
  return JSON.stringify(value)
}

/** Gives a text that is JSON as it stands, so that it is read with its row; any other value as `valueText`. */
export function embedded(value: Value = null): string {
  if (typeof value !== 'string' || !EMBEDDED.test(value)) return valueText(value)
  try {
    JSON.parse(value)
    return value
  } catch {
    return valueText(value) // a text like any other
  }
}

/** Gives a row as a JSON object, its columns in their order, without some; those that hold JSON hold it open. */
export function rowText(
  row: Row,
  {
    json = [],
    without = [],
  }: { readonly json?: readonly string[]; readonly without?: readonly string[] } = {},
): string {
  const columns = Object.entries(row).flatMap(([name, value]) =>
    without.includes(name)
      ? []
      : [`${JSON.stringify(name)}:${json.includes(name) ? embedded(value) : valueText(value)}`],
  )
  return `{${columns.join(',')}}`
}

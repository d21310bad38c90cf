import type { SqlRow, SqlValue } from './sqlite.ts'

/** A JSON object or list on one line, which no tag of a value begins. */
const EMBEDDED = /^(?:\{(?!"\$)|\[)[^\n\r]*$/

/** Gives the JSON text of a value: of one that JSON does not hold an object that names it, so that it comes back. */
function valueText(value: SqlValue): string {
  if (typeof value === 'bigint') return `{"$integer":"${value}"}`
  if (typeof value === 'number' && !Number.isFinite(value)) return `{"$real":"${value}"}`
  if (value instanceof Uint8Array) return `{"$blob":"${Buffer.from(value).toString('base64')}"}`
  return JSON.stringify(value)
}

/** Gives a text that is JSON as it stands, so that it is read with its row; any other value as `valueText`. */
export function embedded(value: SqlValue = null): string {
  return typeof value === 'string' && isOpen(value) ? value : valueText(value)
}

/** Gives bytes that are the UTF-8 of such a text as an object that holds it; any other value as `embedded`. */
function unpacked(value: SqlValue): string {
  if (!(value instanceof Uint8Array)) return embedded(value)
  const text = textOf(value)
  return text !== undefined && isOpen(text) ? `{"$bytes":${text}}` : valueText(value)
}

function isOpen(text: string): boolean {
  if (!EMBEDDED.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // a text like any other
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined // bytes like any others
  }
}

/** Gives a row as a JSON object, its columns in their order, without some; those that hold JSON hold it open. */
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
      : [`${JSON.stringify(name)}:${json.includes(name) ? unpacked(value) : valueText(value)}`],
  )
  return `{${columns.join(',')}}`
}

import { SessError } from '../model/errors.ts'
import { asString, field, isObject } from '../model/json.ts'
import { parseJson } from '../model/value.ts'
import { type Append, check } from '../ops/append.ts'

/** What came of some lines: entries up to the first line that is none, and what is wrong with it. */
export interface Entries {
  readonly entries: readonly Append[]
  readonly wrong?: SessError
}

const LF = 10

/**
 * Gives the lines of a stream as they come, those together that came together, without the byte that ends
 * them: a newline, or a NUL with `zero`. The last one needs none.
 */
export async function* lineBatches(
  stream: AsyncIterable<Uint8Array>,
  zero = false,
): AsyncGenerator<Uint8Array[]> {
  const end = zero ? 0 : LF
  let begun: Uint8Array[] = []
  for await (const chunk of stream) {
    const lines: Uint8Array[] = []
    let from = 0
    for (let at = chunk.indexOf(end); at >= 0; at = chunk.indexOf(end, from)) {
      lines.push(joined([...begun, chunk.subarray(from, at)]))
      begun = []
      from = at + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
    if (lines.length > 0) yield lines
  }
  if (begun.length > 0) yield [joined(begun)]
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)

/** Reads lines as entries; `first` is the number of the first line. Empty lines are skipped. */
export function entriesOf(lines: readonly Uint8Array[], first: number): Entries {
  const entries: Append[] = []
  for (const [place, line] of lines.entries()) {
    try {
      const entry = entryOf(line)
      if (entry) entries.push(entry)
    } catch (error) {
      if (!(error instanceof SessError)) throw error
      return { entries, wrong: new SessError('bad-entry', `line ${first + place}: ${said(error)}`) }
    }
  }
  return { entries }
}

function entryOf(line: Uint8Array): Append | undefined {
  const text = utf8(line)
  if (text.trim() === '') return undefined
  const value = parseJson(text)?.value
  if (value === undefined) throw new SessError('bad-entry', 'it is no JSON')
  if (!isObject(value)) throw new SessError('bad-entry', 'it is no JSON object')
  const type = field(value, 'type')
  const body = field(value, 'body')
  if (body === undefined) throw new SessError('bad-entry', 'it has no body')
  if (type === undefined) return check({ body })
  const name = asString(type)
  if (name === undefined) throw new SessError('bad-entry', 'its type is no text')
  return check({ type: name, body })
}

/** What an error says behind its first words. */
const said = ({ message }: SessError): string => message.slice(message.indexOf(': ') + 2)

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SessError('bad-entry', 'it is no UTF-8', { cause })
  }
}

/** Gives all of a stream as one text. */
export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return utf8(joined(pieces))
}

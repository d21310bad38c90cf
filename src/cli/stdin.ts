import { SessError } from '../model/errors.ts'

const LF = 10

/** The largest line, and the largest text that is read whole, in bytes. */
const MAX_LINE = 128 * 2 ** 20

const megabytes = (bytes: number): string => `${bytes / 2 ** 20} MB`

/**
 * Yields the lines of standard input in batches as they arrive, without the byte that ends them: a newline, or a NUL with
 * `zero`. The last line needs none. Throws `unreadable-path` where a line has more than `most` bytes.
 */
export async function* lineBatches(
  stream: AsyncIterable<Uint8Array>,
  zero = false,
  most = MAX_LINE,
): AsyncGenerator<Uint8Array[]> {
  const end = zero ? 0 : LF
  let begun: Uint8Array[] = []
  let held = 0
  let count = 0
  for await (const chunk of stream) {
    const lines: Uint8Array[] = []
    let from = 0
    for (let at = chunk.indexOf(end); at >= 0; at = chunk.indexOf(end, from)) {
      lines.push(joined([...begun, chunk.subarray(from, at)]))
      begun = []
      held = 0
      from = at + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
    held += chunk.length - from
    count += lines.length
    if (lines.length > 0) yield lines
    if (held > most)
      throw unreadableInput(`line ${count + 1} has more than ${megabytes(most)}`, 'give it as shorter lines')
  }
  if (begun.length > 0) yield [joined(begun)]
}

const joined = (chunks: readonly Uint8Array[]): Uint8Array =>
  chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)

/** Returns the error for standard input that cannot be read. */
export const unreadableInput = (detail: string, hint: string): SessError =>
  new SessError('unreadable-path', 'standard input', { detail, hint })

/** Thrown where a stream is not text, or longer than allowed. */
export class NoText extends Error {
  override readonly name = 'NoText'
}

/** Returns all bytes of a stream. Throws the error that it is given if there are more than `most`. */
async function gather(
  stream: AsyncIterable<Uint8Array>,
  most: number,
  tooLong: (limit: string) => Error,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > most) throw tooLong(`more than ${megabytes(most)}`)
    chunks.push(chunk)
  }
  return joined(chunks)
}

/** Returns a stream as text. Throws `NoText` if it has more than `most` bytes, or is not UTF-8. */
export async function textWithin(stream: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const bytes = await gather(stream, most, (limit) => new NoText(limit))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new NoText('no UTF-8', { cause })
  }
}

/** Returns all of standard input. Throws `unreadable-path` if it has more than `most` bytes. */
export const inputBytes = (stream: AsyncIterable<Uint8Array>, most = MAX_LINE): Promise<Uint8Array> =>
  gather(stream, most, (limit) => unreadableInput(`it has ${limit}`, 'give a shorter text'))

/** Returns a secret from standard input: all of it but the last newline. Throws as `inputBytes`. */
export const secretFrom = async (stream: AsyncIterable<Uint8Array>): Promise<string> =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(await inputBytes(stream)).replace(/\r?\n$/, '')

/** Returns the first line of standard input, without white space around it. Throws as `lineBatches`. */
export async function lineFrom(stream: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const [line] of lineBatches(stream)) return new TextDecoder().decode(line).trim()
  return ''
}

import { collected } from '../model/async.ts'

const LF = 10

/**
 * Yields the lines of a stream in batches as they arrive, without the byte that ends them: a newline, or a NUL with
 * `zero`. The last line needs none.
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

const joined = (chunks: readonly Uint8Array[]): Uint8Array =>
  chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)

/** Thrown where a stream is not text, or longer than allowed. */
export class NoText extends Error {
  override readonly name = 'NoText'
}

/** Returns a stream as text. Throws `NoText` if it has more than `most` bytes, or is not UTF-8. */
export async function textWithin(stream: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > most) throw new NoText(`more than ${most / 2 ** 20} MB`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(joined(chunks))
  } catch (cause) {
    throw new NoText('no UTF-8', { cause })
  }
}

/** Returns a secret from standard input: all of it but the last newline. */
export async function secretFrom(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await collected(stream))
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

/** Returns the first line of a stream, without white space around it. */
export async function lineFrom(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return (text.split('\n')[0] ?? '').trim()
}

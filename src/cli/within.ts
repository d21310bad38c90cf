/** Thrown where a stream is no text, or a longer one than it may be. */
export class NoText extends Error {
  override readonly name = 'NoText'
}

/** Returns a stream as text. Throws `NoText` if it has more than so many bytes, or is not UTF-8. */
export async function textWithin(stream: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > most) throw new NoText(`more than ${most / 2 ** 20} MB`)
    pieces.push(piece)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
  } catch (cause) {
    throw new NoText('no UTF-8', { cause })
  }
}

/** Returns a DataView of bytes. */
export const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length)

/** Returns several byte sequences as one. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Sequences of up to this many bytes are joined in a reused buffer. */
const BUFFER_SIZE = 64 << 10

const buffer = new Uint8Array(BUFFER_SIZE)

/** Returns several byte sequences as one that is valid until the next call: to be hashed at once. */
export function joinedBriefly(chunks: readonly Uint8Array[]): Uint8Array {
  let at = 0
  for (const chunk of chunks) {
    if (at + chunk.length > BUFFER_SIZE) return joined(chunks)
    buffer.set(chunk, at)
    at += chunk.length
  }
  return buffer.subarray(0, at)
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns bytes as a text from which they can be restored: as UTF-8 or, if they are not valid, one character per byte.
 */
export function textOfBytes(bytes: Uint8Array): { text: string; encoding: 'utf8' | 'latin1' } {
  try {
    return { text: strict.decode(bytes), encoding: 'utf8' }
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' }
  }
}

/** Of each kind of value on the wire how many bytes it has: as many as a number says that stands before it, or its own. */
const LENGTHS: ReadonlyMap<number, 'none' | 'told' | number> = new Map<number, 'none' | 'told' | number>([
  [0, 'none'],
  [1, 8],
  [2, 'told'],
  [5, 4],
])

/** Gives what a message of protocol buffers holds under a number, in order; nothing where the bytes are no message. */
export function fieldsOf(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0
  const varint = (): number => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? Number.NaN
      value += (byte & 127) * scale
      if (!(byte >= 128)) return byte < 128 ? value : Number.NaN
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const length = LENGTHS.get(tag % 8)
    const told = length === 'none' || length === 'told' ? varint() : 0
    const from = at
    at += length === 'told' ? told : length === 'none' ? 0 : (length ?? Number.NaN)
    if (!(at <= bytes.length)) return []
    if (length === 'told' && Math.floor(tag / 8) === number) found.push(bytes.subarray(from, at))
  }
  return found
}

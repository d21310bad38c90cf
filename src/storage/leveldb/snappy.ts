/**
 * Unpacks what Snappy packed (format_description.txt of google/snappy), as LevelDB does with its blocks. Throws a
 * RangeError where it is none.
 */
export function decompressSnappy(bytes: Uint8Array): Uint8Array {
  let at = 0
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined) throw new RangeError('a packed block ends too early')
    return byte
  }
  const little = (width: number): number => {
    let value = 0
    for (let i = 0; i < width; i++) value += next() * 256 ** i
    return value
  }
  let size = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = next()
    size += (byte & 127) * scale
    if (byte < 128) break
  }
  // What is packed holds each of its bytes at least once per 64 that come out.
  if (size > 64 * bytes.length) throw new RangeError('a packed block says that it is larger than it can be')
  const out = new Uint8Array(size)
  let end = 0
  const room = (length: number): void => {
    if (end + length > size) throw new RangeError('a packed block holds more than it says')
  }
  while (at < bytes.length) {
    const tag = next()
    const kind = tag & 3
    if (kind === 0) {
      const short = tag >> 2
      const length = 1 + (short < 60 ? short : little(short - 59))
      room(length)
      if (at + length > bytes.length) throw new RangeError('a packed block ends too early')
      out.set(bytes.subarray(at, at + length), end)
      at += length
      end += length
      continue
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
    const back = kind === 1 ? (tag >> 5) * 256 + next() : little(kind === 2 ? 2 : 4)
    room(length)
    if (back === 0 || back > end) throw new RangeError('a packed block points before its beginning')
    // Byte by byte: what is copied may reach into what it makes.
    for (let i = 0; i < length; i++, end++) out[end] = out[end - back] as number
  }
  if (end !== size) throw new RangeError('a packed block holds less than it says')
  return out
}

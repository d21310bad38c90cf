/** Makes a Zstandard frame with one block that is not compressed. */
export function storedFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.alloc(12)
  head.writeUInt32LE(0xfd2fb528, 0)
  head.writeUInt8(0xa0, 4)
  head.writeUInt32LE(bytes.length, 5)
  head.writeUIntLE((bytes.length << 3) | 1, 9, 3)
  return Buffer.concat([head, bytes])
}

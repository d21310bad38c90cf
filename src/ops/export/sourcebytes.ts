import { Utf8Room } from '../../model/utf8room.ts'

/** Bytes are handed on this many at a time: to hand on a single line costs as much as to make it. */
export const ENOUGH = 64 << 10

/** Gives bytes in pieces that are worth handing on; what stands before damage is given all the same. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const room = new Utf8Room()
  try {
    for await (const piece of pieces) {
      room.bytes(piece)
      if (room.length >= ENOUGH) yield room.take()
    }
  } catch (error) {
    if (room.length > 0) yield room.take()
    throw error
  }
  if (room.length > 0) yield room.take()
}

/** Gives pieces of bytes as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** Pieces up to so many bytes are joined where there is room already. */
const ROOM = 64 << 10

const room = new Uint8Array(ROOM)

/** Gives pieces of bytes as one that is valid until it is called again: to be hashed at once. */
export function joinedBriefly(pieces: readonly Uint8Array[]): Uint8Array {
  let at = 0
  for (const piece of pieces) {
    if (at + piece.length > ROOM) return joined(pieces)
    room.set(piece, at)
    at += piece.length
  }
  return room.subarray(0, at)
}

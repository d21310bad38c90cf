const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const
const [P1_HIGH, P1_LOW] = [0x9e3779b1, 0x85ebca87]
const [P2_HIGH, P2_LOW] = [0xc2b2ae3d, 0x27d4eb4f]

/** Bytes that the four lanes take together. */
const STRIPE = 32

const wrapped = (value: bigint): bigint => BigInt.asUintN(64, value)
const turned = (value: bigint, by: bigint): bigint => wrapped((value << by) | (value >> (64n - by)))
const mixed = (input: bigint): bigint => wrapped(turned(wrapped(input * P2), 31n) * P1)

/** Gives the upper half of the product of a number of 32 bits and one of which the halves are given. */
function high(a: number, b1: number, b0: number): number {
  const a1 = a >>> 16
  const a0 = a & 0xffff
  const upper = Math.imul(a1, b0)
  const middle = (Math.imul(a0, b0) >>> 16) + (upper & 0xffff) + Math.imul(a0, b1)
  return (Math.imul(a1, b1) + (upper >>> 16) + (middle >>> 16)) | 0
}

/**
 * XXH64 (seed 0), the checksum of Zstandard's frames, of bytes that come in chunks. No package here has it. Lanes are
 * two halves of 32 bits, for whole numbers of 64 would take many times as long as all of the unpacking; only the end, once
 * a frame, is told in those.
 */
export class Xxh64 {
  /** The lanes: the upper half, then the lower one, of each. */
  readonly #lanes = new Int32Array(8)
  /** What is no whole stripe yet. */
  readonly #rest = new Uint8Array(STRIPE)
  #length = 0

  constructor() {
    for (const [i, lane] of [P1 + P2, P2, 0n, -P1].entries()) {
      this.#lanes[2 * i] = Number(BigInt.asIntN(32, lane >> 32n))
      this.#lanes[2 * i + 1] = Number(BigInt.asIntN(32, lane))
    }
  }

  update(bytes: Uint8Array): void {
    const waiting = this.#length % STRIPE
    this.#length += bytes.length
    let from = 0
    if (waiting > 0) {
      from = Math.min(bytes.length, STRIPE - waiting)
      this.#rest.set(bytes.subarray(0, from), waiting)
      if (waiting + from < STRIPE) return
      this.#take(this.#rest)
    }
    const to = bytes.length - ((bytes.length - from) % STRIPE)
    if (to > from) this.#take(bytes.subarray(from, to))
    this.#rest.set(bytes.subarray(to))
  }

  /** Takes whole stripes. */
  #take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (let lane = 0; lane < 4; lane++) {
      let upper = this.#lanes[2 * lane] as number
      let lower = this.#lanes[2 * lane + 1] as number
      for (let at = 8 * lane; at < bytes.length; at += STRIPE) {
        const inLower = view.getInt32(at, true)
        const inUpper = view.getInt32(at + 4, true)
        // The lane and the input times P2.
        const product = Math.imul(inLower, P2_LOW)
        const l = (lower + product) | 0
        const over = l >>> 0 < product >>> 0 ? 1 : 0
        const carried =
          high(inLower, 0x27d4, 0xeb4f) + Math.imul(inLower, P2_HIGH) + Math.imul(inUpper, P2_LOW)
        const u = (upper + carried + over) | 0
        // That turned by 31, times P1.
        const turnedUpper = (u << 31) | (l >>> 1)
        const turnedLower = (l << 31) | (u >>> 1)
        upper =
          (high(turnedLower, 0x85eb, 0xca87) +
            Math.imul(turnedLower, P1_HIGH) +
            Math.imul(turnedUpper, P1_LOW)) |
          0
        lower = Math.imul(turnedLower, P1_LOW)
      }
      this.#lanes[2 * lane] = upper
      this.#lanes[2 * lane + 1] = lower
    }
  }

  /** Gives the hash of all that was taken. */
  digest(): bigint {
    let hash = wrapped(this.#joined() + BigInt(this.#length))
    const rest = new DataView(this.#rest.buffer, 0, this.#length % STRIPE)
    let at = 0
    for (; at + 8 <= rest.byteLength; at += 8)
      hash = wrapped(turned(hash ^ mixed(rest.getBigUint64(at, true)), 27n) * P1 + P4)
    if (at + 4 <= rest.byteLength) {
      hash = wrapped(turned(hash ^ wrapped(BigInt(rest.getUint32(at, true)) * P1), 23n) * P2 + P3)
      at += 4
    }
    for (; at < rest.byteLength; at++)
      hash = wrapped(turned(hash ^ wrapped(BigInt(rest.getUint8(at)) * P5), 11n) * P1)
    hash = wrapped((hash ^ (hash >> 33n)) * P2)
    hash = wrapped((hash ^ (hash >> 29n)) * P3)
    return hash ^ (hash >> 32n)
  }

  #joined(): bigint {
    if (this.#length < STRIPE) return P5
    const lanes = [0, 1, 2, 3].map((i) => {
      const [upper, lower] = [this.#lanes[2 * i] as number, this.#lanes[2 * i + 1] as number]
      return (BigInt(upper >>> 0) << 32n) | BigInt(lower >>> 0)
    })
    const turns = [1n, 7n, 12n, 18n]
    const sum = lanes.reduce((all, lane, i) => all + turned(lane, turns[i] as bigint), 0n)
    return lanes.reduce((hash, lane) => wrapped((hash ^ mixed(lane)) * P1 + P4), wrapped(sum))
  }
}

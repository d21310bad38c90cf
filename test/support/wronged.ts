import type { Random } from './random.ts'

const HUGE = Buffer.from('ffffffffffffff0f', 'hex')

/** Returns bytes with something wrong in them, most often near their beginning. */
export function wronged(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(random.once(2) ? bytes.length : Math.min(bytes.length, 24))
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at + 1)]
  const byte = random.pick([0, 1, 127, 255, random.below(256)])
  return Buffer.concat(
    random.pick([
      [],
      [before],
      [before, behind],
      [before, Uint8Array.of(byte), behind],
      [before, HUGE, behind],
      [before, HUGE.subarray(4), behind],
    ]),
  )
}

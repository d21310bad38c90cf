import { BlockItems, decompressedSize, decompressPrefix, endOfItem } from './block.ts'

/** The lengths of items stand at the beginning of a block: so many of its packed bytes tell them. */
const LENGTHS = 16 << 10
/** Items take other parts of the packed bytes than of their own: up to so many times as much. */
const UNEVEN = 1.25
/** Of a block of which more than this is needed all is unpacked. */
const MOST = 0.75

/**
 * Gives the items of a packed block up to one and some more, where they are few enough to be unpacked alone; else
 * undefined. Throws `corrupt`.
 */
export function itemsUpTo(packed: Uint8Array, index: number): BlockItems | undefined {
  const size = decompressedSize(packed)
  const most = MOST * packed.length
  if (size === undefined || LENGTHS > most) return undefined
  const beginning = decompressPrefix(packed, LENGTHS)
  const end = endOfItem(beginning, index)
  if (end === undefined) return undefined
  if (end <= beginning.length) return new BlockItems(beginning, false)
  const count = Math.ceil((UNEVEN * packed.length * end) / size) + LENGTHS
  if (count > most) return undefined
  const items = new BlockItems(decompressPrefix(packed, count), false)
  return index < items.length ? items : undefined
}

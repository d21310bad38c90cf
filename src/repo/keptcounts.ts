import { decodeStored, encode } from '../model/encoding/canonical.ts'
import type { Json } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { Spending } from '../model/spending.ts'
import { wellFormed } from '../storage/ioerrors.ts'
import { undefinedIfCorrupt } from '../storage/levelbackend/blockreader.ts'
import { compressNow, decompress } from '../storage/levelbackend/compression.ts'

/** The usage of sessions that share entries, counted from their records. */
export type FamilyCount = {
  /** By session: the usage that no session before it counts. */
  readonly spent: { readonly [session: string]: Pick<Spending, 'models' | 'rows'> }
  /** By session: the sessions before it with entries of it that have usage. */
  readonly sharing: { readonly [session: string]: readonly string[] }
}

/** Counts by the key of a family, which changes with its logs. */
export type FamilyCounts = ReadonlyMap<string, FamilyCount>

/** Increment it when a count gets another meaning. */
const VERSION = 1

const QUALITY = 5

export const encodeCounts = (counts: FamilyCounts): Uint8Array =>
  compressNow(encode([VERSION, Object.fromEntries(counts) as Json]), QUALITY)

/** Decodes counts. Malformed ones, and those of another version, count as none. */
export function decodeCounts(bytes: Uint8Array): FamilyCounts {
  const counts = undefinedIfCorrupt(() =>
    wellFormed('the counts of shared usage', () => {
      const [version, byKey] = decodeStored(decompress(bytes)) as [Json, Json]
      return version === VERSION && isObject(byKey) ? byKey : {}
    }),
  )
  return new Map(Object.entries((counts ?? {}) as { readonly [key: string]: FamilyCount }))
}

import type { Facts, Reader } from '../format.ts'

const BLOBS = /"blob:sha256:([0-9a-f]{64})"/g

/** Lets a reader tell which blobs the records name. */
export function namingBlobs(reader: Reader): Reader {
  const blobs = new Set<string>()
  return {
    read(unit) {
      if (unit.text?.includes('blob:sha256:'))
        for (const [, sha256] of unit.text.matchAll(BLOBS)) blobs.add(sha256 as string)
      return reader.read(unit)
    },
    active: () => reader.active(),
    facts: (): Facts => ({ ...reader.facts(), ...(blobs.size > 0 && { blobs }) }),
  }
}

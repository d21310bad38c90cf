import { type Oid, oidOf, writeBytesOf } from '../model/encoding/oid.ts'
import { digitsOf, numberedName } from '../model/numberedbranch.ts'
import type { BlobId } from '../model/record.ts'
import type { SourceHead } from '../model/refs/values.ts'
import type { Reader } from './reader.ts'
import { MOST_BRANCHES } from './session.ts'
import type { Writer } from './writeaccess.ts'

/** Branches of a source by their names. */
export type ImportedBranches = SourceHead['branches']

/** A numbered branch in a blob: the bytes of its digits, and its oid. */
const DIGITS = 4
const BYTES = DIGITS + 32

/** The most branches in one blob: half a megabyte. */
const PART = Math.floor((512 << 10) / BYTES)

/** Returns the branches of a source as the last import set them. */
export async function importedBranches(
  reader: Pick<Reader, 'readBlob'>,
  { branches, numbered = [] }: Pick<SourceHead, 'branches' | 'numbered'>,
): Promise<ImportedBranches> {
  if (numbered.length === 0) return branches
  const all = { ...branches }
  for (const blob of numbered) {
    const bytes = await reader.readBlob(blob)
    for (let at = 0; at + BYTES <= bytes.length; at += BYTES) {
      const digits = Buffer.from(bytes.buffer, bytes.byteOffset + at, DIGITS).toString('hex')
      all[numberedName(digits)] = oidOf(bytes.subarray(at + DIGITS, at + BYTES))
    }
  }
  return all
}

/**
 * Returns a head as it is stored: of very many branches the numbered ones are in blobs, because lists and single entries
 * need the head, and not these.
 */
export function withNumberedApart<H extends SourceHead>(
  writer: Pick<Writer, 'putBlob'>,
  stored: H,
): Omit<H, 'numbered'> & Pick<SourceHead, 'numbered'> {
  const { numbered: _, ...head } = stored
  const branches = Object.entries(head.branches)
  if (branches.length <= MOST_BRANCHES) return head
  const others: (readonly [name: string, oid: Oid])[] = []
  const numbered: (readonly [digits: string, oid: Oid])[] = []
  for (const [name, oid] of branches) {
    const digits = digitsOf(name)
    if (digits === undefined) others.push([name, oid])
    else numbered.push([digits, oid])
  }
  const blobs: BlobId[] = []
  for (let from = 0; from < numbered.length; from += PART) {
    const part = numbered.slice(from, from + PART)
    const bytes = Buffer.alloc(part.length * BYTES)
    for (const [i, [digits, oid]] of part.entries()) {
      writeBytesOf(digits, bytes, i * BYTES)
      writeBytesOf(oid, bytes, i * BYTES + DIGITS)
    }
    blobs.push(writer.putBlob(bytes))
  }
  return { ...head, branches: Object.fromEntries(others), numbered: blobs }
}

import type { BlobRef } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { sha256 } from '../../model/sha256.ts'
import { removeChecksum } from '../checksum.ts'
import { decodeBlobRef } from '../levelbackend/blob.ts'
import { decodeEntryPage } from '../levelbackend/entrypagecodec.ts'
import { blobKey, type Key, numberAt, OID_BYTES, SPACE, spaceKey } from '../levelbackend/keys.ts'
import type { Objects } from '../levelbackend/objects.ts'
import { areRows } from '../levelbackend/rows.ts'
import type { LevelParts } from '../levelbackend/transaction.ts'
import { wordProblems } from '../search/wordindex.ts'

/** Verifies what only storage can see, and yields a line for each problem. */
export async function* storageProblems({ store, objects, counters }: LevelParts): AsyncGenerator<string> {
  for await (const [key, value] of store.scan(spaceKey(SPACE.oid))) {
    if (!areRows(value) || key.length !== 1 + OID_BYTES) yield 'an index value has a wrong length'
  }
  for await (const [key, value] of store.scan(spaceKey(SPACE.page))) {
    const problem = pageProblem(key, value)
    if (problem !== undefined) yield problem
  }
  for await (const [key, value] of store.scan(spaceKey(SPACE.blob)))
    yield* problems(() => blobProblem(objects, key, decodeBlobRef(key, value)))
  for (const space of [SPACE.source, SPACE.coverage, SPACE.list, SPACE.commit, SPACE.counters])
    for await (const [key, value] of store.scan(spaceKey(space)))
      yield* problems(() => void removeChecksum(key, value, 'a cached value'))
  yield* wordProblems(store, counters.indexed)
}

/** Returns the problem that a check returns or throws, as a list. */
function problems(check: () => string | undefined): string[] {
  try {
    const problem = check()
    return problem === undefined ? [] : [problem]
  } catch (error) {
    if (error instanceof SessError) return [error.message]
    throw error
  }
}

function pageProblem(key: Key, value: Uint8Array): string | undefined {
  const start = numberAt(key, 1, 6)
  try {
    const page = decodeEntryPage(start, removeChecksum(key, value, `the page at ${start}`))
    return page.hasValidOids() ? undefined : `the page at ${start} has an oid that is not its entry's`
  } catch (error) {
    // Reading the entries of a damaged page reports each of them.
    if (error instanceof SessError) return undefined
    throw error
  }
}

function blobProblem(objects: Objects, key: Key, { block, index }: BlobRef): string | undefined {
  const item = objects.item(block, index)
  return Buffer.compare(blobKey(sha256(item)), key) === 0 ? undefined : 'a blob is not what its digest says'
}

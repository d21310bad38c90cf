import type { BlobRef } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { sha256 } from '../../model/hash.ts'
import { all, blobKey, type Key, numberAt, OID_BYTES, SPACE } from '../level/keys.ts'
import type { Objects } from '../level/objects.ts'
import { isRows, openPlace } from '../level/place.ts'
import { decodeRun } from '../level/entrypagecodec.ts'
import { unseal } from '../checksum.ts'
import type { Parts } from '../level/transaction.ts'
import { wordProblems } from '../search/wordindex.ts'

/** Checks what only storage can see, and gives what is wrong, a line each. */
export async function* storageProblems({ table, objects, counters }: Parts): AsyncGenerator<string> {
  for await (const [key, value] of table.scan(all(SPACE.oid))) {
    if (!isRows(value) || key.length !== 1 + OID_BYTES) yield 'an index value has a wrong length'
  }
  for await (const [key, value] of table.scan(all(SPACE.run))) {
    const problem = runProblem(key, value)
    if (problem !== undefined) yield problem
  }
  for await (const [key, value] of table.scan(all(SPACE.blob)))
    yield* problems(() => blobProblem(objects, key, openPlace(key, value)))
  for (const space of [SPACE.source, SPACE.extent, SPACE.list, SPACE.commit, SPACE.counters])
    for await (const [key, value] of table.scan(all(space)))
      yield* problems(() => void unseal(key, value, 'a cached value'))
  yield* wordProblems(table, counters.indexed)
}

/** Gives the problem that a check gives or throws. */
function problems(check: () => string | undefined): string[] {
  try {
    const problem = check()
    return problem === undefined ? [] : [problem]
  } catch (error) {
    if (error instanceof SessError) return [error.message]
    throw error
  }
}

function runProblem(key: Key, value: Uint8Array): string | undefined {
  const start = numberAt(key, 1, 6)
  try {
    const run = decodeRun(start, unseal(key, value, `the run at ${start}`))
    return run.isSound() ? undefined : `the run at ${start} has an oid that is not its entry's`
  } catch (error) {
    // Who reads the entries of a run that is damaged tells of each.
    if (error instanceof SessError) return undefined
    throw error
  }
}

function blobProblem(objects: Objects, key: Key, { block, index }: BlobRef): string | undefined {
  const item = objects.item(block, index)
  return Buffer.compare(blobKey(sha256(item)), key) === 0 ? undefined : 'a blob is not what its digest says'
}

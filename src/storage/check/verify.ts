import type { BlobRef } from '../../model/encoding/canonical.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { SessError } from '../../model/errors.ts'
import { removeChecksum } from '../checksum.ts'
import { decodeBlobRef } from '../levelbackend/blob.ts'
import { type Counters, MAX_COUNTS } from '../levelbackend/counters.ts'
import { decodeEntryPage } from '../levelbackend/entrypagecodec.ts'
import { blobKey, type Key, logNumberOf, numberAt, prefixEnd, SPACE, spaceKey } from '../levelbackend/keys.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import type { Objects } from '../levelbackend/objects.ts'
import type { LevelParts } from '../levelbackend/transaction.ts'
import { wordProblems } from '../search/wordindex.ts'

/** Verifies what only storage can see, and yields a line for each problem. */
export async function* storageProblems({
  store,
  objects,
  counters,
  zones,
}: LevelParts): AsyncGenerator<string> {
  for await (const [key, value] of store.scan(spaceKey(SPACE.page))) {
    const problem = pageProblem(key, value)
    if (problem !== undefined) yield problem
  }
  for await (const [key, value] of store.scan(spaceKey(SPACE.blob)))
    yield* problems(() => blobProblem(objects, key, decodeBlobRef(key, value)))
  for (const space of [SPACE.source, SPACE.reader, SPACE.coverage, SPACE.list, SPACE.commit, SPACE.counters])
    for await (const [key, value] of store.scan(spaceKey(space)))
      yield* problems(() => void removeChecksum(key, value, 'a cached value'))
  yield* counterProblems(store, counters)
  yield* logProblems(store)
  yield* zones.problems()
  yield* wordProblems(store, objects, counters.indexed)
}

/** Yields what is wrong with the counters: what they number next would fit nowhere, or take the place of something. */
async function* counterProblems(store: KeyValueStore, counters: Counters): AsyncGenerator<string> {
  const problem = counters.problem()
  if (problem !== undefined) yield problem
  const spaces = { row: SPACE.page, block: SPACE.block, operation: SPACE.operation } as const
  for (const name of ['row', 'block', 'operation'] as const)
    for await (const [key] of store.scan(spaceKey(spaces[name]), true)) {
      const last = numberAt(key, 1, 6)
      if (last >= counters[name])
        yield `${name} ${last} is stored, and the next one would be ${counters[name]}`
      break
    }
}

/** Yields that there are records of logs whose numbers are in no name of a log. */
async function* logProblems(store: KeyValueStore): AsyncGenerator<string> {
  const space = spaceKey(SPACE.log)
  for await (const key of store.keys(space, prefixEnd(space)))
    if (logNumberOf(key) > MAX_COUNTS.log)
      yield `there are records of a log with the number ${logNumberOf(key)}`
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

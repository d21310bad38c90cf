import { SessError } from '../../model/errors.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { readError, wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { COMMIT_LOG, commitKey, numberAt, prefixEnd, SPACE, spaceKey } from './keys.ts'
import type { KeyChange, KeyValueDatabase } from './keyvalue.ts'

/**
 * The write-ahead log is a range of keys of the database itself: one value per group of commits, under consecutive
 * numbers, from the first group that is not checkpointed. A checkpoint writes what the groups did to its own keys and
 * deletes their values in the same batch.
 */

const BEGIN = 'the begin of the write-ahead log'

/** The number and the bytes of a group of commits. */
export type LoggedGroup = readonly [number: number, bytes: Uint8Array]

/** Returns the number of the first group that is not checkpointed. */
export function firstLoggedGroup(level: KeyValueDatabase): number {
  const begin = level.getSync(COMMIT_LOG)
  return begin
    ? wellFormed(BEGIN, () => new ByteReader(removeChecksum(COMMIT_LOG, begin, BEGIN)).varint())
    : 0
}

/** Returns the groups from a number on, up to the first that is missing. */
export function* readCommitLog(level: KeyValueDatabase, from: number): Generator<LoggedGroup> {
  for (let number = from; ; number++) {
    const key = commitKey(number)
    const value = level.getSync(key)
    if (value === undefined) return
    yield [number, removeChecksum(key, value, `commit ${number} of the write-ahead log`)]
  }
}

/** Returns the write of one group, whose bytes may be in pieces. */
export function logGroup(number: number, pieces: readonly Uint8Array[]): KeyChange {
  const key = commitKey(number)
  return { type: 'put', key, value: addChecksum(key, ...pieces) }
}

/** Returns what removes the groups from one number up to another, which is then the first. */
export function trimCommitLog(from: number, to: number): KeyChange[] {
  const begin = new ByteWriter()
  begin.varint(to)
  const changes: KeyChange[] = [
    { type: 'put', key: COMMIT_LOG, value: addChecksum(COMMIT_LOG, begin.view()) },
  ]
  for (let number = from; number < to; number++) changes.push({ type: 'del', key: commitKey(number) })
  return changes
}

/** Throws `corrupt` where a group is lost and later ones are there: opening would write over them. */
export async function checkCommitLog(level: KeyValueDatabase): Promise<void> {
  let next = firstLoggedGroup(level)
  const keys = level.keys({ gt: COMMIT_LOG, lt: prefixEnd(spaceKey(SPACE.commit)) })
  try {
    for (;;) {
      const found = await keys.nextv(1000)
      if (found.length === 0) return
      for (const key of found) {
        if (numberAt(key, 1, 6) !== next++)
          throw new SessError(
            'corrupt',
            `commit ${next - 1} of the write-ahead log is lost, and more follows it`,
          )
      }
    }
  } catch (error) {
    throw readError(error)
  } finally {
    await keys.close()
  }
}

import { SessError } from '../../model/errors.ts'
import { ByteSink, ByteSource } from '../varint.ts'
import { readFault, wellFormed } from '../ioerrors.ts'
import { all, behind, numberAt, SPACE, WAL, walKey } from './keys.ts'
import type { Change, Level } from './keyvalue.ts'
import { seal, unseal } from '../checksum.ts'

/**
 * The write-ahead log is a range of keys of the database itself: one value per group of commits, under consecutive
 * numbers, from the first group that is not checkpointed. A checkpoint writes what the groups did to its own keys and
 * deletes their values in the same batch.
 */

const BEGIN = 'the begin of the write-ahead log'

/** The number and the bytes of a group of commits. */
export type Numbered = readonly [number: number, bytes: Uint8Array]

/** Returns the number of the first group that is not checkpointed. */
export function firstInWal(level: Level): number {
  const begin = level.getSync(WAL)
  return begin ? wellFormed(BEGIN, () => new ByteSource(unseal(WAL, begin, BEGIN)).varint()) : 0
}

/** Returns the groups from a number on, up to the first that is missing. */
export function* readWal(level: Level, from: number): Generator<Numbered> {
  for (let number = from; ; number++) {
    const key = walKey(number)
    const value = level.getSync(key)
    if (value === undefined) return
    yield [number, unseal(key, value, `commit ${number} of the write-ahead log`)]
  }
}

/** Returns the write of one group, whose bytes may be in pieces. */
export function walPut(number: number, pieces: readonly Uint8Array[]): Change {
  const key = walKey(number)
  return { type: 'put', key, value: seal(key, ...pieces) }
}

/** Returns what removes the groups from one number up to another, which is then the first. */
export function walTrim(from: number, to: number): Change[] {
  const begin = new ByteSink()
  begin.varint(to)
  const changes: Change[] = [{ type: 'put', key: WAL, value: seal(WAL, begin.view()) }]
  for (let number = from; number < to; number++) changes.push({ type: 'del', key: walKey(number) })
  return changes
}

/** Throws `corrupt` where a group is lost and later ones are there: opening would write over them. */
export async function checkWal(level: Level): Promise<void> {
  let next = firstInWal(level)
  const keys = level.keys({ gt: WAL, lt: behind(all(SPACE.commit)) })
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
    throw readFault(error)
  } finally {
    await keys.close()
  }
}

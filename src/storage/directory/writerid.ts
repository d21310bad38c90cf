import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { SessError } from '../../model/errors.ts'
import type { WriterId } from '../../model/record.ts'
import { type FolderId, readIdentity, writeIdentity } from './directory.ts'

/** The surroundings that a writer id depends on. */
export interface WriterOptions {
  readonly random?: (bytes: number) => Uint8Array
  readonly host?: string
}

/**
 * Returns the writer id of a store folder, and draws another one where the folder is not the one that the id was drawn
 * for: a copy must never continue the logs of the original. A folder that was renamed on its device keeps its id.
 *
 * Call it only while holding the database to write it, because two processes would draw two ids. Throws `no-store`, and
 * `cannot-write` where a new id cannot be written down. A copy of a whole disk on a host of the same name is not
 * recognised.
 */
export function writerId(
  dir: string,
  { random = randomBytes, host = hostname() }: WriterOptions = {},
): WriterId {
  const identity = readIdentity(dir)
  if (!identity) throw new SessError('no-store', dir)
  const here = folderId(dir, host)
  const { writer } = identity
  if (writer && isSame(writer, here)) return writer.id as WriterId
  const id = Buffer.from(random(8)).toString('hex')
  writeIdentity(dir, { ...identity, writer: { id, ...here } })
  return id as WriterId
}

/** Returns the writer id that was drawn last: for a dry run, which writes nothing under it. */
export const lastWriter = (dir: string): WriterId =>
  (readIdentity(dir)?.writer?.id ?? '0'.repeat(16)) as WriterId

function folderId(dir: string, host: string): FolderId {
  const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true })
  return { device: `${dev}`, inode: `${ino}`, born: `${birthtimeNs}`, host }
}

const isSame = (a: FolderId, b: FolderId): boolean =>
  a.device === b.device && a.inode === b.inode && a.born === b.born && a.host === b.host

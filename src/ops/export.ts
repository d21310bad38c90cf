import { joined } from '../model/bytes.ts'
import { BlobRef } from '../model/canonical.ts'
import type { Backend } from '../repo/backend.ts'
import { bytesOfRecord } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import type { SourceHead } from '../repo/session.ts'
import { nativeLines } from './native.ts'

/** Gives the first `limit` bytes of a source as they were read, in pieces. */
export async function* sourceBytes(
  backend: Backend,
  source: SourceHead,
  limit = source.bytes,
): AsyncGenerator<Uint8Array> {
  yield* limited(gathered(allBytes(backend, source)), limit)
}

/** Pieces are handed on this many bytes at a time: to hand on a single line costs as much as to make it. */
const PIECE = 64 << 10

async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of pieces) {
      waiting.push(piece)
      size += piece.length
      if (size < PIECE) continue
      yield joined(waiting)
      waiting = []
      size = 0
    }
  } catch (error) {
    // What stands before damage is given all the same.
    if (size > 0) yield joined(waiting)
    throw error
  }
  if (size > 0) yield joined(waiting)
}

async function* allBytes(backend: Backend, source: SourceHead): AsyncGenerator<Uint8Array> {
  for await (const [, record] of backend.records(source.log, 0, source.count))
    yield* bytesOfRecord(backend, record)
  for (const [block, index] of source.tail) yield await backend.bytes(new BlobRef(block, index))
}

/**
 * Gives a session as bytes: its source as it was imported, the first `bytes` of it where that is said; a session
 * that came from no file as one JSON line per entry. Throws `no-session`.
 */
export async function* exportSession(
  repo: Repo,
  session: string,
  { bytes }: { readonly bytes?: number } = {},
): AsyncGenerator<Uint8Array> {
  yield* repo.stream(async function* (backend) {
    const found = await resolveSession(backend, session, repo.env.cwd)
    if (found.source) yield* sourceBytes(backend, found.source, bytes)
    else yield* limited(nativeLines(backend, found), bytes)
  })
}

async function* limited(
  pieces: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let left = limit
  for await (const piece of pieces) {
    if (left <= 0) return
    yield piece.length <= left ? piece : piece.subarray(0, left)
    left -= piece.length
  }
}

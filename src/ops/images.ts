import { type Awaitable, collected } from '../model/async.ts'
import { joined } from '../model/bytes.ts'
import { blobRef, fileRef } from '../model/refname.ts'
import type { Block, View } from '../model/view.ts'
import { findRef } from '../repo/findref.ts'
import type { Reader } from '../repo/reader.ts'
import { bytesOfRecord, readRecords } from '../repo/records.ts'
import type { FileHead } from '../repo/session.ts'
import { blobName } from '../sources/sidecarfiles.ts'

/** Returns a view with the bytes of the images whose files the store has; other images stay as they are. */
export const withBlobs = (reader: Reader, view: View, full: boolean): Awaitable<View> =>
  view.blocks.some(isAway) ? blobsPutBack(reader, view, full) : view

async function blobsPutBack(reader: Reader, view: View, full: boolean): Promise<View> {
  const blocks: Block[] = []
  for (const block of view.blocks) blocks.push(isAway(block) ? await found(reader, block, full) : block)
  return { ...view, blocks }
}

type Away = Extract<Block, { readonly kind: 'image' }> & { readonly blob: string }

const isAway = (block: Block): block is Away => block.kind === 'image' && block.blob !== undefined

async function found(reader: Reader, block: Away, full: boolean): Promise<Block> {
  const { blob, ...image } = block
  const owner = await findRef(reader, blobRef(blob))
  const head = owner && (await findRef(reader, fileRef(owner.session, blobName(blob))))
  if (!head || head.expunged) return block
  if (!full) return { ...image, bytes: head.bytes }
  const bytes = joined(await collected(bytesOfFile(reader, head)))
  return { ...image, bytes: bytes.length, data: Buffer.from(bytes).toString('base64') }
}

/** Yields the bytes of a sidecar file of a session, in chunks. */
export async function* bytesOfFile(reader: Reader, { log, count }: FileHead): AsyncGenerator<Uint8Array> {
  for await (const [, record] of readRecords(reader, log, 0, count)) yield* bytesOfRecord(reader, record)
}

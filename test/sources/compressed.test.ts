import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { compressed, isCompressed } from '../../src/sources/compressed.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { newFolder } from '../support/folder.ts'

async function unpackedFrom(name: string, bytes: Uint8Array, most?: number): Promise<string> {
  const path = join(newFolder(), name)
  writeFileSync(path, bytes)
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  try {
    const content = compressed(path, scratch, most)
    if (!content) return 'not compressed'
    const { file, size } = await content.open()
    const text = readFileSync(file, 'utf8')
    expect(size).toBe(Buffer.byteLength(text))
    return `${content.packing} ${content.name}: ${text}`
  } finally {
    scratch.close()
  }
}

it('knows compressed files by their names', () => {
  expect(['a.jsonl.gz', 'a.ZST', 'a.jsonl', 'gz'].map(isCompressed)).toEqual([true, true, false, false])
})

it('gives what they unpack to, under the name without its ending', async () => {
  const text = 'a line\n'.repeat(100_000)
  expect(await unpackedFrom('s.jsonl.gz', gzipSync(text))).toBe(`gzip s.jsonl: ${text}`)
  const two = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')])
  expect(await unpackedFrom('s.jsonl.gz', two)).toBe('gzip s.jsonl: one\ntwo\n')
})

it('reads Zstandard, also of several frames', async () => {
  const frame = zstdRaw('{"a":1}\n')
  expect(await unpackedFrom('s.jsonl.zst', frame)).toBe('zstd s.jsonl: {"a":1}\n')
  expect(await unpackedFrom('s.zst', Buffer.concat([frame, frame]))).toBe('zstd s: {"a":1}\n{"a":1}\n')
})

/** Makes a frame of Zstandard (RFC 8878) with one raw block. */
function zstdRaw(text: string): Buffer {
  const content = Buffer.from(text)
  const block = Buffer.alloc(3)
  block.writeUIntLE((content.length << 3) | 1, 0, 3)
  return Buffer.concat([Buffer.from('28b52ffd20', 'hex'), Buffer.from([content.length]), block, content])
}

it('takes a file for what it is, not for what it is called', async () => {
  expect(await unpackedFrom('s.jsonl.gz', Buffer.from('{"a":1}\n'))).toBe('not compressed')
})

it.each([
  ['s.gz', gzipSync('much'.repeat(100)).subarray(0, 20)],
  ['s.zst', zstdRaw('{"a":1}\n').subarray(0, 12)],
])('refuses %s that ends too early', async (name, bytes) => {
  await expect(unpackedFrom(name, bytes)).rejects.toMatchObject({ code: 'unreadable-path' })
})

it('stops at a file that unpacks to far more than it is', async () => {
  const zeros = gzipSync(Buffer.alloc(3 << 20))
  await expect(unpackedFrom('bomb.gz', zeros, 1 << 20)).rejects.toThrow(/unpacks to more than \d+ bytes/)
})

it('leaves nothing behind', async () => {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const { file, close } = await scratch.keep([Buffer.from('a')])
  const other = await scratch.keep([Buffer.from('b')])
  close()
  expect([existsSync(file), existsSync(other.file)]).toEqual([false, true])
  scratch.close()
  expect(existsSync(other.file)).toBe(false)
})

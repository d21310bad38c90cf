import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { expect, it } from 'vitest'
import { compressedContent, isCompressed } from '../../src/sources/compressed.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { newFolder } from '../support/folder.ts'

const { gzipSync } = zlib

async function unpackedFrom(name: string, bytes: Uint8Array, most?: number): Promise<string> {
  const path = join(newFolder(), name)
  writeFileSync(path, bytes)
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  try {
    const content = compressedContent(path, scratch, most)
    if (!content) return 'not compressed'
    const { file, size } = await content.open()
    const text = readFileSync(file, 'utf8')
    expect(size).toBe(Buffer.byteLength(text))
    return `${content.packing} ${content.name}: ${text}`
  } finally {
    scratch.close()
  }
}

it('recognizes compressed files by their names', () => {
  expect(['a.jsonl.gz', 'a.ZST', 'a.jsonl', 'gz'].map(isCompressed)).toEqual([true, true, false, false])
})

it('decompresses them, under the name without the extension', async () => {
  const text = 'a line\n'.repeat(100_000)
  expect(await unpackedFrom('s.jsonl.gz', gzipSync(text))).toBe(`gzip s.jsonl: ${text}`)
  const two = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')])
  expect(await unpackedFrom('s.jsonl.gz', two)).toBe('gzip s.jsonl: one\ntwo\n')
})

it('reads Zstandard, also of several frames', async () => {
  const frame = zstdRaw('{"a":1}\n')
  expect(await unpackedFrom('s.jsonl.zst', frame)).toBe('zstd s.jsonl: {"a":1}\n')
  expect(await unpackedFrom('s.zst', Buffer.concat([frame, frame]))).toBe('zstd s: {"a":1}\n{"a":1}\n')
  expect(await unpackedFrom('s.zst', zstdRaw(''))).toBe('zstd s: ')
  expect(await unpackedFrom('s.zst', checked(0x5b, 0x6e, 0x8c, 0xa9))).toBe('zstd s: a')
})

/** Makes a frame of Zstandard (RFC 8878) with one raw block. */
function zstdRaw(text: string): Buffer {
  const content = Buffer.from(text)
  const head = Buffer.alloc(3)
  head.writeUIntLE((content.length << 3) | 1, 0, 3)
  return Buffer.concat([Buffer.from('28b52ffd20', 'hex'), Buffer.from([content.length]), head, content])
}

it('goes by the content of a file, not by its name', async () => {
  expect(await unpackedFrom('s.jsonl.gz', Buffer.from('{"a":1}\n'))).toBe('not compressed')
})

it.each([
  ['s.gz', gzipSync('much'.repeat(100)).subarray(0, 20)],
  ['s.zst', zstdRaw('{"a":1}\n').subarray(0, 12)],
])('refuses %s that ends too early', async (name, bytes) => {
  await expect(unpackedFrom(name, bytes)).rejects.toMatchObject({ code: 'unreadable-path' })
})

it('stops at a decompression bomb', async () => {
  const zeros = gzipSync(Buffer.alloc(3 << 20))
  await expect(unpackedFrom('bomb.gz', zeros, 1 << 20)).rejects.toThrow(/unpacks to more than \d+ bytes/)
})

/** Makes a block of Zstandard: 0 raw, 1 one byte for many, 2 compressed. */
function block(kind: number, size: number, bytes: readonly number[], isLast: boolean): Buffer {
  const head = Buffer.alloc(3)
  head.writeUIntLE((size << 3) | (kind << 1) | Number(isLast), 0, 3)
  return Buffer.concat([head, Buffer.from(bytes)])
}

/** The magic number and a descriptor: they hold only the window, 0x58 for 2 MiB, 0x88 for 128 MiB. */
const frameOf = (window: number, ...blocks: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]), ...blocks])

/** A frame that holds 'a', and the lower half of what XXH64 makes of it, or of something else. */
function checked(...checksum: readonly number[]): Buffer {
  const frame = frameOf(0x58, block(0, 1, [97], true))
  frame[4] = 4
  return Buffer.concat([frame, Buffer.from(checksum)])
}

/** A block of 12 bytes that copies 65,538 bytes 32,512 times: far more than the 128 KiB that a block may be. */
const BUSY = [1 | (1 << 3), 97, 255, 0, 0, 0x54, 0, 0, 52, 1]

const skipped = (size: number): Buffer =>
  Buffer.from([0x50, 0x2a, 0x4d, 0x18, size & 255, size >> 8, 0, 0, ...Buffer.alloc(size)])

it.each([
  ['a block larger than a block may be', frameOf(0x58, block(2, BUSY.length, BUSY, true)), /damaged/],
  ['a frame that needs 2 GB', frameOf(0xa8, block(1, 1, [97], true)), /more than 128 MiB of memory/],
  [
    'a frame whose header announces 2^60 bytes',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 16, ...block(1, 1, [97], true)]),
    /more than 128 MiB of memory/,
  ],
  [
    'a frame that needs a dictionary',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x58, 7, 1, 0, 0]),
    /a dictionary/,
  ],
  [
    'equal bytes of 250 MiB in a file of 8 KB',
    frameOf(0x58, ...Array.from({ length: 2000 }, (_, i) => block(1, 131_072, [0], i === 1999))),
    /unpacks to more than \d+ bytes/,
  ],
  [
    'a frame whose checksum is that of something else',
    checked(0x5b, 0x6e, 0x8c, 0xa8),
    /does not match its checksum/,
  ],
  [
    'a frame that holds less than its header announces',
    Buffer.concat([zstdRaw('much').fill(9, 5, 6), zstdRaw('more')]),
    /does not have its declared size/,
  ],
  [
    'bytes after a block that has no sequences',
    frameOf(0x58, block(2, 9, [8, 0x57, 0, 0, 0xfc, 0xff, 0xe4, 0x4e, 8], true)),
    /cannot be decoded/,
  ],
  [
    'a frame that declares more than its blocks can hold',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 7, ...block(1, 1, [97], true)]),
    /does not have its declared size/,
  ],
  ['a block of an unknown type', frameOf(0x58, block(3, 1, [97], true)), /unknown type/],
  ['equal bytes of 2 MB at once', frameOf(0x58, block(1, 2 ** 21 - 1, [0], true)), /too long/],
  [
    'what is passed over and ends too early',
    Buffer.concat([frameOf(0x58, block(1, 1, [97], true)), skipped(9).subarray(0, 12)]),
    /unexpected end/,
  ],
  [
    'what follows that is no frame',
    Buffer.concat([frameOf(0x58, block(1, 1, [97], true)), Buffer.from('text')]),
    /is not a frame/,
  ],
])('refuses %s', async (_, bytes, why) => {
  await expect(unpackedFrom('bomb.zst', bytes, 1 << 20)).rejects.toThrow(why)
})

it.each([
  [
    'many blocks of one byte each in a frame with a window of 128 MiB',
    frameOf(0x88, ...Array.from({ length: 10_000 }, () => block(1, 1, [97], false)), block(1, 1, [97], true)),
    10_001,
  ],
  [
    'many frames with a window of 128 MiB each',
    Buffer.concat(Array.from({ length: 10_000 }, () => frameOf(0x88, block(1, 1, [97], true)))),
    10_000,
  ],
])('decodes %s', async (_, bytes, count) => {
  expect(await unpackedFrom('long.zst', bytes)).toBe(`zstd long: ${'a'.repeat(count)}`)
})

const FRAMES = Buffer.concat([checked(0x5b, 0x6e, 0x8c, 0xa9), skipped(4), zstdRaw('more')])

it('refuses Zstandard that is truncated anywhere but between two frames', async () => {
  const ends = [0, 14, 26]
  expect(await unpackedFrom('s.zst', FRAMES)).toBe('zstd s: amore')
  for (let size = 4; size < FRAMES.length; size++)
    if (!ends.includes(size))
      await expect(unpackedFrom('s.zst', FRAMES.subarray(0, size))).rejects.toThrow(
        /unexpected end|not a frame/,
      )
})

it('decodes a frame of many blocks that does not declare its size', async () => {
  const blocks = Array.from({ length: 24 }, (_, i) => block(1, 131_072, [97 + i], i === 23))
  const text = await unpackedFrom('long.zst', frameOf(0x58, ...blocks))
  expect(text).toBe(
    `zstd long: ${blocks.map((_, i) => String.fromCharCode(97 + i).repeat(131_072)).join('')}`,
  )
})

it.skipIf('createZstdDecompress' in zlib)(
  'refuses a frame that is too large to decode in memory',
  async () => {
    const blocks = Array.from({ length: 2049 }, (_, i) => block(1, 131_072, [0], i === 2048))
    await expect(unpackedFrom('large.zst', frameOf(0x58, ...blocks))).rejects.toThrow(/decompress the file/)
  },
)

it('skips skippable frames, also a long chain of them', async () => {
  const chain = Array.from({ length: 50_000 }, () => skipped(0))
  const bytes = Buffer.concat([zstdRaw('{"a":1}\n'), skipped(5), zstdRaw('{"b":2}\n'), ...chain])
  expect(await unpackedFrom('s.zst', bytes)).toBe('zstd s: {"a":1}\n{"b":2}\n')
})

it.runIf(spawnSync('zstd', ['--version']).status === 0)(
  'reads what the reference implementation writes',
  async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `{"n":${i},"is":"${(i * 7919) % 9973}"}\n`).join('')
    for (const flags of [
      ['-1', '--no-check'],
      ['-3'],
      ['-19'],
      ['-3', '--long=27'],
      ['-3', '--single-thread', '--no-content-size'],
      ['-9', '--check', '--zstd=wlog=12'],
      ['--fast=9'],
    ]) {
      const { stdout } = spawnSync('zstd', ['-c', ...flags], { input: text, maxBuffer: 1 << 26 })
      const same = (await unpackedFrom('s.zst', stdout)) === `zstd s: ${text}`
      expect([flags, same]).toEqual([flags, true])
    }
  },
)

it('leaves no files', async () => {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const { file, close } = await scratch.keep([Buffer.from('a')])
  const other = await scratch.keep([Buffer.from('b')])
  close()
  expect([existsSync(file), existsSync(other.file)]).toEqual([false, true])
  scratch.close()
  expect(existsSync(other.file)).toBe(false)
})

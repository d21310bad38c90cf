import fc from 'fast-check'
import { expect, it } from 'vitest'
import { filesIn } from '../../../src/formats/opencode/bundle.ts'
import { expectFailure } from '../../support/errors.ts'

const utf8 = new TextEncoder()

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
}

const bundle = (files: readonly (readonly [string, Uint8Array])[]): Uint8Array =>
  Buffer.concat(
    files.flatMap(([file, bytes]) => [
      utf8.encode(`${JSON.stringify({ file, bytes: bytes.length })}\n`),
      bytes,
    ]),
  )

it('returns the files of a bundle, wherever it is cut and whichever are read', async () => {
  const files = fc.array(fc.tuple(fc.string(), fc.uint8Array({ maxLength: 50 })), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 40 }), fc.nat(), async (bundled, size, passed) => {
      const found: [string, Uint8Array | null][] = []
      for await (const { name, chunks } of filesIn(cut(bundle(bundled), size))) {
        const all: Uint8Array[] = []
        if (found.length !== passed % 5) for await (const chunk of chunks) all.push(chunk)
        found.push([name, found.length === passed % 5 ? null : Uint8Array.from(Buffer.concat(all))])
      }
      expect(found).toEqual(bundled.map(([name, bytes], i) => [name, i === passed % 5 ? null : bytes]))
    }),
  )
})

it.each(['{"file":"a","bytes":5}\nhalf', '{"file":"a"', 'none\n'])(
  'reports that %j is torn',
  async (text) => {
    await expectFailure('corrupt', async () => {
      for await (const { chunks } of filesIn(cut(utf8.encode(text), 7))) for await (const _ of chunks);
    })
  },
)

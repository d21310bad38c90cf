import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inputBytes, lineBatches, lineFrom } from '../../src/cli/stdin.ts'
import { expectFailure } from '../support/errors.ts'

async function* from(chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk))
}

async function batches(chunks: readonly string[], zero = false): Promise<string[][]> {
  const all: string[][] = []
  for await (const lines of lineBatches(from(chunks), zero))
    all.push(lines.map((line) => Buffer.from(line).toString()))
  return all
}

it('gives lines together that come together', async () => {
  expect(await batches(['a\nb\nc', 'd', '\n\ne'])).toEqual([['a', 'b'], ['cd', ''], ['e']])
  expect(await batches([])).toEqual([])
  expect(await batches(['', '\n'])).toEqual([['']])
})

it('gives lines that end with a NUL and may hold newlines', async () => {
  expect(await batches(['a\nb\0c', '\0\0d'], true)).toEqual([['a\nb'], ['c', ''], ['d']])
})

it('gives the same lines however they are cut', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '{', ' '), maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.array(fc.nat(20)), async (lines, cuts) => {
      const text = lines.join('\n')
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
      const chunks = places
        .slice(1)
        .map((end, i) => Buffer.from(text).toString('latin1').slice(places[i], end))
      const bytes = Buffer.from(text)
      async function* cutBytes(): AsyncGenerator<Uint8Array> {
        let at = 0
        for (const chunk of chunks) {
          yield await Promise.resolve(bytes.subarray(at, at + chunk.length))
          at += chunk.length
        }
        yield bytes.subarray(at)
      }
      const all: string[] = []
      for await (const batch of lineBatches(cutBytes()))
        all.push(...batch.map((b) => Buffer.from(b).toString()))
      expect(all).toEqual(lines.at(-1) === '' ? lines.slice(0, -1) : lines)
    }),
  )
})

/** An input without an end, of lines of three bytes and then of one that never ends. */
async function* endless(taken: { chunks: number }): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('abc\ndef\n'))
  for (;;) {
    taken.chunks++
    yield Buffer.from('abcd')
  }
}

it('reads no further than the largest line, and returns the lines before it', async () => {
  const taken = { chunks: 0 }
  const lines: string[] = []
  const read = async (): Promise<void> => {
    for await (const batch of lineBatches(endless(taken), false, 10))
      lines.push(...batch.map((line) => Buffer.from(line).toString()))
  }
  const { message } = await expectFailure('unreadable-path', read)
  expect(message).toMatch(/^'standard input' could not be read \(line 3 has more than .* MB\)$/)
  expect([lines, taken.chunks]).toEqual([['abc', 'def'], 3])
})

it('reads no further than the largest text', async () => {
  const taken = { chunks: 0 }
  const read = (): Promise<Uint8Array> => inputBytes(endless(taken), 20)
  expect((await expectFailure('unreadable-path', read)).detail).toMatch(/^it has more than .* MB$/)
  expect(taken.chunks).toBe(4)
})

it('reads a first line without what follows it', async () => {
  expect(await lineFrom(endless({ chunks: 0 }))).toBe('abc')
  expect(await lineFrom(from([' yes', ' ']))).toBe('yes')
  expect(await lineFrom(from([]))).toBe('')
})

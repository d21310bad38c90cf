import { expect, it } from 'vitest'
import type { OutputStream } from '../../src/cli/platform.ts'
import { ClosedPipe, StreamWriter } from '../../src/cli/writer.ts'
import { failing } from '../support/shell.ts'

function slow(): { stream: OutputStream; written: string[]; most: () => number } {
  const written: string[] = []
  let [open, most] = [0, 0]
  const stream: OutputStream = {
    write: (chunk, done) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        written.push(typeof chunk === 'string' ? chunk : `<${chunk.length} bytes>`)
        done()
      }, 1)
      return false
    },
  }
  return { stream, written, most: () => most }
}

it('gathers text and keeps the order of text and bytes', async () => {
  const { stream, written, most } = slow()
  const writer = new StreamWriter(stream)
  expect(writer.add('a')).toBeUndefined()
  void writer.add('b')
  void writer.bytes(new Uint8Array(3))
  void writer.add('c')
  await writer.flush()
  expect(written).toEqual(['ab', '<3 bytes>', 'c'])
  expect(most()).toBe(1)
})

it('writes by itself when much is gathered', async () => {
  const { stream, written } = slow()
  const writer = new StreamWriter(stream)
  await writer.add('x'.repeat(70_000))
  expect(written.map((text) => text.length)).toEqual([70_000])
})

it('tells later writes too that the pipe is closed', async () => {
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  let writes = 0
  const writer = new StreamWriter({
    write: (_, done) => {
      writes++
      done(gone)
      return true
    },
  })
  void writer.add('a')
  await expect(writer.flush()).rejects.toThrow(ClosedPipe)
  void writer.add('b')
  await expect(writer.flush()).rejects.toThrow(ClosedPipe)
  expect(writes).toBe(1)
})

it('says what kept it from writing', async () => {
  const writer = new StreamWriter(failing('EIO'))
  void writer.add('a')
  await expect(writer.flush()).rejects.toMatchObject({ code: 'cannot-write', kind: 'user' })
})

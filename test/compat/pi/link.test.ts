import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { Link } from '../../../src/compat/pi/link.ts'
import { newFolder } from '../../support/folder.ts'

/** Returns a link to a thread that runs a script with `main`, `port` and `flag`. */
function linkTo(script: string, timeout: number): Link {
  const dir = newFolder()
  const file = join(dir, 'thread.cjs')
  writeFileSync(
    file,
    `const { parentPort: main, workerData: { port, flag } } = require('node:worker_threads')
const reply = (value) => {
  port.postMessage(value)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}
${script}`,
  )
  return new Link(dir, { file, timeout })
}

const place = (path: string) => ({ path, record: null, bytes: 0 })

it('does not take a late reply for that to a later request', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  // The first reply comes once the second request is there.
  const link = linkTo(
    `let late
main.on('message', ({ number, place }) => {
  const now = { number, leaf: place.path }
  if (late === undefined) late = now
  else if (late !== null) reply(late)
  if (late === now) return
  late = null
  reply(now)
})`,
    1000,
  )
  expect(link.leaf(place('a'))).toBeUndefined()
  const leaves = [link.leaf(place('b'))]
  while (leaves.at(-1) === undefined) {
    await new Promise((done) => setImmediate(done))
    leaves.push(link.leaf(place('c')))
  }
  expect(['b', 'c']).toContain(leaves.at(-1))
})

it('warns of a thread that ends, and starts another one for the next request', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const link = linkTo(`main.on('message', () => { throw new Error('no handles') })`, 60_000)
  link.follow(place('a'))
  await link.settled()
  expect(JSON.stringify(warned.mock.calls)).toContain('no handles')
  link.follow(place('b'))
  await link.settled()
})

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import type { Said } from '../../../src/model/said.ts'
import { Gathering } from '../../../src/storage/words/gathering.ts'
import { GROUP, unitOf } from '../../../src/storage/words/words.ts'
import { WordSegment } from '../../../src/storage/words/wordsegment.ts'
import { WordThread } from '../../../src/storage/words/wordthread.ts'
import { built } from '../../support/built.ts'
import { newFolder } from '../../support/folder.ts'

const compiled = join(built(), 'storage/words')

const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

function open<T extends { close(): void }>(one: T): T {
  opened.push(one)
  return one
}

/** Says some 10 KB in a row, of words that are said in some other rows too. */
const saidIn = (row: number): Said[] => [
  { place: 'prompt', text: `Row ${row} of ${row % 7}: the tide turns` },
  { place: 'tool', text: Array.from({ length: 1000 }, (_, i) => `word${(row * i) % 5000}`).join(' ') },
]

/** Gives segments of 512 rows, the second joined with the first. */
async function segmentsOf(gathering: Gathering): Promise<Uint8Array[]> {
  for (let row = 0; row < 4 * GROUP + 60; row++) gathering.tell(row, saidIn(row))
  await gathering.relax()
  const first = await gathering.encode(0, 2 * GROUP, [])
  const both = await gathering.encode(2 * GROUP, 4 * GROUP, [new WordSegment(0, first)])
  return [first, both]
}

it('gives the same of much that a thread gathers as of what is gathered in place', async () => {
  const place = open(new Gathering())
  const module = pathToFileURL(join(compiled, 'gathering.js')).href
  const { Gathering: Compiled } = (await import(module)) as { Gathering: typeof Gathering }
  const segments = await segmentsOf(place)
  let started = 0
  const count = (): void => void started++
  process.on('worker', count)
  expect(await segmentsOf(open(new Compiled(true)))).toEqual(segments)
  expect(started).toBe(0)
  expect(await segmentsOf(open(new Compiled()))).toEqual(segments)
  expect(started).toBe(availableParallelism() > 1 ? 1 : 0)
  process.off('worker', count)
  const [first, both] = segments.map((bytes) => new WordSegment(0, bytes)) as [WordSegment, WordSegment]
  expect([first.to, both.to]).toEqual([2 * GROUP, 4 * GROUP])
  expect([...both.find('tide')]).toEqual([1, 1, 1, 1])
})

it('gathers what is told between one segment and the next', async () => {
  const thread = open(new WordThread(pathToFileURL(join(compiled, 'wordworker.js'))))
  const tell = (row: number, text: string): void =>
    thread.tell({ units: [unitOf(row, 'reply')], texts: [text], size: text.length })
  tell(0, 'ebb')
  tell(GROUP, 'flow')
  const first = new WordSegment(0, await thread.encode(0, GROUP))
  tell(GROUP + 1, 'slack')
  const second = new WordSegment(GROUP, await thread.encode(GROUP, 2 * GROUP))
  expect([...first.units().keys()]).toEqual(['ebb'])
  expect([...second.units().keys()]).toEqual(['flow', 'slack'])
})

it('waits for a thread that is far behind', async () => {
  const thread = open(new WordThread(pathToFileURL(join(compiled, 'wordworker.js'))))
  expect(thread.relax()).toBeUndefined()
  const text = 'tide '.repeat(2 << 20)
  thread.tell({ units: [0], texts: [text], size: text.length })
  await thread.relax()
  expect(thread.relax()).toBeUndefined()
})

it.each([
  ['a program in the arguments', ['--input-type=module']],
  [
    'a process that may have no thread',
    ['--experimental-permission', '--allow-fs-read=*', '--input-type=module'],
  ],
])('gathers much within %s', (_, flags) => {
  const module = pathToFileURL(join(compiled, 'gathering.js')).href
  const program = `
    const { Gathering } = await import('${module}')
    const gathering = new Gathering()
    for (let row = 0; row < ${2 * GROUP}; row++) gathering.tell(row, [{ place: 'tool', text: 'tide '.repeat(2000) }])
    process.stdout.write(await gathering.encode(0, ${2 * GROUP}, []))
    gathering.close()`
  const bytes = execFileSync(process.execPath, [...flags, '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect([...new WordSegment(0, bytes).units().keys()]).toEqual(['tide'])
})

it('throws what a thread failed by, or that it ended', async () => {
  const file = join(newFolder(), 'fails.mjs')
  writeFileSync(file, "throw new Error('no memory')")
  await expect(open(new WordThread(pathToFileURL(file))).encode(0, GROUP)).rejects.toThrow('no memory')
  writeFileSync(file, 'process.exit()')
  const ended = open(new WordThread(pathToFileURL(file)))
  await expect(ended.encode(0, GROUP)).rejects.toThrow('the thread that gathers words has ended')
})

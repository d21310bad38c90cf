import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { watchFolders } from '../../src/sources/watch.ts'
import { newFolder } from '../support/folder.ts'

let stop = new AbortController()
afterEach(() => {
  stop.abort()
  stop = new AbortController()
})

/** Follows the .jsonl files below a folder, and gives how to ask for what changed next, by name. */
function following(folder: string): () => Promise<string[]> {
  const changes = watchFolders([{ agent: '', folder, files: /\.jsonl$/ }], stop.signal)
  return async () => {
    const next = await changes.next()
    return next.done ? ['end'] : next.value.map(({ path }) => path.slice(folder.length + 1))
  }
}

it('reports files that exist, grow, shrink, move, vanish and come back, and new folders', async () => {
  const folder = newFolder()
  const file = join(folder, 'a.jsonl')
  writeFileSync(file, 'one\n')
  writeFileSync(join(folder, 'a.txt'), 'one\n')
  const next = following(folder)
  expect(await next()).toEqual(['a.jsonl'])
  appendFileSync(file, 'two\n')
  expect(await next()).toEqual(['a.jsonl'])
  truncateSync(file, 2)
  expect(await next()).toEqual(['a.jsonl'])
  renameSync(file, join(folder, 'b.jsonl'))
  expect(await next()).toEqual(['b.jsonl'])
  // Rotation: another file in its place.
  writeFileSync(join(folder, 'new'), 'on')
  renameSync(join(folder, 'new'), join(folder, 'b.jsonl'))
  expect(await next()).toEqual(['b.jsonl'])
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
  writeFileSync(join(folder, 'deep', 'er', 'c.jsonl'), 'three\n')
  expect(await next()).toEqual(['deep/er/c.jsonl'])
  rmSync(join(folder, 'deep'), { recursive: true })
  appendFileSync(join(folder, 'b.jsonl'), 'four\n')
  expect(await next()).toEqual(['b.jsonl'])
})

it('reports what was written to a file before it was renamed to a name that no session has', async () => {
  const folder = newFolder()
  const file = join(folder, 'a.jsonl')
  writeFileSync(file, 'one\n')
  writeFileSync(join(folder, 'still.jsonl'), 'one\n')
  const next = following(folder)
  expect(await next()).toEqual(['a.jsonl', 'still.jsonl'])
  appendFileSync(file, 'two\n')
  renameSync(file, join(folder, 'a.jsonl.1'))
  renameSync(join(folder, 'still.jsonl'), join(folder, 'still.jsonl.1'))
  writeFileSync(file, 'three\n')
  expect((await next()).sort()).toEqual(['a.jsonl', 'a.jsonl.1'])
})

it('reports many files at once, and none twice', async () => {
  const folder = newFolder()
  const next = following(folder)
  for (let i = 0; i < 300; i++) {
    mkdirSync(join(folder, `${i % 20}`), { recursive: true })
    writeFileSync(join(folder, `${i % 20}`, `${i}.jsonl`), 'one\n')
  }
  expect(new Set(await next()).size).toBe(300)
  for (let i = 0; i < 300; i += 7) appendFileSync(join(folder, `${i % 20}`, `${i}.jsonl`), 'two\n')
  expect((await next()).length).toBe(43)
})

it('waits for a folder that does not exist yet, and ends on the signal', async () => {
  const folder = join(newFolder(), 'later')
  const next = following(folder)
  const first = next()
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.jsonl'), 'one\n')
  expect(await first).toEqual(['a.jsonl'])
  const last = next()
  stop.abort()
  expect(await last).toEqual(['end'])
})

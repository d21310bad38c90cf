import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import type * as ReaderStates from '../../../src/ops/import/readerstate.ts'
import { undo } from '../../../src/ops/undo.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { getSession } from '../../../src/repo/session.ts'
import { sampled } from '../../support/amount.ts'
import { newFolder } from '../../support/folder.ts'
import { Random } from '../../support/random.ts'
import { quietEnv, refsOf } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

/** Whether a state is kept after each read, and how many were used. */
const states = vi.hoisted(() => ({ kept: true, used: 0 }))

vi.mock('../../../src/ops/import/readerstate.ts', async (original) => {
  const real = await original<typeof ReaderStates>()
  return {
    ...real,
    isStateDue: () => states.kept,
    isStateSmall: () => true,
    findReaderState: async (...of: Parameters<typeof real.findReaderState>) => {
      const found = await real.findReaderState(...of)
      if (found) states.used++
      return found
    },
  }
})

const FOLDERS = ['../../fixtures', '../../demo/sessions'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
)
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name)),
)

/** Returns what a store holds of a file that is imported at each of some lengths, each time by a new process. */
async function grown(path: string, bytes: Buffer, lengths: readonly number[]): Promise<string> {
  const dir = newFolder()
  const results: unknown[] = []
  const env = quietEnv()
  writeFileSync(path, '')
  let at = 0
  for (const length of lengths) {
    appendFileSync(path, bytes.subarray(at, length))
    at = length
    const repo = await Repo.open(dir, { create: true, env })
    const { files, refused, grafts, bases } = await importPaths(repo, [path])
    results.push({ files, refused, grafts, bases })
    await repo.close()
  }
  const repo = await Repo.open(dir, { env })
  const refs = Object.entries(await refsOf(repo))
  const sessions = [...new Set(refs.flatMap(([name]) => /^sessions\/([^/]+)\//.exec(name)?.[1] ?? []))]
  const exports: string[] = []
  for (const session of sessions) {
    const pieces: Uint8Array[] = []
    for await (const piece of exportSession(repo, session)) pieces.push(piece)
    exports.push(Buffer.concat(pieces).toString('latin1'))
  }
  const { findings } = await fsck(repo)
  const writer = await repo.read((reader) => Promise.resolve(reader.writer))
  await repo.close()
  return JSON.stringify({ results, refs, exports, findings }, null, 1).replaceAll(writer, 'the writer')
}

it.each(sampled(FILES, 16).map((file) => [`${basename(dirname(file))}/${basename(file)}`, file] as const))(
  '%s: a file that grows is read from a saved state as it is read from its beginning',
  async (_, file) => {
    const bytes = readFileSync(file)
    const path = join(newFolder(), basename(dirname(file)), basename(file))
    mkdirSync(dirname(path), { recursive: true })
    const random = new Random(bytes.length)
    const cuts = Array.from({ length: 6 }, () => 1 + random.below(bytes.length)).sort((a, b) => a - b)
    const lengths = [...new Set([...cuts, bytes.length])]
    states.kept = false
    const whole = await grown(path, bytes, lengths)
    states.kept = true
    expect(await grown(path, bytes, lengths)).toBe(whole)
  },
)

const LINES = claudeLines('s1', asked('u1', null), answered('a1', 'u1'), asked('u2', 'a1'))

/** Imports a file of the first lines, then of all, and counts the states that were used. */
async function usedStates(between: (repo: Repo, path: string) => Promise<unknown>): Promise<number> {
  const repo = await Repo.open(newFolder(), { create: true, env: quietEnv() })
  const path = join(newFolder(), 's1.jsonl')
  writeFileSync(path, LINES.slice(0, 2).join(''))
  await importPaths(repo, [path])
  states.used = 0
  await between(repo, path)
  appendFileSync(path, LINES[2] as string)
  await importPaths(repo, [path])
  const { source } = await repo.read((reader) => getSession(reader, 's1'))
  expect(source?.count).toBe(3)
  expect((await fsck(repo)).findings).toEqual([])
  await repo.close()
  return states.used
}

it('uses the state of a log that has not changed', async () => {
  states.kept = true
  expect(await usedStates(() => Promise.resolve())).toBe(1)
})

it('uses no state of records that were undone', async () => {
  states.kept = true
  const undone = usedStates(async (repo, path) => {
    appendFileSync(path, LINES[2] as string)
    await importPaths(repo, [path])
    await undo(repo, { any: true })
    writeFileSync(path, LINES.slice(0, 2).join(''))
    states.used = 0
  })
  expect(await undone).toBe(0)
})

it('keeps no state that takes more than half of the bytes that were read', async () => {
  const { isStateSmall } = await vi.importActual<typeof ReaderStates>(
    '../../../src/ops/import/readerstate.ts',
  )
  const state = { bytes: new Uint8Array(25), entries: [] }
  expect([49, 50].map((covered) => isStateSmall(state, covered))).toEqual([false, true])
})

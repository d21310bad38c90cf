// The sessions that several rows read: files of pi, each made and imported once.
import { mkdirSync, rmSync } from 'node:fs'
import { writePiSession } from '../conversation.mjs'

/** After so many entries, about 200,000 tokens, an agent compacts. */
const FULL_WINDOW = 700

/** Returns a session of pi as a file and in a store: compacted whenever the window of a model is full, or never. */
export const piSession = (bench, { uncut = false } = {}) =>
  bench.once(`session ${uncut}`, () => {
    const { entries } = bench.size
    const name = uncut ? 'uncut' : 'session'
    const compacts = uncut ? () => false : (n) => n % FULL_WINDOW === FULL_WINDOW - 1
    const file = writePiSession(bench.path(`${name}.jsonl`), { entries, compacts })
    const [imported] = bench.imports({ store: bench.path(name), path: file })
    return { file, entries, ...imported }
  })

/** Writes a session with a compaction 500 entries before its end, and says where it is to be imported. */
function compactedLate(bench, entries) {
  const compacts = (n) => n === entries - 501
  const path = writePiSession(bench.path(`${entries}.jsonl`), { entries, compacts })
  return { store: bench.path(`long-${entries}`), path }
}

/** Writes many sessions, and says where they are to be imported. */
function manyFiles(bench) {
  const path = bench.path('many')
  mkdirSync(path)
  const { sessions, each } = bench.size
  for (let i = 0; i < sessions; i++) writePiSession(`${path}/${i}.jsonl`, { entries: each, seed: i + 10 })
  return { store: bench.path('many-store'), path }
}

/** Returns the two large stores. They take minutes each, so they are made beside each other. */
const large = (bench) =>
  bench.once('large', () => {
    const jobs = [compactedLate(bench, bench.size.long), manyFiles(bench)]
    const [long, many] = bench.imports(...jobs)
    for (const { path } of jobs) rmSync(path, { recursive: true })
    return { long, many }
  })

/** Returns a session with a compaction 500 entries before its end, in a store of its own. */
export const longSession = (bench, entries) =>
  entries === bench.size.long
    ? large(bench).long
    : bench.once(`long session ${entries}`, () => bench.imports(compactedLate(bench, entries))[0])

/** Returns a store of many sessions, and one of them. */
export const manySessions = (bench) => large(bench).many

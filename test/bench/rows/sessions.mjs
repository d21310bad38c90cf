// The sessions that several rows read: files of pi, each made and imported once.
import { mkdirSync, rmSync } from 'node:fs'
import { writePiSession } from '../conversation.mjs'

/** After so many entries, about 200,000 tokens, an agent compacts. */
const FULL_WINDOW = 700

/** Gives a session of pi as a file and in a store: compacted whenever the window of a model is full, or never. */
export const piSession = (bench, { uncut = false } = {}) =>
  bench.once(`session ${uncut}`, () => {
    const { entries } = bench.size
    const name = uncut ? 'uncut' : 'session'
    const compacts = uncut ? () => false : (n) => n % FULL_WINDOW === FULL_WINDOW - 1
    const file = writePiSession(bench.path(`${name}.jsonl`), { entries, compacts })
    return { file, entries, ...bench.import(bench.path(name), file) }
  })

/** Gives a session with a compaction 500 entries before its end, in a store of its own. */
export const longSession = (bench, entries) =>
  bench.once(`long session ${entries}`, () => {
    const file = writePiSession(bench.path(`${entries}.jsonl`), {
      entries,
      compacts: (n) => n === entries - 501,
    })
    const imported = bench.import(bench.path(`long-${entries}`), file)
    rmSync(file)
    return { ...imported, entries }
  })

/** Gives a store of many sessions, and one of them. */
export const manySessions = (bench) =>
  bench.once('many sessions', () => {
    const folder = bench.path('many')
    mkdirSync(folder)
    const { sessions, each } = bench.size
    for (let i = 0; i < sessions; i++) writePiSession(`${folder}/${i}.jsonl`, { entries: each, seed: i + 10 })
    const imported = bench.import(bench.path('many-store'), folder)
    rmSync(folder, { recursive: true })
    return imported
  })

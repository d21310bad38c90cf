import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/index.ts'
import { CORPUS, corpusFiles, newStore, noCorpus, SAMPLE, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

interface Entry {
  readonly id: string
  readonly type: string
  readonly parentId: string | null
}

interface Context {
  readonly messages: readonly unknown[]
}

const pi = import.meta.resolve('@mariozechner/pi-coding-agent')
const { parseSessionEntries, migrateSessionEntries, buildSessionContext } = (await import(
  new URL('core/session-manager.js', pi).href
)) as {
  parseSessionEntries: (text: string) => Entry[]
  migrateSessionEntries: (entries: Entry[]) => void
  buildSessionContext: (entries: Entry[], leaf?: string) => Context
}

/** Of a file so many entries are asked for, beside all its leaves. */
const ASKED = 30

/** Records of the tree that are no entries here. */
const PASSED: ReadonlySet<string> = new Set(['custom', 'label', 'session_info'])

interface Found {
  readonly asked: number
  readonly messages: number
  /** The ids at which the two contexts differ. */
  readonly wrong: readonly string[]
}

/** Builds contexts at every leaf of a session file, and at entries in between, with pi and with sess. */
async function compare(store: Store, path: string): Promise<Found> {
  const [, ...entries] = parsed(readFileSync(path, 'utf8'))
  const [taken] = (await store.import(path)).files
  const session = await store.session(taken?.session ?? '')
  const natives: (string | null)[] = []
  for await (const { native } of store.log(session.id, { all: true })) natives.push(native)
  const isNamed = natives.some((native) => native !== null)
  // The context has the times of the session through which it is asked. In version 1 no record has an id.
  const revisionOf = ({ id }: Entry, at: number): string =>
    isNamed ? `${session.id}:${id}` : `${session.id}~${entries.length - 1 - at}`
  const parents = new Set(entries.map(({ parentId }) => parentId))
  const step = Math.max(1, Math.floor(entries.length / ASKED))
  const wrong: string[] = []
  let [asked, messages] = [0, 0]
  for (const [at, entry] of entries.entries()) {
    if (PASSED.has(entry.type) || (parents.has(entry.id) && at % step !== 0)) continue
    const theirs = buildSessionContext(entries, entry.id)
    const ours = await session.context({ format: 'pi', at: revisionOf(entry, at), version: '0.73' })
    asked++
    messages += theirs.messages.length
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) wrong.push(entry.id)
  }
  return { asked, messages, wrong }
}

function parsed(text: string): Entry[] {
  const entries = parseSessionEntries(text)
  migrateSessionEntries(entries)
  return entries
}

describe('a session of pi', { timeout: 600_000 }, () => {
  it('has at every leaf, and in between, the context that pi 0.73 builds', async () => {
    const path = fileURLToPath(new URL('../fixtures/pi/v3.jsonl', import.meta.url))
    expect(await compare(await newStore(), path)).toEqual({ asked: 14, messages: 52, wrong: [] })
  })
})

describe.skipIf(noCorpus)(`real sessions ${SKIPPED}`, { timeout: 600_000 }, () => {
  it.each(corpusFiles('pi', '.jsonl'))(
    '%s has the context that pi builds, wherever it is asked',
    async (file) => {
      const { asked, messages, wrong } = await compare(await newStore(), join(CORPUS, file))
      expect(wrong).toEqual([])
      expect([asked > ASKED, messages > 5000]).toEqual([true, true])
    },
  )

  it('have it at every leaf once they are written for pi, whatever agent they are of', async () => {
    const store = await newStore()
    const { files } = await store.import(
      SAMPLE.map((file) => join(CORPUS, file)),
      { all: true },
    )
    const differing: unknown[] = []
    let asked = 0
    for (const { session, path, entries } of files.filter((file) => file.entries > 0)) {
      const pieces: Uint8Array[] = []
      for await (const piece of store.export(session, { format: 'pi' })) pieces.push(piece)
      const written = join(newFolder(), 'pi.jsonl')
      writeFileSync(written, Buffer.concat(pieces))
      const found = await compare(await newStore(), written)
      asked += found.asked
      if (found.wrong.length > 0) differing.push([relative(CORPUS, path), entries, found])
    }
    expect(differing).toEqual([])
    expect(asked).toBeGreaterThan(100)
  })
})

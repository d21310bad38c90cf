import { copyFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CORPUS,
  corpusBytes,
  corpusFiles,
  exported,
  isContainer,
  newStore,
  noCorpus,
  SKIPPED,
} from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const OLD = new Date('2026-01-01T00:00:00Z')

describe.skipIf(noCorpus)(`every real transcript ${SKIPPED}`, { timeout: 600_000 }, () => {
  it('comes back byte for byte, and is taken once', async () => {
    const store = await newStore()
    const paths = corpusFiles().map((file) => join(CORPUS, file))
    const first = await store.import(paths)
    const files = corpusFiles().filter((file) => !isContainer(file))
    expect(first.refused).toEqual([])
    const whole = first.files.filter(({ path }) => !path.includes('#'))
    expect(whole.map((file) => relative(CORPUS, file.path)).sort()).toEqual(files)

    const wrong: string[] = []
    for (const { path, session, bytes } of whole) {
      const file = relative(CORPUS, path)
      if (!(await exported(store, session, bytes)).equals(corpusBytes(file))) wrong.push(file)
    }
    expect(wrong).toEqual([])

    const { ok, findings, checked } = await store.fsck()
    expect({ ok, findings }).toEqual({ ok: true, findings: [] })
    const held = await store.stats()
    const second = await store.import(paths)
    const known = first.files.map((file) => ({ ...file, newEntries: 0, newObjects: 0 }))
    expect(second).toEqual({
      ...first,
      files: known,
      grafts: [],
      moved: [],
      totals: { ...first.totals, newEntries: 0, newObjects: 0 },
    })
    const { storeBytes, ...after } = await store.stats()
    expect({ ...held, storeBytes }).toEqual({ ...after, storeBytes })
    expect((await store.fsck()).checked).toEqual(checked)
  })

  it('is what its name says that it is, in folders and named alone', async () => {
    const store = await newStore()
    const { files, skipped } = await store.import(CORPUS)
    const notes = ['INDEX.tsv', 'README.md', 'antigravity/agent-sessions/small.md']
    expect(skipped.map(({ path }) => relative(CORPUS, path))).toEqual(expect.arrayContaining(notes))
    const taken = new Set(files.map((file) => file.path))
    const left = corpusFiles().filter((file) => !taken.has(join(CORPUS, file)))
    expect(left.filter((file) => /^(?:claude-code|codex|pi)\/.*\.jsonl$/.test(file))).toEqual([])
    expect(left).toEqual(expect.arrayContaining(notes))
    const { files: named } = await store.import(join(CORPUS, 'INDEX.tsv'))
    expect(named.map((file) => file.format)).toEqual(['bytes'])
  })

  it('is not opened again while its stat stays the same', async () => {
    const file = join(newFolder(), 'grow.jsonl')
    copyFileSync(join(CORPUS, 'claude-code/queue-operations.jsonl'), file)
    utimesSync(file, OLD, OLD)
    const store = await newStore()
    const [first] = (await store.import(file)).files
    const size = statSync(file).size
    writeFileSync(file, 'x'.repeat(size))
    utimesSync(file, OLD, OLD)
    const [second] = (await store.import(file)).files
    expect(second).toEqual({ ...first, newEntries: 0, newObjects: 0 })
  })

  it('is read again when it was changed within two seconds of the import', async () => {
    const file = join(newFolder(), 'grow.jsonl')
    copyFileSync(join(CORPUS, 'claude-code/queue-operations.jsonl'), file)
    const now = new Date()
    utimesSync(file, now, now)
    const store = await newStore()
    const [first] = (await store.import(file)).files
    writeFileSync(file, 'x'.repeat(statSync(file).size))
    utimesSync(file, now, now)
    const { files, skipped } = await store.import(file)
    expect(files).toEqual([])
    expect(skipped).toMatchObject([{ path: file, session: first?.session, shortened: first?.bytes }])
  })
})

import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Imported, Store } from '../../src/index.ts'
import {
  CORPUS,
  corpusBytes,
  corpusLines,
  exported,
  newStore,
  noCorpus,
  oidsOf,
  SKIPPED,
} from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const CLAUDE = 'claude-code/'
const ROLLOUT = 'codex/agentv-1f-4427577930-2-019ed99c.jsonl'
const PI = 'pi/large-session.jsonl'

interface Line {
  readonly [key: string]: unknown
  readonly payload: { readonly [key: string]: unknown }
}

let store: Store
let folder: string

async function take(path: string): Promise<Imported> {
  const { files, refused } = await store.import(path)
  expect([files.length, refused]).toEqual([1, []])
  return files[0] as Imported
}

const takeCorpus = (file: string): Promise<Imported> => take(join(CORPUS, file))

/** Compared as one value: assertions on millions of bytes one by one take a minute. */
async function expectBytes(from: Store, session: string, file: string, bytes?: number): Promise<void> {
  expect((await exported(from, session, bytes)).equals(corpusBytes(file))).toBe(true)
}

function write(name: string, lines: readonly (string | object)[]): string {
  const path = join(folder, name)
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  writeFileSync(path, text.join(''))
  return path
}

/** How an agent continues a rollout in a new file: a header of its own, then the old one, each line stamped anew. */
function resumed(lines: readonly string[], id: string): Line[] {
  const old = lines.map((line) => JSON.parse(line) as Line)
  const header = old[0] as Line
  const meta = { ...header, payload: { ...header.payload, id } }
  return [meta, ...old].map((line, i) => ({
    ...line,
    timestamp: new Date(Date.UTC(2026, 8, 1) + i).toISOString(),
  }))
}

const isPrompt = ({ payload }: Line): boolean => payload.type === 'message' && payload.role === 'user'

describe.skipIf(noCorpus)(`real copies ${SKIPPED}`, { timeout: 180_000 }, () => {
  beforeEach(async () => {
    store = await newStore()
    folder = newFolder()
  })

  it('of Claude Code share every entry, though no line is equal', async () => {
    const [older, newer] = ['e1bc91d1', 'b4dcf65c'].map((id) => `${CLAUDE}crossfile-fork-${id}.jsonl`)
    const lines = new Set(corpusLines(newer as string))
    expect(corpusLines(older as string).filter((line) => lines.has(line))).toEqual([])
    const b = await takeCorpus(newer as string)
    const a = await takeCorpus(older as string)
    expect([a.records, a.entries, a.newEntries]).toEqual([35, 31, 0])
    expect(a.session).not.toBe(b.session)
    const held = new Set(await oidsOf(store, b.session, true))
    const shared = await oidsOf(store, a.session, true)
    expect([shared.length, shared.filter((oid) => !held.has(oid))]).toEqual([31, []])
  })

  it.each([
    ['Claude Code', `${CLAUDE}grow-s1.jsonl`, `${CLAUDE}grow-s2.jsonl`],
    ['Codex', ROLLOUT, 'codex/agentv-a6-0726a7452e-0-019ed99c.jsonl'],
  ])('of a session of %s that grew are one session, the earlier one contained', async (_, early, late) => {
    const first = await takeCorpus(early)
    const before = await oidsOf(store, first.session)
    const second = await takeCorpus(late)
    expect(second.session).toBe(first.session)
    expect(second.newEntries).toBe(second.entries - first.entries)
    expect(second.contained).toBe(false)
    const again = await takeCorpus(early)
    expect(again).toEqual({ ...first, newEntries: 0, newObjects: 0 })

    const other = await newStore()
    const whole = (await other.import(join(CORPUS, late))).files[0]
    const part = (await other.import(join(CORPUS, early))).files[0]
    expect(whole).toMatchObject({ session: first.session, entries: second.entries, records: second.records })
    expect(part).toEqual({ ...first, newEntries: 0, newObjects: 0, contained: true })
    expect(await oidsOf(other, first.session, true)).toEqual(await oidsOf(store, first.session, true))
    const after = new Set(await oidsOf(other, first.session))
    expect(before.filter((oid) => !after.has(oid))).toEqual([])
    for (const each of [store, other]) {
      await expectBytes(each, first.session, early, first.bytes)
      await expectBytes(each, first.session, late)
      expect(await each.sessions()).toHaveLength(1)
    }
  })

  it('of Codex with every line stamped anew share all that was said', async () => {
    const lines = corpusLines(ROLLOUT)
    const original = await takeCorpus(ROLLOUT)
    const id = '019f0000-1111-7222-8333-444455556666'
    const copy = await take(write(`rollout-2026-09-01T00-00-00-${id}.jsonl`, resumed(lines, id)))
    expect(copy).toMatchObject({ session: id, entries: original.entries, newEntries: 0 })
    expect(await oidsOf(store, id)).toEqual(await oidsOf(store, original.session))
    expect(await store.mergeBase(original.session, id)).toBe(await store.resolve(id))
  })

  it('of Codex that part show the true fork point, an edited last prompt', async () => {
    const lines = corpusLines(ROLLOUT)
    const original = await takeCorpus(ROLLOUT)
    const id = '019f0000-1111-7222-8333-444455556666'
    const copied = resumed(lines, id)
    const at = copied.findLastIndex(isPrompt)
    const prompt = copied[at] as Line
    copied[at] = {
      ...prompt,
      payload: { ...prompt.payload, content: [{ type: 'input_text', text: 'Do it another way.' }] },
    }
    const copy = await take(write(`rollout-2026-09-01T00-00-00-${id}.jsonl`, copied))
    const { base, left, right } = await store.diff(original.session, copy.session)
    expect(right[0]).toMatchObject({ role: 'user', text: 'Do it another way.' })
    expect(left[0]).toMatchObject({ role: 'user' })
    expect([left[0]?.parents, right[0]?.parents]).toEqual([[base], [base]])
    expect(left).toHaveLength(right.length)
    const text = (prompt.payload.content as readonly { readonly text: string }[])[0]?.text
    expect(left[0]?.text).toBe(text)
    expect(copy.newEntries).toBe(right.length)
    expect(await store.mergeBase(original.session, copy.session)).toBe(base)
  })

  it('of pi under a new header share every entry', async () => {
    const original = await takeCorpus(PI)
    const [first, ...rest] = corpusLines(PI)
    const id = '019f0000-1111-7222-8333-444455556666'
    const header = {
      ...(JSON.parse(first as string) as object),
      id,
      timestamp: '2026-09-01T00:00:00.000Z',
      cwd: '/elsewhere',
      parentSession: '/sessions/before.jsonl',
    }
    const copy = await take(write('fork.jsonl', [header, ...rest]))
    expect(copy).toMatchObject({ session: id, entries: original.entries, newEntries: 0 })
    expect(await oidsOf(store, copy.session, true)).toEqual(await oidsOf(store, original.session, true))
  })

  it('with a known id that go another way become a session of their own, and nothing is overwritten', async () => {
    const lines = corpusLines(`${CLAUDE}grow-s1.jsonl`)
    const original = await takeCorpus(`${CLAUDE}grow-s1.jsonl`)
    const user = JSON.parse(lines.findLast((line) => line.includes('"type":"user"')) as string) as object
    const turned = { ...user, message: { role: 'user', content: 'No, the other one.' } }
    const path = write('turned.jsonl', [...lines.slice(0, 700), turned])
    const other = await take(path)
    expect(other.session).toMatch(new RegExp(`^${original.session}-[0-9a-f]{8}$`))
    expect(other).toMatchObject({ contained: false, newEntries: 1 })
    await expectBytes(store, original.session, `${CLAUDE}grow-s1.jsonl`)

    const copy = join(folder, 'copy.jsonl')
    copyFileSync(path, copy)
    expect(await take(copy)).toMatchObject({ session: other.session, newObjects: 0 })
    writeFileSync(copy, `${lines[700]}\n`, { flag: 'a' })
    expect(await take(copy)).toMatchObject({ session: other.session, newEntries: 0 })
    expect(await take(path)).toMatchObject({ session: other.session, contained: true, newObjects: 0 })
    expect(await store.sessions()).toHaveLength(2)
    expect((await store.fsck()).findings).toEqual([])
  })
})

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { append } from '../../src/ops/append/append.ts'
import { contextOf } from '../../src/ops/context/context.ts'
import { mergeBaseOf } from '../../src/ops/diff.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { gc } from '../../src/ops/gc.ts'
import { type Grafting, relink } from '../../src/ops/graft.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { reindex } from '../../src/ops/indexing.ts'
import { log } from '../../src/ops/log.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo, refsOf } from '../support/store.ts'
import { answered, asked, claudeLine, claudeLines } from '../support/transcripts.ts'

const id = (n: number): string => `${n}`.padStart(8, '0').concat('-0000-4000-8000-000000000000')
const OLD = Date.UTC(2025, 11, 31, 23) / 1000

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, OLD, OLD)
  return path
}

/** A session that was cut in two: what the second file begins with has its parent in the first one. */
const FIRST = claudeLines(
  'first',
  asked(id(1), null, 'What is the tide?'),
  answered(id(2), id(1), 'High.'),
).join('')
const SECOND = [asked(id(3), id(2), 'And now?'), answered(id(4), id(3), 'Low.')]
  .map((record, i) => claudeLine('second', 10 + i, record))
  .join('')

const graftsOf = async (repo: Repo): Promise<unknown[]> =>
  Object.entries(await refsOf(repo)).filter(([name]) => name.startsWith('grafts/'))

async function texts(repo: Repo, revision: string): Promise<(string | null)[]> {
  const found: (string | null)[] = []
  for await (const { text } of log(repo, revision)) found.push(text)
  return found
}

const tipOf = async (repo: Repo, session: string): Promise<Oid> =>
  (await refsOf(repo))[`sessions/${session}/branches/main`] as Oid

const outcomes = (grafts: readonly Grafting[]) =>
  grafts.map(({ session, native, outcome, holder }) => [session, native, outcome, holder])

const WHOLE = ['Low.', 'And now?', 'High.', 'What is the tide?']

describe('a graft', () => {
  it.each([
    ['in one import', true],
    ['the parent first', false],
  ])('joins what lacks its parent to the session that has it: %s', async (_how, together) => {
    const repo = await openRepo()
    const dir = newFolder()
    write(join(dir, 'first.jsonl'), FIRST)
    if (!together) await importPaths(repo, [dir])
    write(join(dir, 'another.jsonl'), SECOND)
    const { grafts } = await importPaths(repo, [dir])
    expect(outcomes(grafts)).toEqual([['second', id(2), 'joined', 'first']])
    expect(await texts(repo, 'second')).toEqual(WHOLE)
    const entries: boolean[] = []
    for await (const { grafted = false } of log(repo, 'second')) entries.push(grafted)
    expect(entries).toEqual([false, true, false, false])
    expect((await contextOf(repo, 'second')).messages.length).toBe(4)
    expect(await mergeBaseOf(repo, 'first', 'second')).toBe(await tipOf(repo, 'first'))
    expect(await fsck(repo)).toMatchObject({
      findings: [],
      lacking: [{ session: 'second', lacking: 1, grafted: 1 }],
    })
    // Earlier oids and the bytes of the file are unchanged.
    const alone = await openRepo()
    await importPaths(alone, [join(dir, 'another.jsonl')])
    expect(await tipOf(alone, 'second')).toBe(await tipOf(repo, 'second'))
    const pieces: Uint8Array[] = []
    for await (const piece of exportSession(repo, 'second')) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe(SECOND)
  })

  it('is made when the parent comes, whose import costs no look at other sessions', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    const lackingRefs = async (): Promise<string[]> =>
      Object.keys(await refsOf(repo)).filter((name) => name.startsWith('lacking/'))
    const { grafts } = await importPaths(repo, [write(join(dir, 'b.jsonl'), SECOND)])
    expect(outcomes(grafts)).toEqual([['second', id(2), 'missing', null]])
    expect(await lackingRefs()).toEqual([expect.stringMatching(`^lacking/${id(2)}/[0-9a-f]{64}$`)])
    const stranger = claudeLines('stranger', asked(id(8), null, 'Hello')).join('')
    expect((await importPaths(repo, [write(join(dir, 'c.jsonl'), stranger)])).grafts).toEqual([])
    const young = claudeLines('young', asked(id(2), null, 'Late'))
      .join('')
      .replaceAll(/2026-/g, '2027-')
    expect((await importPaths(repo, [write(join(dir, 'y.jsonl'), young)])).grafts).toEqual([])
    const half = FIRST.slice(0, FIRST.indexOf('\n') + 1)
    const path = write(join(dir, 'a.jsonl'), half.replaceAll('/work', '/elsewhere'))
    expect((await importPaths(repo, [path])).grafts).toEqual([])
    write(path, FIRST.replaceAll('/work', '/elsewhere'))
    utimesSync(path, OLD + 1, OLD + 1)
    const later = await importPaths(repo, [path])
    expect(outcomes(later.grafts)).toEqual([['second', id(2), 'joined', 'first']])
    expect([await texts(repo, 'second'), await lackingRefs()]).toEqual([WHOLE, []])
    expect((await fsck(repo)).findings).toEqual([])
    await undo(repo, { any: true })
    expect([await texts(repo, 'second'), (await lackingRefs()).length]).toEqual([WHOLE.slice(0, 2), 1])
    await importPaths(repo, [path])
    expect(await texts(repo, 'second')).toEqual(WHOLE)
  })

  it('is made of nothing that was removed meanwhile, and only where one can be meant', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    const plain = SECOND.replaceAll(id(2), 'one')
    await importPaths(repo, [write(join(dir, 'b.jsonl'), SECOND), write(join(dir, 'd.jsonl'), plain)])
    expect(Object.keys(await refsOf(repo)).filter((name) => name.startsWith('lacking/'))).toHaveLength(1)
    await removeSessions(repo, ['second'])
    const { grafts } = await importPaths(repo, [write(join(dir, 'a.jsonl'), FIRST)])
    expect([grafts, await graftsOf(repo)]).toEqual([[], []])
    expect(Object.keys(await refsOf(repo)).filter((name) => name.startsWith('lacking/'))).toEqual([])
  })

  it('is made by a later relink where the parent is elsewhere, goes by undo and comes by redo', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    await importPaths(repo, [write(join(dir, 'a.jsonl'), FIRST.replaceAll('/work', '/elsewhere'))])
    const { grafts } = await importPaths(repo, [write(join(dir, 'b.jsonl'), SECOND)])
    expect(outcomes(grafts)).toEqual([['second', id(2), 'missing', null]])
    expect(await texts(repo, 'second')).toEqual(WHOLE.slice(0, 2))
    expect(outcomes(await relink(repo))).toEqual([['second', id(2), 'joined', 'first']])
    expect(await texts(repo, 'second')).toEqual(WHOLE)
    expect(await relink(repo)).toEqual([])
    await append(repo, 'second', [{ body: { role: 'user', content: 'More.' } }])
    expect(await texts(repo, 'second')).toEqual(['More.', ...WHOLE])
    expect((await fsck(repo)).findings).toEqual([])
    await undo(repo, { any: true })
    await undo(repo, { any: true })
    expect(await graftsOf(repo)).toEqual([])
    expect(await texts(repo, 'second')).toEqual(WHOLE.slice(0, 2))
    await undo(repo, {
      operation: String(await repo.read(async (reader) => (await reader.operationLog()).latest)),
    })
    expect(await texts(repo, 'second')).toEqual(WHOLE)
    const past = await openRepo(repo.dir, { atOperation: '2' })
    expect(await texts(past, 'second')).toEqual(WHOLE.slice(0, 2))
  })

  it('is exported as one path, whichever came first', async () => {
    const exported = async (...files: readonly (readonly [string, string])[]): Promise<string> => {
      const repo = await openRepo()
      const dir = newFolder()
      for (const [name, text] of files) await importPaths(repo, [write(join(dir, name), text)])
      await relink(repo)
      const pieces: Uint8Array[] = []
      for await (const piece of exportSession(repo, 'second', { format: 'pi' })) pieces.push(piece)
      return Buffer.concat(pieces).toString()
    }
    const [first, second] = [['a.jsonl', FIRST] as const, ['b.jsonl', SECOND] as const]
    const inOrder = await exported(first, second)
    expect(inOrder.split('\n').filter((line) => line.includes('"parentId"'))).toHaveLength(4)
    expect(await exported(second, first)).toBe(inOrder)
  })

  it('covers what it joins for searches, also once these are made anew', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    write(join(dir, 'a.jsonl'), FIRST)
    write(join(dir, 'b.jsonl'), SECOND)
    await importPaths(repo, [dir])
    const covered = () =>
      repo.read(
        async (reader) => {
          const session = await reader.index.session('second')
          const reached: Oid[] = []
          for await (const entry of reader.entries())
            if (session?.mayReach(entry)) reached.push(await reader.oid(entry))
          return reached
        },
        { plain: true },
      )
    const before = await covered()
    expect(before).toHaveLength(4)
    await reindex(repo)
    expect(await covered()).toEqual(before)
  })

  it('keeps what it joins where the store is collected, whichever came first', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    await importPaths(repo, [write(join(dir, 'b.jsonl'), SECOND)])
    await importPaths(repo, [write(join(dir, 'a.jsonl'), FIRST)])
    await relink(repo)
    await removeSessions(repo, ['first'])
    await gc(repo, { operations: Number.MAX_SAFE_INTEGER, grace: Number.MAX_SAFE_INTEGER })
    expect(await texts(repo, 'second')).toEqual(WHOLE)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('stays where the session that has the parent is removed', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    write(join(dir, 'a.jsonl'), FIRST)
    write(join(dir, 'b.jsonl'), SECOND)
    await importPaths(repo, [dir])
    await removeSessions(repo, ['first'])
    expect(await texts(repo, 'second')).toEqual(WHOLE)
  })
})

describe('no graft', () => {
  it('joins what two sessions have under one id and say otherwise', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    write(join(dir, 'a.jsonl'), FIRST)
    write(join(dir, 'c.jsonl'), FIRST.replaceAll('first', 'other').replaceAll('High.', 'Higher.'))
    write(join(dir, 'b.jsonl'), SECOND)
    const { grafts } = await importPaths(repo, [dir])
    expect(outcomes(grafts)).toEqual([['second', id(2), 'ambiguous', null]])
    expect(await graftsOf(repo)).toEqual([])
  })

  it('is needed to choose between copies of one conversation', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    write(join(dir, 'a.jsonl'), FIRST)
    write(join(dir, 'c.jsonl'), FIRST.replaceAll('first', 'other'))
    write(join(dir, 'b.jsonl'), SECOND)
    const { grafts } = await importPaths(repo, [dir])
    expect(grafts.map(({ outcome }) => outcome)).toEqual(['joined'])
  })

  it('joins an entry with which another session begins, now or later', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    const stranger = claudeLines('stranger', asked(id(7), null, 'And now?')).join('')
    write(join(dir, 'a.jsonl'), FIRST)
    write(join(dir, 'b.jsonl'), SECOND)
    write(join(dir, 'c.jsonl'), stranger)
    const { grafts } = await importPaths(repo, [dir])
    expect(outcomes(grafts)).toEqual([['second', id(2), 'shared', null]])
    const later = await openRepo()
    await importPaths(later, [join(dir, 'a.jsonl'), join(dir, 'b.jsonl')])
    const { files } = await importPaths(later, [join(dir, 'c.jsonl')])
    expect(files[0]?.warnings).toEqual([
      {
        code: 'graft-removed',
        line: 0,
        offset: 0,
        message: "it begins with the entry that a graft of session 'second' joins: the graft was removed",
      },
    ])
    expect(await texts(later, 'stranger')).toEqual(['And now?'])
    expect(await texts(later, 'second')).toEqual(WHOLE.slice(0, 2))
    expect((await fsck(later)).lacking).toEqual([{ session: 'second', lacking: 1, grafted: 0 }])
  })

  it('joins two sessions to each other', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    const late = FIRST.replace('"parentUuid":null', `"parentUuid":"${id(4)}"`)
    const timeless = (text: string): string => text.replaceAll(/"timestamp":"[^"]*",/g, '')
    write(join(dir, 'a.jsonl'), timeless(late))
    write(join(dir, 'b.jsonl'), timeless(SECOND))
    const { grafts } = await importPaths(repo, [dir])
    expect(grafts.map(({ outcome }) => outcome).sort()).toEqual(['circle', 'joined'])
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('joins sessions of other folders on import, but by a relink', async () => {
    const repo = await openRepo()
    const dir = newFolder()
    write(join(dir, 'a.jsonl'), FIRST.replaceAll('/work', '/elsewhere'))
    write(join(dir, 'b.jsonl'), SECOND)
    const { grafts } = await importPaths(repo, [dir])
    expect(outcomes(grafts)).toEqual([['second', id(2), 'missing', null]])
    expect(outcomes(await relink(repo))).toEqual([['second', id(2), 'joined', 'first']])
  })
})

it('remembers once what several files of one import lack alike', async () => {
  const repo = await openRepo()
  const folder = newFolder()
  for (const [i, text] of ['one', 'two', 'three'].entries())
    writeFileSync(
      join(folder, `${i}.jsonl`),
      claudeLines('s', asked('a', id(7)), answered('b', 'a'), asked('c', 'b', text)).join(''),
    )
  const { files, refused } = await importPaths(repo, [folder])
  expect([files.length, refused]).toEqual([3, []])
  expect((await fsck(repo)).findings).toEqual([])
})

import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { collected } from '../../../src/model/async.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { branchRef } from '../../../src/model/refname.ts'
import { createSession } from '../../../src/ops/append/append.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { type ImportOptions, importPaths } from '../../../src/ops/import/import.ts'
import type { ImportProgress } from '../../../src/ops/import/queue.ts'
import { isStateDue } from '../../../src/ops/import/readerstate.ts'
import type { Imported, Skipped } from '../../../src/ops/import/result.ts'
import type { Reader } from '../../../src/repo/reader.ts'
import { readHeaders } from '../../../src/repo/records.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { resolve } from '../../../src/repo/revision.ts'
import { allSessions, getSession, type SessionState, type SourceHead } from '../../../src/repo/session.ts'
import { LevelTransaction } from '../../../src/storage/levelbackend/transaction.ts'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

/** Writes a file that was last changed an hour before the store's clock begins, and gives its path. */
function write(path: string, text: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, OLD, OLD)
  return path
}
const OLD = Date.UTC(2025, 11, 31, 23) / 1000

async function importOne(repo: Repo, path: string, options?: ImportOptions): Promise<Imported> {
  const { files, refused } = await importPaths(repo, [path], options)
  expect([files.length, refused]).toEqual([1, []])
  return files[0]!
}

const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))

const sessions = (repo: Repo): Promise<string[]> =>
  repo.read(async (reader) => {
    const ids: string[] = []
    for await (const { id } of allSessions(reader)) ids.push(id)
    return ids
  })

async function bytesOf(repo: Repo, id: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, id)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Returns the oid of the entry that was stored first. */
async function firstOid(reader: Reader): Promise<Oid> {
  for await (const entry of reader.entries()) return reader.oid(entry)
  throw new Error('the store is empty')
}

const operations = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)
const namesOf = async (repo: Repo, id: string): Promise<string[]> => [
  ...(await session(repo, id)).branches.keys(),
]
const sound = async (repo: Repo): Promise<void> => expect((await fsck(repo)).findings).toEqual([])

const CRUSH = `
CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER);
CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);
INSERT INTO sessions VALUES ('s', NULL, 'T', 1);
INSERT INTO messages VALUES ('a', 's', 'user', '[{"type":"text","data":{"text":"hi"}}]', 1)`

const LINES = claudeLines(
  's1',
  asked('u1', null),
  answered('a1', 'u1'),
  asked('u2', 'a1', `a long question ${'and so on '.repeat(300)}`),
  answered('a2', 'u2'),
  asked('u3', 'a2'),
)
const TEXT = LINES.join('')

/** Returns a transcript of 3 MB, of 60 prompts. */
const largeText = (): string =>
  claudeLines(
    's1',
    ...Array.from({ length: 60 }, (_, i) =>
      asked(`u${i}`, i === 0 ? null : `u${i - 1}`, `${i} ${'long '.repeat(10_000)}`),
    ),
  ).join('')

describe('import', () => {
  it('takes a title that was changed in place for the same session, and gives the file back as it is now', async () => {
    const dir = newFolder()
    const repo = await openRepo(join(dir, 'store'))
    const title = (text: string): string => {
      const { pad, ...slot } = { type: 'title', v: 1, title: text, updatedAt: '', pad: '' }
      const { length } = JSON.stringify({ ...slot, pad })
      return `${JSON.stringify({ ...slot, pad: ' '.repeat(255 - length) })}\n`
    }
    const header =
      '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n'
    const said = (id: string, parentId: string | null): string =>
      `${JSON.stringify({ type: 'message', id, parentId, message: { role: 'user', content: id } })}\n`
    const path = write(join(dir, 's.jsonl'), title('One') + header + said('a', null))
    await importOne(repo, path)
    const texts = [
      title('Two') + header + said('a', null),
      title('Three') + header + said('a', null) + said('b', 'a'),
    ]
    for (const [at, text] of texts.entries()) {
      write(path, text)
      utimesSync(path, OLD + at + 1, OLD + at + 1)
      expect(await importOne(repo, path)).toMatchObject({ session: 's', newEntries: at })
      expect(await bytesOf(repo, 's')).toBe(text)
    }
    expect(await sessions(repo)).toEqual(['s'])
    expect((await session(repo, 's')).meta.title).toBe('Three')
    await sound(repo)
    await repo.close()
  })

  it('takes a file once, and gives its bytes back', async () => {
    const repo = await openRepo()
    const path = write(join(newFolder(), 's1.jsonl'), TEXT)
    const first = await importOne(repo, path)
    expect(first).toMatchObject({
      session: 's1',
      format: 'claude-code',
      records: 5,
      entries: 5,
      newEntries: 5,
      // The long question and the last newline lie apart.
      newObjects: 7,
      bytes: TEXT.length,
      contained: false,
      salvaged: 0,
      warnings: [],
    })
    const before = await repo.read(async (reader) => reader.sizes())
    for (let i = 0; i < 3; i++)
      expect(await importOne(repo, path)).toEqual({ ...first, newEntries: 0, newObjects: 0 })
    expect(await repo.read(async (reader) => reader.sizes())).toEqual(before)
    expect(await operations(repo)).toBe(1)
    expect(await bytesOf(repo, 's1')).toBe(TEXT)
    expect(readFileSync(path, 'utf8')).toBe(TEXT)
    await sound(repo)
  })

  it('takes a file that grows, at whatever byte it stood before', async () => {
    const whole = await openRepo()
    await importOne(whole, write(join(newFolder(), 's1.jsonl'), TEXT))
    const { branches } = await session(whole, 's1')
    const ends = LINES.map((_, i) => LINES.slice(0, i + 1).join('').length)
    const steps = [
      ends[0]! - 1,
      ends[0]!,
      ends[0]! + 1,
      ends[1]! - 5,
      ends[2]!,
      ends[3]! - 1,
      ends[3]! + 40,
      TEXT.length,
    ]
    for (const lengths of [steps, [0, ...steps], [10, ...steps]]) {
      const repo = await openRepo()
      const path = join(newFolder(), 's1.jsonl')
      const ids = new Set<string>()
      for (const length of lengths) {
        const file = await importOne(repo, write(path, TEXT.slice(0, length)))
        expect(file.bytes).toBe(length)
        expect(await bytesOf(repo, file.session)).toBe(TEXT.slice(0, length))
        ids.add(file.session)
      }
      expect(await sessions(repo)).toEqual([...ids])
      expect(ids.size).toBe(1)
      const [id = ''] = ids
      expect((await session(repo, id)).branches).toEqual(branches)
      expect((await session(repo, id)).source).toMatchObject({ count: 5, entries: 5 })
      expect((await repo.read(async (reader) => reader.sizes())).entries).toBe(5)
      await sound(repo)
    }
  })

  it('tells the line that is not complete yet', async () => {
    const repo = await openRepo()
    const torn = await importOne(repo, write(join(newFolder(), 'torn.jsonl'), TEXT.slice(0, 40)))
    expect(torn.warnings).toMatchObject([{ code: 'torn-tail', line: 1 }])
    const second = (LINES[0] as string) + (LINES[1] as string).slice(0, -9)
    const cut = await importOne(repo, write(join(newFolder(), 's1.jsonl'), second))
    expect(cut.warnings).toMatchObject([{ code: 'torn-tail', line: 2 }])
  })

  it('takes only what is new of a file that grew', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    await importOne(repo, write(path, LINES.slice(0, 2).join('')))
    const { source } = await session(repo, 's1')
    expect(await importOne(repo, write(path, TEXT))).toMatchObject({
      newEntries: 3,
      newObjects: 4,
      records: 5,
    })
    const grown = (await session(repo, 's1')).source!
    expect([grown.log, source!.count, grown.count]).toEqual([source!.log, 2, 5])
    expect(await operations(repo)).toBe(2)
  })

  it('keeps the state of its reader sooner for a file that grew, which is likely to grow again', () => {
    expect([isStateDue(40_000, 0, true), isStateDue(20_000, 0, true)]).toEqual([true, false])
    expect([isStateDue(40_000, 0, false), isStateDue(300_000, 0, false)]).toEqual([false, true])
    expect(isStateDue(4_050_000, 4_000_000, true)).toBe(false)
  })

  it.each([
    [true, ['import', 'other', 'import']],
    [false, ['import', 'other']],
  ])('lets others have the store between two files where it gives way: %s', async (givesWay, order) => {
    const repo = await openRepo()
    const folder = newFolder()
    for (const id of ['s1', 's2', 's3']) {
      const lines = claudeLines(id, asked('u1', null, `${id} ${'long '.repeat(60_000)}`))
      write(join(folder, `${id}.jsonl`), lines.join(''))
    }
    let other: Promise<string> | undefined
    const begins = (): void => {
      other ??= createSession(repo.call({ command: 'other' }))
    }
    const options = { givesWay, coalesce: 'one', onBegin: begins }
    expect((await importPaths(repo.call({ command: 'import' }), [folder], options)).files.length).toBe(3)
    await other
    const log = await repo.read((reader) => collected(reader.operations({ after: 0, upTo: 9 })))
    expect(log.map(({ command }) => command)).toEqual(order)
  })

  it('lets others have the store within a large file, of which it imports the same', async () => {
    const whole = await openRepo()
    const repo = await openRepo()
    const text = largeText()
    const path = write(join(newFolder(), 's1.jsonl'), text)
    const others: Promise<string>[] = []
    const onBegin = (): void => void others.push(createSession(repo.call({ command: 'other' })))
    const options = { givesWay: true, coalesce: 'one', onBegin }
    const part = await importOne(repo.call({ command: 'import' }), path, options)
    await Promise.all(others)
    // The line at which a part ended was stored as a tail.
    const { newObjects, ...same } = await importOne(whole, path)
    expect(part).toEqual({ ...same, newObjects: newObjects + others.length - 1 })
    expect(await bytesOf(repo, 's1')).toBe(text)
    const states = [await session(repo, 's1'), await session(whole, 's1')]
    expect(states[0]?.branches).toEqual(states[1]?.branches)
    const log = await repo.read((reader) => collected(reader.operations({ after: 0, upTo: 99 })))
    const parts = Array.from({ length: 4 }, () => ['import', 'other'])
    expect(log.map(({ command }) => command)).toEqual(parts.flat())
    await sound(repo)
  })

  it('reads on in a file of which it was ended early and then stopped', async () => {
    const repo = await openRepo()
    const text = largeText()
    const path = write(join(newFolder(), 's1.jsonl'), text)
    // A note of a file that changed just now is not relied on.
    utimesSync(path, 5, 5)
    const stop = new AbortController()
    const others: Promise<string>[] = []
    const onBegin = (): void => {
      if (others.length > 0) stop.abort()
      else others.push(createSession(repo.call({ command: 'other' })))
    }
    const call = repo.call({ command: 'import', signal: stop.signal })
    await importPaths(call, [path], { givesWay: true, onBegin }).catch(() => undefined)
    await Promise.all(others)
    const part = (await session(repo, 's1'))?.source?.bytes ?? 0
    expect(part).toBeGreaterThan(0)
    expect(part).toBeLessThan(text.length)
    await importOne(repo, path)
    expect(await bytesOf(repo, 's1')).toBe(text)
  })

  it('knows an earlier state of a session that it has', async () => {
    const repo = await openRepo()
    const folder = newFolder()
    await importOne(repo, write(join(folder, 's1.jsonl'), TEXT))
    const refs = await session(repo, 's1')
    for (const length of [LINES[0]!.length, TEXT.length - 10]) {
      const copy = write(join(folder, `copy-${length}.jsonl`), TEXT.slice(0, length))
      expect(await importOne(repo, copy)).toMatchObject({ session: 's1', contained: true, newEntries: 0 })
    }
    expect(await importOne(repo, write(join(folder, 'same.jsonl'), TEXT))).toMatchObject({
      session: 's1',
      contained: false,
    })
    expect(await session(repo, 's1')).toEqual(refs)
    expect(await operations(repo)).toBe(1)
  })

  it('keeps apart a file that has the id of another session and says something else', async () => {
    const repo = await openRepo()
    const folder = newFolder()
    await importOne(repo, write(join(folder, 'a', 's1.jsonl'), TEXT))
    const lines = claudeLines(
      's1',
      asked('u1', null),
      answered('a1', 'u1', 'something else'),
      asked('u9', 'a1'),
    )
    const path = join(folder, 'b', 's1.jsonl')
    const other = await importOne(repo, write(path, lines.slice(0, 2).join('')))
    expect(other.session).toMatch(/^s1-[0-9a-f]{8}$/)
    expect(other).toMatchObject({ newEntries: 1, contained: false })
    expect((await session(repo, other.session)).meta.native).toBe('s1')
    expect((await importOne(repo, path)).session).toBe(other.session)
    // It grows under the id that it was given, wherever it lies.
    expect((await importOne(repo, write(path, lines.join('')))).session).toBe(other.session)
    expect((await importOne(repo, write(join(folder, 'c', 's1.jsonl'), lines.join('')))).session).toBe(
      other.session,
    )
    expect(await bytesOf(repo, other.session)).toBe(lines.join(''))
    expect(await bytesOf(repo, 's1')).toBe(TEXT)
    expect((await sessions(repo)).toSorted()).toEqual(['s1', other.session])
    await sound(repo)
  })

  it('keeps what a file said before it was rewritten', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    await importOne(repo, write(path, TEXT))
    const [first, second] = [LINES[0]!, LINES[1]!.replace('answer a1', 'another answer')]
    const rewritten = await importOne(repo, write(path, first + second))
    expect(rewritten.session).toMatch(/^s1-[0-9a-f]{8}$/)
    expect(await bytesOf(repo, 's1')).toBe(TEXT)
    expect(await bytesOf(repo, rewritten.session)).toBe(first + second)
  })

  it('reads a file again that was changed just before it was read', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    const touch = (text: string, milliseconds: number): void => {
      writeFileSync(path, text)
      utimesSync(path, milliseconds / 1000, milliseconds / 1000)
    }
    const other = TEXT.replace('ask u3', 'ASK U3')
    const now = repo.env.now()
    touch(TEXT, now)
    expect((await importOne(repo, path)).session).toBe('s1')
    // Within one tick of the clock the file may change and look the same.
    touch(other, now)
    expect((await importOne(repo, path)).session).toMatch(/^s1-/)
    touch(TEXT, now - 3_600_000)
    await importOne(repo, path)
    touch(other, now - 3_600_000)
    // A file that has been at rest costs a stat.
    expect(await importOne(repo, path)).toMatchObject({ session: 's1', newEntries: 0 })
    touch(other, now - 3_500_000)
    expect((await importOne(repo, path)).session).toMatch(/^s1-/)
  })

  it('takes again what was taken into a store that lost it', async () => {
    const repo = await openRepo()
    const path = write(join(newFolder(), 's1.jsonl'), TEXT)
    await importOne(repo, path)
    await repo.write({}, async ({ reader, move }) => {
      for await (const [name, value] of reader.refs('')) move(name, value, undefined)
    })
    expect(await sessions(repo)).toEqual([])
    expect(await importOne(repo, path)).toMatchObject({ session: 's1', newEntries: 0 })
    expect(await bytesOf(repo, 's1')).toBe(TEXT)
    await sound(repo)
  })
})

describe('the branches of an imported session', () => {
  const forked = claudeLines(
    's1',
    asked('u1', null),
    answered('a1', 'u1'),
    asked('u2', 'a1'),
    answered('a2', 'u2'),
    asked('u2b', 'a1'),
    answered('a2b', 'u2b'),
    asked('u3', 'a2'),
    asked('u4', 'u3'),
    asked('u3b', 'a2b'),
    asked('u2c', 'a1'),
    asked('u5', 'u4'),
  )

  it('are main and a name for every other leaf that never changes', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    const steps: { [name: string]: Oid }[] = []
    for (let count = 1; count <= forked.length; count++) {
      await importOne(repo, write(path, forked.slice(0, count).join('')))
      steps.push(Object.fromEntries((await session(repo, 's1')).branches))
    }
    expect(steps.map((step) => Object.keys(step).length)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3])
    for (const step of steps)
      for (const name of Object.keys(step)) expect(name).toMatch(/^(?:main|at-[0-9a-f]{8})$/)
    const { log } = (await session(repo, 's1')).source as SourceHead
    const oids = await repo.read(async (reader) => {
      const found: Oid[] = []
      for (let position = 0; position < forked.length; position++)
        for await (const [, { entry }] of readHeaders(reader, log, position, position + 1))
          found.push(await reader.oid(entry as EntryHandle))
      return found
    })
    const at = (position: number): string => `at-${oids[position]!.slice(0, 8)}`
    // u2 parts from u2b and u2c behind a1.
    expect(Object.keys(steps[4]!)).toEqual([at(2), 'main'].toSorted())
    expect(steps[4]).toEqual({ main: oids[4], [at(2)]: oids[3] })
    expect(steps[6]).toEqual({ main: oids[6], [at(4)]: oids[5] })
    expect(steps[8]).toEqual({ main: oids[8], [at(2)]: oids[7] })
    expect(steps[9]).toEqual({ main: oids[9], [at(2)]: oids[7], [at(4)]: oids[8] })
    expect(steps[10]).toEqual({ main: oids[10], [at(4)]: oids[8], [at(9)]: oids[9] })
    const whole = await openRepo()
    await importOne(whole, write(join(newFolder(), 's1.jsonl'), forked.join('')))
    expect(Object.fromEntries((await session(whole, 's1')).branches)).toEqual(steps[10])
  })

  it('stay where a user moved them, and source says where the source is', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    await importOne(repo, write(path, LINES.slice(0, 3).join('')))
    const { branches } = await session(repo, 's1')
    const root = await repo.read(firstOid)
    await repo.write({}, ({ move }) => move(branchRef('s1', 'main'), branches.get('main'), root))
    await importOne(repo, write(path, LINES.slice(0, 4).join('')))
    const moved = (await session(repo, 's1')).branches
    expect([[...moved.keys()], moved.get('main')]).toEqual([['main', 'source'], root])
    await importOne(repo, write(path, TEXT))
    const last = (await session(repo, 's1')).branches
    expect([[...last.keys()], last.get('main')]).toEqual([['main', 'source'], root])
    expect(last.get('source')).not.toBe(moved.get('source'))
    expect(await importOne(repo, path)).toMatchObject({ newEntries: 0 })
    expect(await operations(repo)).toBe(4)
  })

  it('leave a branch of the user alone that is called source', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    await importOne(repo, write(path, LINES.slice(0, 3).join('')))
    const { branches } = await session(repo, 's1')
    const root = await repo.read(firstOid)
    await repo.write({}, ({ move }) => {
      move(branchRef('s1', 'main'), branches.get('main'), root)
      move(branchRef('s1', 'source'), undefined, root)
    })
    await importOne(repo, write(path, LINES.slice(0, 4).join('')))
    const of = async (id: string): Promise<Oid> =>
      (await repo.read((reader) => resolve(reader, `s1:${id}`))).oid
    const fourth = await of('a2')
    const own = `source-${fourth.slice(0, 8)}`
    const all = async (): Promise<object> => Object.fromEntries((await session(repo, 's1')).branches)
    expect(await all()).toEqual({ main: root, source: root, [own]: fourth })
    // A record without an entry moves no ref.
    await importOne(repo, write(path, `${LINES.slice(0, 4).join('')}{"type":"last-prompt"}\n`))
    expect(await all()).toEqual({ main: root, source: root, [own]: fourth })
    await importOne(
      repo,
      write(path, `${LINES.slice(0, 4).join('')}{"type":"last-prompt"}\n${LINES.slice(4).join('')}`),
    )
    expect(await all()).toEqual({ main: root, source: root, [own]: await of('u3') })
    await sound(repo)
  })

  it('that a user removed do not come back', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 's1.jsonl')
    await importOne(repo, write(path, forked.slice(0, 6).join('')))
    const [name = ''] = (await namesOf(repo, 's1')).filter((one) => one !== 'main')
    const oid = (await session(repo, 's1')).branches.get(name)
    await repo.write({}, ({ move }) => move(branchRef('s1', name), oid, undefined))
    await importOne(repo, write(path, forked.slice(0, 7).join('')))
    expect(await namesOf(repo, 's1')).not.toContain(name)
  })
})

describe('importing paths', () => {
  it('names a session by the id in its JSON document', async () => {
    const repo = await openRepo()
    const folder = newFolder()
    const said = (id: string, text: string): string =>
      JSON.stringify({ id, messages: [{ role: 'user', content: text }] }, null, 2)
    await importPaths(repo, [
      write(join(folder, 'a/chat.json'), said('one', 'Hi')),
      write(join(folder, 'b/chat.json'), said('two', 'Hi')),
    ])
    expect(await sessions(repo)).toEqual(['one', 'two'])
  })

  it('refuses a path that goes on below a file', async () => {
    const repo = await openRepo()
    const path = write(join(newFolder(), 's1.jsonl'), TEXT)
    const { files, refused } = await importPaths(repo, [join(path, 'more'), path])
    expect([files.length, refused.map(({ error }) => error.code)]).toEqual([1, ['no-path']])
  })

  it('takes several files of one session in one run', async () => {
    const repo = await openRepo()
    const folder = newFolder()
    const texts = [TEXT, LINES.slice(0, 2).join(''), LINES.slice(0, 4).join('')]
    const paths = texts.map((text, i) => write(join(folder, `${i}.jsonl`), text))
    const orders = [
      [0, 1, 2],
      [1, 2, 0],
      [2, 1, 0],
    ]
    for (const order of orders) {
      const store = await openRepo()
      const { files, totals } = await importPaths(
        store,
        order.map((i) => paths[i]!),
      )
      expect(files.map(({ session: id, path }) => [id, path])).toEqual(order.map((i) => ['s1', paths[i]]))
      expect(totals).toMatchObject({ files: 3, sessions: 1, newEntries: 5 })
      expect(await bytesOf(store, 's1')).toBe(TEXT)
      expect(await operations(store)).toBe(1)
      await sound(store)
    }
    expect((await importPaths(repo, [paths[0]!, paths[0]!])).files.map((file) => file.newEntries)).toEqual([
      5, 0,
    ])
  })

  it('goes on where one of them cannot be taken', async () => {
    const repo = await openRepo()
    const folder = newFolder()
    const path = write(join(folder, 's1.jsonl'), TEXT)
    const seen: string[] = []
    const { files, refused } = await importPaths(
      repo,
      [join(folder, 'missing'), path, join(folder, 'gone')],
      {
        onFile: (file) => seen.push('error' in file ? file.error.code : file.session),
      },
    )
    expect(files.map((file) => file.session)).toEqual(['s1'])
    expect(refused.map((file) => [file.path, file.error.code])).toEqual([
      [join(folder, 'missing'), 'no-path'],
      [join(folder, 'gone'), 'no-path'],
    ])
    expect(seen).toEqual(['no-path', 's1', 'no-path'])
  })

  it('takes from a folder what holds conversation, no credentials, and follows no links', async () => {
    const repo = await openRepo()
    const [folder, outside] = [newFolder(), newFolder()]
    const other = (id: string): string => claudeLines(id, asked('u1', null, id)).join('')
    write(join(folder, 'b', 'deep', 's1.jsonl'), TEXT)
    write(join(folder, 'a', 's2.jsonl'), other('s2'))
    for (const name of ['auth.json', '.credentials.json', 'token.json', 'id_rsa', '.env'])
      write(join(folder, name), '{"role":"user","content":"sk-secret"}\n')
    write(join(folder, 'package.json'), '{"name":"x","version":"1.0.0"}\n')
    write(join(folder, 'notes.txt'), 'hello\n')
    write(join(outside, 's3.jsonl'), other('s3'))
    symlinkSync(outside, join(folder, 'linked'))
    symlinkSync(join(outside, 's3.jsonl'), join(folder, 's3.jsonl'))
    symlinkSync(folder, join(folder, 'a', 'round'))
    write(join(folder, 'talk.txt'), '{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n')
    const { files, refused, skipped } = await importPaths(repo, [folder])
    expect(files.map(({ path }) => path.slice(folder.length))).toEqual(['/a/s2.jsonl', '/b/deep/s1.jsonl'])
    expect(refused).toEqual([])
    const left = {
      '/.credentials.json': 'credentials',
      '/.env': 'credentials',
      '/a/round': 'symbolic-link',
      '/auth.json': 'credentials',
      '/id_rsa': 'credentials',
      '/linked': 'symbolic-link',
      '/notes.txt': 'no-conversation',
      '/package.json': 'no-conversation',
      '/s3.jsonl': 'symbolic-link',
      '/token.json': 'credentials',
    }
    const reasons = (of: readonly Skipped[]): object =>
      Object.fromEntries(of.map(({ path, skipped: why }) => [path.slice(folder.length), why]))
    expect(reasons(skipped)).toEqual({ ...left, '/talk.txt': 'no-conversation' })
    // Every file is kept, those without a conversation too; no credentials, and no links.
    const everything = await importPaths(repo, [folder], { all: true })
    expect(everything.files.map(({ path }) => path.slice(folder.length))).toEqual([
      '/a/s2.jsonl',
      '/b/deep/s1.jsonl',
      '/notes.txt',
      '/package.json',
      '/talk.txt',
    ])
    expect(reasons(everything.skipped)).toEqual(
      Object.fromEntries(Object.entries(left).filter(([, why]) => why !== 'no-conversation')),
    )
    // A file that is named is imported.
    expect((await importOne(repo, join(folder, 's3.jsonl'))).session).toBe('s3')
    expect((await importOne(repo, join(folder, 'auth.json'))).format).not.toBe('')
    await sound(repo)
  })

  it.each(['.crush/crush.db', 'sessions.db', 'old/copy.sqlite'])(
    'reads a database in a folder by the sessions in it: %s',
    async (name) => {
      const folder = newFolder()
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      copyFileSync(newDatabase(CRUSH), join(folder, name))
      write(join(folder, name.replace(/[^/]*$/, 'other.db')), readFileSync(newDatabase('CREATE TABLE t (x)')))
      write(`${join(folder, name)}-shm`, 'shared memory')
      for (const all of [false, true]) {
        const repo = await openRepo()
        const { files, refused, skipped } = await importPaths(repo, [folder], { all })
        expect(refused).toEqual([])
        const read = files.filter(({ format }) => format !== 'bytes')
        expect(read.map(({ path, format }) => [path, format])).toEqual([[`${join(folder, name)}#s`, 'crush']])
        // With `all` the files themselves are kept too.
        const kept = files.filter(({ format }) => format === 'bytes').map(({ path }) => basename(path))
        const everyFile = [basename(name), `${basename(name)}-shm`, 'other.db']
        expect(kept.toSorted()).toEqual(all ? everyFile.toSorted() : [])
        expect(skipped.map(({ path }) => basename(path))).toEqual(all ? [] : ['other.db'])
      }
    },
  )

  it('writes buffers after many records, however small they are', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 'tiny.jsonl')
    writeFileSync(path, '{}\n'.repeat(10_000))
    const flushed = vi.spyOn(LevelTransaction.prototype, 'flush')
    const { totals } = await importPaths(repo, [path])
    expect(totals.records).toBe(10_000)
    expect(flushed.mock.calls.length).toBeGreaterThan(2)
    flushed.mockRestore()
  })

  it('says what an interrupted import kept, and the next one uses it', async () => {
    const folder = newFolder()
    const large = claudeLines(
      'large',
      asked('q', null),
      ...Array.from({ length: 2000 }, (_, i) =>
        answered(`r${i}`, i === 0 ? 'q' : `r${i - 1}`, `${i} ${'x'.repeat(900)}`),
      ),
    )
    write(join(folder, 'a.jsonl'), TEXT)
    write(join(folder, 'b.jsonl'), large.join(''))
    const [stop, dir] = [new AbortController(), join(newFolder(), 'store')]
    const stopped = await openRepo(dir, { signal: stop.signal })
    const importing = (
      repo: Repo,
      names: readonly string[],
      onProgress?: (progress: ImportProgress) => void,
    ) =>
      importPaths(
        repo,
        names.map((name) => join(folder, name)),
        onProgress ? { onProgress } : {},
      )
    await importing(stopped, ['a.jsonl'])
    const interrupted = importing(stopped, ['b.jsonl'], ({ bytes }) => {
      if (bytes > 1 << 20) stop.abort()
    })
    const message = await interrupted.then(
      () => '',
      (error: unknown) => String(error),
    )
    const [, entries] =
      /no file is imported yet; up to (\d+) entries of the next files are kept, and the next import uses them$/.exec(
        message,
      ) ?? []
    expect(Number(entries)).toBeGreaterThan(1000)
    await stopped.close()
    const repo = await openRepo(dir)
    expect(await sessions(repo)).toEqual(['s1'])
    const { totals } = await importing(repo, ['a.jsonl', 'b.jsonl'])
    expect(totals.entries).toBe(5 + 2001)
    expect(totals.newEntries).toBeLessThan(2001)
    await sound(repo)
  })

  it('is one operation, however many files', async () => {
    const repo = await openRepo(undefined, { command: 'sess import' })
    const folder = newFolder()
    for (let i = 0; i < 30; i++)
      write(join(folder, `${i}.jsonl`), claudeLines(`n${i}`, asked('u', null, `${i}`)).join(''))
    await importPaths(repo, [folder])
    expect(await operations(repo)).toBe(1)
    const operation = await repo.read((reader) => reader.operation(1))
    expect(operation?.command).toBe('sess import')
    expect(operation?.moves.every(({ old }) => old === undefined)).toBe(true)
    expect(new Set(operation?.moves.map(({ name }) => name.split('/')[1])).size).toBe(30)
  })

  it('leaves sources as they were', async () => {
    const repo = await openRepo()
    const path = write(join(newFolder(), 's1.jsonl'), TEXT)
    const before = statSync(path)
    await importOne(repo, path)
    const after = statSync(path)
    expect([after.mtimeMs, after.ctimeMs, after.size]).toEqual([before.mtimeMs, before.ctimeMs, before.size])
  })
})

it('a session begins when its first record was written, where nothing says more', async () => {
  const repo = await openRepo()
  const says = (role: string, hour: string): string =>
    `${JSON.stringify({ role, content: 'Hi', timestamp: `2025-01-27T${hour}:00:00.000Z` })}\n`
  const path = write(join(newFolder(), 'chat.jsonl'), says('user', '03') + says('assistant', '04'))
  const { format, session: id } = await importOne(repo, path)
  expect(format).toBe('clawdbot')
  const { meta } = await session(repo, id)
  expect(meta.created).toBe(Date.UTC(2025, 0, 27, 3))
})

it('a history in a project is of that project', async () => {
  const repo = await openRepo()
  const project = newFolder()
  const text = '# aider chat started at 2026-01-01 00:00:00\n\n#### Hi\n\nHello\n\n'
  const path = write(join(project, '.aider.chat.history.md'), text)
  const elsewhere = await importPaths(repo, [project], { only: { cwd: join(project, 'x') } })
  expect(elsewhere.files).toEqual([])
  const { files } = await importPaths(repo, [project], { only: { cwd: project } })
  const { meta } = await session(repo, files[0]?.session ?? '')
  expect([files[0]?.path, meta.cwd]).toEqual([path, project])
  const copy = await importOne(repo, write(join(newFolder(), 'copy.md'), text.replace('Hi', 'Ho')))
  expect((await session(repo, copy.session)).meta.cwd).toBeNull()
})

it('a file whose name is not UTF-8 is refused with a hint that says so, and the others are imported', async () => {
  const folder = newFolder()
  const lines = claudeLines('s', asked('q', null)).join('')
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff), Buffer.from('.jsonl')]), lines)
  writeFileSync(join(folder, 's.jsonl'), lines)
  const { files, refused } = await importPaths(await openRepo(), [folder])
  expect(files).toMatchObject([{ session: 's' }])
  expect(refused.map(({ error }) => [error.code, error.hint])).toEqual([
    ['unreadable-path', 'its name is not UTF-8: rename it'],
  ])
})

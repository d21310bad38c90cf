import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { branchRef } from '../../../src/model/refname.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fork } from '../../../src/ops/fork.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { type ImportResult, importPaths } from '../../../src/ops/import/import.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { allSessions, getSession, type SessionState } from '../../../src/repo/session.ts'
import { sampled } from '../../support/amount.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

/** Writes a file that was last changed long ago, and gives its path. */
function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, 1e9, 1e9)
  return path
}

const jsonl = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

const ID = '0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c'
const at = (s: number): string => new Date(Date.UTC(2026, 0, 1) + s * 1000).toISOString()

const header = (kind: string, start = 0): object => ({
  sessionId: ID,
  projectHash: 'f',
  startTime: at(start),
  lastUpdated: at(start),
  kind,
})
const said = (id: string, s: number, text = id): object => ({
  id,
  timestamp: at(s),
  type: 'user',
  content: text,
})
const replied = (id: string, s: number): object => ({
  id,
  timestamp: at(s),
  type: 'gemini',
  content: id,
  model: 'g',
})
const claudeStub = (id: string): string =>
  jsonl(
    { type: 'mode', mode: 'normal', sessionId: id },
    { type: 'last-prompt', lastPrompt: 'x', sessionId: id },
  )

/** Files with one id: the text of each by its path, that of the file whose session has the id first. */
const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a main session and its sub-agent': {
    'chats/session-b.jsonl': jsonl(header('main'), said('m1', 1), replied('m2', 2)),
    'chats/session-a.jsonl': jsonl(header('subagent'), said('s1', 1), replied('s2', 2), said('s3', 3)),
  },
  'a document that was written again as lines': {
    'chats/session-a.jsonl': jsonl(header('main'), said('m1', 1), replied('m2', 2)),
    'chats/session-a.json': JSON.stringify({
      ...header('main'),
      messages: [said('m1', 1), replied('m2', 2), said('m3', 3)],
    }),
  },
  'a conversation and what is left of it elsewhere': {
    [`b/${ID}.jsonl`]: claudeLines(ID, asked('u1', null), answered('a1', 'u1')).join(''),
    [`a/${ID}.jsonl`]: claudeStub(ID),
  },
  'a copy that continues the other one': {
    [`b/${ID}.jsonl`]: `\n${claudeLines(ID, asked('u1', null), answered('a1', 'u1'), asked('u2', 'a1')).join('')}`,
    [`a/${ID}.jsonl`]: claudeLines(ID, asked('u1', null), answered('a1', 'u1')).join(''),
  },
  'two conversations that have nothing in common': {
    [`b/${ID}.jsonl`]: claudeLines(ID, asked('u1', null, 'Fix it.'), answered('a1', 'u1')).join(''),
    [`a/${ID}.jsonl`]: claudeLines(ID, asked('v1', null, 'Paint it.'), answered('b1', 'v1')).join(''),
  },
  'a main session, two sub-agents and an empty file': {
    'chats/session-d.jsonl': jsonl(header('main'), said('m1', 5), replied('m2', 6)),
    'chats/session-a.jsonl': jsonl(header('subagent'), said('s1', 1), replied('s2', 2)),
    'chats/session-b.jsonl': jsonl(header('subagent'), said('t1', 3), replied('t2', 4)),
    'chats/session-c.jsonl': jsonl(header('main', 9)),
  },
}

function orders<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((one, i) => orders(all.toSpliced(i, 1)).map((rest) => [one, ...rest]))
}

async function bytesOf(repo: Repo, id: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, id)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Returns what can be seen of all sessions, whatever the logs are called. */
async function seen(repo: Repo): Promise<object> {
  const states = await repo.read(async (reader) => {
    const all: SessionState[] = []
    for await (const session of allSessions(reader)) all.push(session)
    return all
  })
  const found: Record<string, object> = {}
  for (const { id, meta, branches, files, source } of states)
    found[id] = {
      ...{ meta, branches: Object.fromEntries(branches), files: [...files.keys()].sort() },
      ...{ bytes: await bytesOf(repo, id), entries: source?.entries, claim: source?.claim },
    }
  return found
}

const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))
const operations = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)

describe.each(Object.entries(SETS))('the id of %s', (_, texts) => {
  const written = (folder = newFolder()): string[] =>
    Object.entries(texts).map(([name, text]) => write(join(folder, name), text))

  it('belongs to the same file, whatever the order of imports', async () => {
    const paths = written()
    let expected: object | undefined
    for (const order of sampled(orders(paths), 6))
      for (const imports of [[order], order.map((path) => [path])]) {
        const repo = await openRepo()
        for (const some of imports) expect((await importPaths(repo, some)).refused).toEqual([])
        const now = await seen(repo)
        expected ??= now
        expect({ order: order.join(), ...now }).toEqual({ order: order.join(), ...expected })
        expect(await bytesOf(repo, ID)).toBe(Object.values(texts)[0])
        const before = await operations(repo)
        const again = await importPaths(repo, order)
        expect([again.totals.newObjects, again.moved, await operations(repo)]).toEqual([0, [], before])
        expect(await seen(repo)).toEqual(expected)
        expect((await fsck(repo)).findings).toEqual([])
      }
  })

  it('is settled by the next import where the one that read the files was stopped before', async () => {
    const paths = written()
    const order = [...paths].reverse()
    const [whole, stopping] = [await openRepo(), new AbortController()]
    let left = 0
    await importPaths(whole, order, { onFile: () => left++ })
    const stopped = await openRepo(undefined, { signal: stopping.signal })
    const onFile = (): void => {
      if (--left === 0) stopping.abort()
    }
    await expect(importPaths(stopped, order, { onFile })).rejects.toMatchObject({ code: 'stopped' })
    await stopped.close()
    const repo = await openRepo(stopped.dir)
    await importPaths(repo, paths)
    expect(await bytesOf(repo, ID)).toBe(await bytesOf(whole, ID))
  })

  it('moves in the operation of the import, which undo takes back', async () => {
    const [repo, paths] = [await openRepo(), written()]
    await importPaths(repo, [paths[1]!])
    const [before, number] = [await seen(repo), await operations(repo)]
    await importPaths(repo, [paths[0]!])
    const after = await seen(repo)
    expect(await operations(repo)).toBe(number + 1)
    await undo(repo, { any: true })
    expect(await seen(repo)).toEqual(before)
    await importPaths(repo, paths)
    expect(Object.keys(await seen(repo))).toEqual(
      paths.length === 2 ? Object.keys(after) : expect.arrayContaining(Object.keys(after)),
    )
    expect((await fsck(repo)).findings).toEqual([])
  })
})

describe('an id that moves to another file', () => {
  const agent = jsonl(header('subagent'), said('s1', 1), replied('s2', 2))
  const caller = jsonl(header('main'), said('m1', 1), replied('m2', 2))

  async function moved(
    change: (repo: Repo) => Promise<void>,
  ): Promise<{ repo: Repo; result: ImportResult; other: string }> {
    const folder = newFolder()
    const repo = await openRepo()
    await importPaths(repo, [write(join(folder, 'chats', 'session-a.jsonl'), agent)])
    await change(repo)
    const result = await importPaths(repo, [write(join(folder, 'chats', 'session-b.jsonl'), caller)])
    const other = (
      await repo.read(async (reader) => {
        const ids: string[] = []
        for await (const { id } of allSessions(reader)) if (id.startsWith(`${ID}-`)) ids.push(id)
        return ids
      })
    )[0]!
    return { repo, result, other }
  }

  it('is reported, and is that of the file in the result', async () => {
    const { result, other } = await moved(() => Promise.resolve())
    expect(other).toMatch(new RegExp(`^${ID}-[0-9a-f]{8}$`))
    expect(result.files.map((file) => file.session)).toEqual([ID])
    expect(result.moved.map(({ now }) => now)).toEqual([ID, other])
  })

  it('keeps what its user made of the session', async () => {
    let oid = '' as Oid
    const { repo, other } = await moved(async (before) => {
      oid = (await session(before, ID)).branches.get('main') as Oid
      await setLabel(before, 'mine', ID)
      await before.write({}, ({ move }) => move(branchRef(ID, 'own'), undefined, oid))
      await fork(before, ID)
    })
    const { labels, branches, meta } = await session(repo, ID)
    expect(labels.get('mine')).toBe(oid)
    expect(branches.get('own')).toBe(oid)
    expect(branches.get('main')).not.toBe(oid)
    expect(meta.parent).toBeUndefined()
    expect((await session(repo, other)).branches.get('main')).toBe(oid)
    expect((await session(repo, other)).meta).toMatchObject({ native: ID, parent: ID })
    expect((await session(repo, other)).labels.size).toBe(0)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('leaves a branch where its user moved it, and source says where the source is', async () => {
    let oid = '' as Oid
    const { repo } = await moved(async (before) => {
      const tip = (await session(before, ID)).branches.get('main') as Oid
      oid = await before.read(async (reader) => {
        const [parent] = (await reader.node((await reader.find(tip))!)).parents
        return reader.oid(parent!)
      })
      await before.write({}, ({ move }) => move(branchRef(ID, 'main'), tip, oid))
    })
    const { branches, source } = await session(repo, ID)
    expect(branches.get('main')).toBe(oid)
    expect(branches.get('source')).toBe(source?.branches.main)
  })
})

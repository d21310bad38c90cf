import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collected } from '../../../src/model/async.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { exportToAgent } from '../../../src/ops/export/destinations.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { type ImportOptions, type ImportResult, importPaths } from '../../../src/ops/import/import.ts'
import { listSessions } from '../../../src/ops/list.ts'
import { resumeOf } from '../../../src/ops/resume.ts'
import { search } from '../../../src/ops/search/search.ts'
import { findCurrent } from '../../../src/repo/currentsession.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { findSession, getSession, type SessionState } from '../../../src/repo/session.ts'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const jsonl = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** Writes a file that was last changed at a time of its own, long ago, and gives its path. */
function write(path: string, text: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, ++clock, clock)
  return path
}
let clock = 1e9

const ID = '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'
const LINES = claudeLines(ID, asked('u1', null), answered('a1', 'u1'), asked('u2', 'a1'))
const TEXT = LINES.join('')
const STUB = jsonl(
  { type: 'last-prompt', lastPrompt: 'ask u1', sessionId: ID },
  { type: 'ai-title', aiTitle: 'Unsaid', sessionId: ID },
)

const SILENT: Readonly<Record<string, readonly [name: string, text: string]>> = {
  'Claude Code: a mode and a title': [`${ID}.jsonl`, STUB],
  'Codex: its header': [
    'rollout-2026-01-01T00-00-00-01a0bbbb-0000-7000-8000-0000000000bb.jsonl',
    jsonl({
      timestamp: '2026-01-01T00:00:00.000Z',
      type: 'session_meta',
      payload: { id: '01a0bbbb-0000-7000-8000-0000000000bb', cwd: '/work' },
    }),
  ],
  'Gemini CLI: its header': [
    'chats/session-1.jsonl',
    jsonl(
      { sessionId: ID, projectHash: 'f', kind: 'main', startTime: '2026-01-01T00:00:00.000Z' },
      { $set: { memoryScratchpad: { x: 1 } } },
    ),
  ],
  'Gemini CLI: a document without messages': [
    'chats/session-1.json',
    JSON.stringify({ sessionId: ID, projectHash: 'f', startTime: '2026-01-01T00:00:00.000Z', messages: [] }),
  ],
  'pi: its header and the settings that it begins with': [
    'pi.jsonl',
    jsonl(
      { type: 'session', version: 3, id: 'pi-1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/work' },
      {
        type: 'model_change',
        id: 'm1',
        parentId: null,
        timestamp: '2026-01-01T00:00:00.000Z',
        provider: 'x',
        modelId: 'y',
      },
    ),
  ],
}

async function bytesOf(repo: Repo, id: string): Promise<string> {
  return Buffer.concat(await collected(exportSession(repo, id))).toString()
}
const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))
const idsIn = async (repo: Repo): Promise<string[]> =>
  [...(await listSessions(repo)).rows()].map(({ id }) => id)
const operations = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)
const mainOf = async (repo: Repo): Promise<Oid | undefined> => (await session(repo, ID)).branches.get('main')

describe.each(Object.entries(SILENT))('a file without a message (%s)', (_, [name, text]) => {
  it('makes no session where it is found in a folder, and is counted each time', async () => {
    const [repo, folder] = [await openRepo(), newFolder()]
    const path = write(join(folder, name), text)
    const result = await importPaths(repo, [folder])
    expect([result.files, result.skipped]).toEqual([[], [{ path, skipped: 'no-message' }]])
    expect(await idsIn(repo)).toEqual([])
    const before = await operations(repo)
    expect((await importPaths(repo, [folder])).skipped).toEqual(result.skipped)
    expect(await operations(repo)).toBe(before)
  })

  it('makes a session where it is named, which gives it back and which nothing picks by itself', async () => {
    const repo = await openRepo()
    const path = write(join(newFolder(), name), text)
    await importPaths(repo, [dirname(path)])
    const { files } = await importPaths(repo, [path])
    expect(files).toHaveLength(1)
    const [row] = [...(await listSessions(repo)).rows()]
    expect(row).toMatchObject({ id: files[0]?.session, silent: true })
    expect(await bytesOf(repo, files[0]?.session ?? '')).toBe(text)
    expect(await repo.read(findCurrent)).toBeUndefined()
    expect((await search(repo, 'unsaid')).hits).toEqual([])
    expect((await importPaths(repo, [path])).files[0]).toMatchObject({ session: row?.id, newObjects: 0 })
    expect((await fsck(repo)).findings).toEqual([])
  })
})

it('a file without a message makes a session where every file is wanted, also beside its conversation', async () => {
  const folder = newFolder()
  const stub = write(join(folder, 'a', `${ID}.jsonl`), STUB)
  const talk = write(join(folder, 'b', `${ID}.jsonl`), TEXT)
  const repo = await openRepo()
  expect((await importPaths(repo, [folder])).files.map(({ path }) => path)).toEqual([talk])
  const { files } = await importPaths(repo, [folder], { all: true })
  expect(files.map(({ path }) => path)).toEqual([stub, talk])
  expect(await Promise.all(files.map((file) => bytesOf(repo, file.session)))).toEqual([STUB, TEXT])
  expect(files[1]?.session).toBe(ID)
})

it('a file without a message becomes a session once somebody speaks in it', async () => {
  const [repo, folder] = [await openRepo(), newFolder()]
  const path = write(join(folder, `${ID}.jsonl`), STUB)
  await importPaths(repo, [folder])
  appendFileSync(path, TEXT)
  utimesSync(path, ++clock, clock)
  const { files, skipped } = await importPaths(repo, [folder])
  expect([files.map((file) => file.session), skipped]).toEqual([[ID], []])
  expect(await bytesOf(repo, ID)).toBe(STUB + TEXT)
  expect([...(await listSessions(repo)).rows()][0]).toMatchObject({ silent: false, title: 'Unsaid' })
})

it('a file whose messages no reader knows is no file without a message', async () => {
  const [repo, folder] = [await openRepo(), newFolder()]
  const turn = { type: 'turn', uuid: 'x', sessionId: ID, message: { role: 'user', content: 'Fix it.' } }
  write(join(folder, `${ID}.jsonl`), jsonl({ type: 'mode', mode: 'normal', sessionId: ID }, turn))
  write(
    join(folder, 'session-2.json'),
    JSON.stringify({
      sessionId: 'g2',
      projectHash: 'f',
      turns: [{ role: 'user', parts: [{ text: 'Fix it.' }] }],
    }),
  )
  expect((await importPaths(repo, [folder])).files.map((file) => file.session).toSorted()).toEqual([ID, 'g2'])
})

it('a session of a database in which nobody spoke is counted', async () => {
  const repo = await openRepo()
  const path = newDatabase(
    `CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER);
    CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);
    INSERT INTO sessions VALUES ('s', NULL, 'T', 1), ('empty', NULL, 'E', 2);
    INSERT INTO messages VALUES ('a', 's', 'user', '[{"type":"text","data":{"text":"hi"}}]', 1)`,
  )
  for (const _ of [1, 2]) {
    const { files, skipped } = await importPaths(repo, [path])
    expect(files.map((file) => file.session)).toEqual(['s'])
    expect(skipped).toEqual([{ path: `${path}#empty`, skipped: 'no-message' }])
  }
})

/** What an agent or a crash may leave at the path of a conversation. */
const LEFT: Readonly<Record<string, string | Uint8Array>> = {
  'titles and modes': STUB,
  'its beginning': LINES[0] as string,
  nothing: '',
  'NUL bytes': new Uint8Array(TEXT.length),
  'something else': 'not found\n',
}

describe.each(Object.entries(LEFT))('a conversation whose file holds only %s now', (_, left) => {
  async function overwritten(
    options?: ImportOptions,
  ): Promise<{ repo: Repo; path: string; result: ImportResult; home: string; before: Oid | undefined }> {
    const [repo, home] = [await openRepo(), newFolder()]
    const path = write(join(home, '.claude', 'projects', '-work', `${ID}.jsonl`), TEXT)
    await importPaths(repo, [dirname(path)])
    const before = await mainOf(repo)
    write(path, left)
    return { repo, path, result: await importPaths(repo, [dirname(path)], options), home, before }
  }

  it('keeps its id, its log and its branches, and every import says so', async () => {
    const { repo, path, result, before } = await overwritten()
    expect(await idsIn(repo)).toEqual([ID])
    expect(await mainOf(repo)).toBe(before)
    expect(await bytesOf(repo, ID)).toBe(TEXT)
    const report = { path, unread: 'shortened', session: ID, count: 1 }
    expect(result.unread).toEqual([expect.objectContaining(report)])
    const operation = await operations(repo)
    expect((await importPaths(repo, [dirname(path)])).unread).toEqual(result.unread)
    expect((await importPaths(repo, [path])).unread).toEqual(result.unread)
    expect(await operations(repo)).toBe(operation)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('is not resumed until its file is put back', async () => {
    const { repo, path, home } = await overwritten()
    const machine = { home, variables: {} }
    await expect(resumeOf(repo, ID, machine)).rejects.toMatchObject({
      code: 'not-at-agent',
      message: expect.stringContaining(path) as string,
      remedy: { kind: 'export-to-agent', session: ID, force: true },
    })
    await expect(exportToAgent(repo, ID, machine)).rejects.toMatchObject({ code: 'exists' })
    const { id } = await exportToAgent(repo, ID, { ...machine, force: true })
    expect([id, readFileSync(path, 'utf8')]).toEqual([ID, TEXT])
    expect(await resumeOf(repo, ID, machine)).toMatchObject({ path, upToDate: true })
    expect((await importPaths(repo, [path])).unread).toEqual([])
  })
})

it('a file that its agent goes on with is not replaced by what the store has of it', async () => {
  const [repo, home] = [await openRepo(), newFolder()]
  const path = write(join(home, '.claude', 'projects', '-work', `${ID}.jsonl`), LINES[0] as string)
  await importPaths(repo, [path])
  write(path, TEXT)
  const exported = exportToAgent(repo, ID, { home, variables: {}, force: true })
  await expect(exported).rejects.toMatchObject({ code: 'exists' })
  expect(readFileSync(path, 'utf8')).toBe(TEXT)
})

it('what an agent left at the path of a conversation comes back from its session', async () => {
  const [repo, folder] = [await openRepo(), newFolder()]
  const path = write(join(folder, `${ID}.jsonl`), TEXT)
  await importPaths(repo, [path])
  write(path, STUB)
  await importPaths(repo, [path])
  const { files } = await session(repo, ID)
  expect([...files.keys()]).toEqual([expect.stringMatching(new RegExp(`^${ID}-[0-9a-f]{8}\\.jsonl$`))])
  write(path, TEXT)
  expect((await importPaths(repo, [path])).files[0]).toMatchObject({ session: ID, newObjects: 0 })
})

it('a conversation that takes the place of another one at its path is another session, and named', async () => {
  const [repo, folder] = [await openRepo(), newFolder()]
  const path = write(join(folder, `${ID}.jsonl`), TEXT)
  await importPaths(repo, [path])
  const other = claudeLines(ID, asked('A1', null, 'Another one.')).join('')
  write(path, other)
  const { files, unread } = await importPaths(repo, [path])
  expect(files[0]?.session).toMatch(new RegExp(`^${ID}-`))
  expect(unread).toEqual([expect.objectContaining({ path, unread: 'shortened', session: ID })])
  expect([await bytesOf(repo, ID), await bytesOf(repo, files[0]?.session ?? '')]).toEqual([TEXT, other])
})

it('a document that an agent emptied keeps what was said in it', async () => {
  const [repo, folder] = [await openRepo(), newFolder()]
  const thread = (...texts: readonly string[]): string =>
    JSON.stringify({
      v: 1,
      id: 'T-1',
      messages: texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
    })
  const path = write(join(folder, 'T-1.json'), thread('a', 'b'))
  await importPaths(repo, [path])
  write(path, thread())
  const { unread } = await importPaths(repo, [path])
  expect(unread).toEqual([expect.objectContaining({ path, unread: 'shortened', session: 'T-1' })])
  expect((await repo.read((reader) => findSession(reader, 'T-1')))?.source?.entries).toBe(2)
  write(path, thread('a', 'b', 'c'))
  expect((await importPaths(repo, [path])).files[0]).toMatchObject({
    session: 'T-1',
    entries: 3,
    newEntries: 1,
  })
})

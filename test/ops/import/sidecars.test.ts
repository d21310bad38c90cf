import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requestOf } from '../../../src/ops/context/context.ts'
import { exportTo } from '../../../src/ops/export/destinations.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { show } from '../../../src/ops/show.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession, type SessionState } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

/** Writes files that were last changed an hour before the store's clock begins, and gives their folder. */
function written(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = newFolder()
  for (const [name, bytes] of Object.entries(files)) write(join(folder, name), bytes)
  return folder
}

function write(path: string, bytes: string | Uint8Array, time = OLD): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  utimesSync(path, time, time)
}
const OLD = Date.UTC(2025, 11, 31, 23) / 1000

const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))
const namesOf = async (repo: Repo, id: string): Promise<string[]> => [
  ...(await session(repo, id)).files.keys(),
]
const operations = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)
const sound = async (repo: Repo): Promise<void> => expect((await fsck(repo)).findings).toEqual([])

const SHOT = Uint8Array.from({ length: 3000 }, (_, i) => (i * 7) % 251)
const HASH = createHash('sha256').update(SHOT).digest('hex')
const OMP = '01957f00-0000-7000-8000-00000000abcd'

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

const ompHeader = (id = OMP): object => ({
  ...{ type: 'session', version: 3, id, title: 'Tides', titleSource: 'user' },
  ...{ timestamp: '2026-03-04T10:00:00.000Z', cwd: '/home/ada/tides' },
})
const ompImage = (sha256: string): object => ({
  ...{ type: 'message', id: 'aaaaaaa1', parentId: null, timestamp: '2026-03-04T10:00:01.000Z' },
  message: {
    role: 'user',
    content: [
      { type: 'text', text: 'What does it show?' },
      { type: 'image', mimeType: 'image/png', data: `blob:sha256:${sha256}` },
    ],
  },
})

const NAME = `agent/sessions/-tides/2026_${OMP}`
const ompFiles = {
  [`${NAME}.jsonl`]: lines(ompHeader(), ompImage(HASH)),
  [`${NAME}/0.bash.log`]: 'a long output\n'.repeat(200),
  [`${NAME}/Look.md`]: 'what was seen',
  [`${NAME}/nothing.txt`]: '',
  [`agent/blobs/${HASH}`]: SHOT,
  [`agent/blobs/${'0'.repeat(64)}`]: 'of another session',
}
const stem = `2026_${OMP}`
const KEPT = [`${stem}/0.bash.log`, `${stem}/Look.md`, `${stem}/nothing.txt`, `blobs/${HASH}`]

/** Returns what lies below a folder, by its path. */
const below = (folder: string): Record<string, string> =>
  Object.fromEntries(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  )
const latin1 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('latin1')

describe('what oh-my-pi keeps beside a session', () => {
  it('is taken with it, as files and no sessions, and given back under its names', async () => {
    const [repo, folder] = [await openRepo(), written(ompFiles)]
    const { files } = await importPaths(repo, [join(folder, 'agent/sessions')])
    expect(files.map((file) => file.session)).toEqual([OMP])
    expect(await namesOf(repo, OMP)).toEqual(KEPT)
    const out = join(newFolder(), 'back')
    const { file } = await exportTo(repo, OMP, `${out}/`, {})
    expect(file.files).toBe(5)
    expect(below(out)).toEqual({
      [`${stem}.jsonl`]: ompFiles[`${NAME}.jsonl`],
      [`${stem}/0.bash.log`]: ompFiles[`${NAME}/0.bash.log`],
      [`${stem}/Look.md`]: 'what was seen',
      [`${stem}/nothing.txt`]: '',
      [`blobs/${HASH}`]: latin1(SHOT),
    })
    await sound(repo)
  })

  it('costs nothing while it is as it was, and is taken where it changed though the session did not', async () => {
    const [repo, folder] = [await openRepo(), written(ompFiles)]
    await importPaths(repo, [folder])
    const before = await operations(repo)
    await importPaths(repo, [folder])
    expect(await operations(repo)).toBe(before)
    write(join(folder, `${NAME}/Look.md`), 'what was seen later', OLD + 5)
    write(join(folder, `${NAME}/new.txt`), 'new')
    rmSync(join(folder, `${NAME}/0.bash.log`))
    await importPaths(repo, [folder])
    expect(await operations(repo)).toBe(before + 1)
    expect(await namesOf(repo, OMP)).toEqual([...KEPT.slice(0, 2), `${stem}/new.txt`, ...KEPT.slice(2)])
    expect((await session(repo, OMP)).files.get(`${stem}/Look.md`)?.bytes).toBe(19)
    await sound(repo)
  })

  it('resolves the images that a session names, and says which are missing', async () => {
    const [repo, folder] = [await openRepo(), written(ompFiles)]
    const away = 'f'.repeat(64)
    const other = '01957f00-0000-7000-8000-00000000abce'
    write(join(folder, 'agent/sessions/-tides/other.jsonl'), lines(ompHeader(other), ompImage(away)))
    await importPaths(repo, [folder])
    const image = { kind: 'image', mediaType: 'image/png' }
    expect((await show(repo, OMP)).view.blocks[1]).toEqual({ ...image, bytes: 3000 })
    expect((await show(repo, other)).view.blocks[1]).toEqual({ ...image, bytes: 0, blob: away })
  })

  it('is looked for again while it is missing, though the session stays as it was', async () => {
    const repo = await openRepo()
    const { [`agent/blobs/${HASH}`]: shot = SHOT, ...files } = ompFiles
    const folder = written(files)
    await importPaths(repo, [folder])
    const before = await operations(repo)
    expect((await importPaths(repo, [folder])).files[0]).not.toHaveProperty('lacks')
    expect([await operations(repo), await namesOf(repo, OMP)]).toEqual([before, KEPT.slice(0, 3)])
    write(join(folder, `agent/blobs/${HASH}`), shot)
    await importPaths(repo, [folder])
    expect([await operations(repo), await namesOf(repo, OMP)]).toEqual([before + 1, KEPT])
    expect((await show(repo, OMP)).view.blocks[1]).toMatchObject({ bytes: 3000 })
    await importPaths(repo, [folder])
    expect(await operations(repo)).toBe(before + 1)
    await sound(repo)
  })

  it('has their bytes in pages and in what a model is asked', async () => {
    const [repo, folder] = [await openRepo(), written(ompFiles)]
    await importPaths(repo, [folder])
    const base64 = Buffer.from(SHOT).toString('base64')
    const pieces: Uint8Array[] = []
    for await (const piece of exportSession(repo, OMP, { format: 'html' })) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toContain(`src="data:image/png;base64,${base64}"`)
    const { request } = await requestOf(repo, OMP, 'anthropic')
    expect(JSON.stringify(request)).toContain(base64)
  })

  it('shows a blob that two sessions name while one of them is there', async () => {
    const [repo, folder] = [await openRepo(), written(ompFiles)]
    const other = '01957f00-0000-7000-8000-00000000abce'
    const text = lines(ompHeader(other), ompImage(HASH))
    write(join(folder, 'agent/sessions/-tides/other.jsonl'), text)
    await importPaths(repo, [folder])
    expect(await namesOf(repo, other)).toEqual([`blobs/${HASH}`])
    await removeSessions(repo, [OMP])
    expect((await show(repo, other)).view.blocks[1]).toMatchObject({ bytes: 3000 })
    await sound(repo)
  })

  it('goes with the session when that is removed', async () => {
    const [repo, folder] = [await openRepo(), written(ompFiles)]
    await importPaths(repo, [folder])
    await removeSessions(repo, [OMP])
    await importPaths(repo, [folder])
    expect(await namesOf(repo, OMP)).toEqual(KEPT)
  })

  it('is not what lies in the folder of a sub-agent, nor credentials', async () => {
    const child = '01957f00-0000-7000-8000-00000000abcf'
    const folder = written({
      ...ompFiles,
      [`${NAME}/Look.jsonl`]: lines(ompHeader(child), ompImage(HASH)),
      [`${NAME}/Look/0.read.log`]: 'read',
      [`${NAME}/auth.json`]: '{"token":"x"}',
    })
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await namesOf(repo, OMP)).toEqual(KEPT)
    expect(await namesOf(repo, child)).toEqual(['Look/0.read.log', `blobs/${HASH}`])
  })
})

const CLAUDE = '5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f'

describe('what others keep beside a session', () => {
  it('is, of Claude Code, spilled results and what is said of sub-agents', async () => {
    const text = claudeLines(CLAUDE, asked('u1', null), answered('a1', 'u1')).join('')
    const folder = written({
      [`p/${CLAUDE}.jsonl`]: text,
      [`p/${CLAUDE}/tool-results/b1.txt`]: 'x'.repeat(5000),
      [`p/${CLAUDE}/subagents/agent-a1.meta.json`]: '{"agentType":"Explore"}',
      [`p/${CLAUDE}/subagents/agent-a1.jsonl`]: claudeLines('s2', asked('v1', null)).join(''),
    })
    const repo = await openRepo()
    await importPaths(repo, [join(folder, 'p', `${CLAUDE}.jsonl`)])
    expect(await namesOf(repo, CLAUDE)).toEqual([
      `${CLAUDE}/subagents/agent-a1.meta.json`,
      `${CLAUDE}/tool-results/b1.txt`,
    ])
    const out = newFolder()
    await exportTo(repo, CLAUDE, out, {})
    expect(below(out)).toEqual({
      [`${CLAUDE}.jsonl`]: text,
      [`${CLAUDE}/subagents/agent-a1.meta.json`]: '{"agentType":"Explore"}',
      [`${CLAUDE}/tool-results/b1.txt`]: 'x'.repeat(5000),
    })
  })

  it('is, of rollouts, what the folder says of the session', async () => {
    const id = '20260304_100000_0a1b2c'
    const about = (parent: string | null): string =>
      JSON.stringify({
        ...{ session_id: id, parent_id: parent, branch_point: null, status: 'completed' },
        created_at: '2026-03-04T10:00:00.000Z',
      })
    const folder = written({
      [`${id}/messages.jsonl`]: lines(
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
      ),
      [`${id}/session.json`]: about(null),
      [`${id}/else.json`]: '{}',
    })
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await namesOf(repo, id)).toEqual(['session.json'])
    expect((await session(repo, id)).meta.created).toBe(Date.UTC(2026, 2, 4, 10))
    write(join(folder, `${id}/session.json`), about('20260303_100000_0a1b2d'))
    await importPaths(repo, [folder])
    expect((await session(repo, id)).meta.parent).toBe('20260303_100000_0a1b2d')
    await sound(repo)
  })

  it('is, of Kiro, Droid, Vibe and Copilot, what is named as the session or lies in its folder', async () => {
    const [kiro, other, copilot] = ['1', '2', '3'].map((digit) => OMP.replace('abcd', `000${digit}`))
    const says = { kind: 'text', data: 'hi' }
    const prompt = lines({ version: 'v1', kind: 'Prompt', data: { message_id: 'm', content: [says] } })
    const about = { session_id: kiro, title: 'Tides', cwd: '/w', parent_session_id: other, session_state: {} }
    const event = { type: 'user.message', data: { content: 'hi' }, id: 'e', parentId: null }
    const folder = written({
      [`kiro/${kiro}.jsonl`]: prompt,
      [`kiro/${kiro}.json`]: JSON.stringify(about),
      [`kiro/${other}.jsonl`]: prompt,
      'droid/d.jsonl': lines(
        { type: 'session_start', id: 'd' },
        { type: 'message', id: 'a', message: { role: 'user', content: 'hi' } },
      ),
      'droid/d.settings.json': '{"model":"m","tokenUsage":{"inputTokens":7,"outputTokens":2}}',
      'droid/e.settings.json': '{"model":"n"}',
      'session_1/messages.jsonl': lines({ role: 'user', content: 'hi' }),
      'session_1/meta.json': '{}',
      [`${copilot}/events.jsonl`]: lines({ ...event, timestamp: '2026-03-04T10:00:00.000Z' }),
      [`${copilot}/workspace.yaml`]: 'cwd: /w',
      [`${copilot}/checkpoints/1.md`]: 'so far',
      [`${copilot}/session.db`]: 'a database',
    })
    const repo = await openRepo()
    const { files } = await importPaths(repo, [folder])
    const kept = new Map<string, readonly string[]>()
    for (const file of files) kept.set(file.session, await namesOf(repo, file.session))
    expect([...kept.values()]).toEqual([
      ['checkpoints/1.md', 'workspace.yaml'],
      ['d.settings.json'],
      [`${kiro}.json`],
      [],
      ['meta.json'],
    ])
    expect((await session(repo, 'd')).source?.summary).toMatchObject({ input: 7, output: 2 })
    expect((await session(repo, kiro as string)).meta).toMatchObject({
      title: 'Tides',
      cwd: '/w',
      parent: other,
    })
  })

  it('is, of Kimi and Grok, what tells its title and folder', async () => {
    const folder = written({
      'wd/session_1/agents/main/wire.jsonl': lines(
        { type: 'metadata', protocol_version: '1.4', created_at: 1785612803281 },
        {
          type: 'context.append_message',
          message: { role: 'user', content: 'hi', origin: { kind: 'user' } },
        },
      ),
      'wd/session_1/state.json': JSON.stringify({ title: 'Tides', agents: {}, workDir: '/home/ada/tides' }),
      'wd/session_1/other.json': '{}',
      'g/chat_history.jsonl': lines({ type: 'user', content: 'hi', prompt_index: 0 }),
      'g/summary.json': JSON.stringify({ info: { cwd: '/home/ada/sea' }, generated_title: 'Sea' }),
    })
    const repo = await openRepo()
    const { files } = await importPaths(repo, [folder])
    const about = await Promise.all(files.map(async (file) => session(repo, file.session)))
    expect(about.map(({ meta, files: kept }) => [meta.title, meta.cwd, [...kept.keys()]])).toEqual([
      ['Sea', '/home/ada/sea', ['summary.json']],
      ['Tides', '/home/ada/tides', ['other.json', 'state.json']],
    ])
  })
})

describe('a symbolic link among the files of a session', () => {
  const victim = written({ 'notes.txt': 'private', [HASH]: SHOT, 'ses_9/m.json': '{"id":"m"}' })
  const claude = claudeLines('c1', asked('u1', null), answered('a1', 'u1')).join('')
  const droid = lines(
    { type: 'session_start', id: 'd1', title: 't', owner: 'o', version: 2, cwd: '/w' },
    {
      type: 'message',
      id: 'm1',
      timestamp: '2026-03-04T10:00:00.000Z',
      message: { role: 'user', content: 'hi' },
    },
  )
  const opencode = {
    'storage/session/p/ses_9.json':
      '{"id":"ses_9","version":"1","projectID":"p","directory":"/w","time":{"created":1}}',
    'storage/message/.keep': '',
  }
  const cases = [
    ['a folder', { 'c1.jsonl': claude }, 'c1', '.'],
    ['a file in a folder', { 'c1.jsonl': claude, 'c1/own.txt': 'own' }, 'c1/notes.txt', 'notes.txt'],
    ['a folder in a folder', { 'c1.jsonl': claude, 'c1/own.txt': 'own' }, 'c1/tool-results', '.'],
    ['a file by its name', { 'dd.jsonl': droid }, 'dd.settings.json', 'notes.txt'],
    ['a folder of blobs', { [`a/${stem}.jsonl`]: ompFiles[`${NAME}.jsonl`] }, 'blobs', '.'],
    ['a blob', { [`a/${stem}.jsonl`]: ompFiles[`${NAME}.jsonl`], 'blobs/x': '' }, `blobs/${HASH}`, HASH],
    ['a folder of messages', opencode, 'storage/message/ses_9', 'ses_9'],
  ] as const

  it.each(cases)('is not followed and is reported: %s', async (_, files, link, target) => {
    const [repo, folder] = [await openRepo(), written(files)]
    symlinkSync(join(victim, target), join(folder, link))
    const first = await importPaths(repo, [folder])
    const expected = [
      {
        code: 'symbolic-link',
        line: 0,
        offset: 0,
        message: `'${join(folder, link)}' is a symbolic link and was not followed`,
      },
    ]
    expect(first.refused).toEqual([])
    expect(first.files.map(({ warnings }) => warnings)).toEqual([expected])
    const [{ session: id, records }] = first.files as [(typeof first.files)[0]]
    expect((await namesOf(repo, id)).filter((name) => !name.endsWith('own.txt'))).toEqual([])
    const again = await importPaths(repo, [folder])
    expect(again.files.map(({ warnings }) => warnings)).toEqual([expected])
    expect(again.files[0]?.records).toBe(records)
    await sound(repo)
  })

  it('is reported where it came after the session was imported, until it is gone', async () => {
    const [repo, folder] = [await openRepo(), written({ 'c1.jsonl': claude })]
    const warned = async () =>
      (await importPaths(repo, [folder])).files.flatMap(({ warnings }) => warnings).length
    expect(await warned()).toBe(0)
    symlinkSync(victim, join(folder, 'c1'))
    expect(await warned()).toBe(1)
    rmSync(join(folder, 'c1'))
    expect(await warned()).toBe(0)
  })
})

it.each([
  ['1.0.0', false],
  ['0.9', false],
  ['1.0.1', true],
  ['2', true],
  ['next', true],
])('Kiro: a schema of version %s is reported with each import: %s', async (version, isReported) => {
  const message = (id: string): string =>
    lines({ id, timestamp: '2026-09-10T08:00:00.000Z', payload: { type: 'user', content: id } })
  const folder = written({
    'sess_01/messages.jsonl': message('e1'),
    'sess_01/session.json': JSON.stringify({ schemaVersion: version, id: 'sess_01', title: 'Tides' }),
  })
  const path = join(folder, 'sess_01/messages.jsonl')
  const repo = await openRepo()
  const reported = async (): Promise<string[]> => {
    const { files } = await importPaths(repo, [path])
    return files.flatMap(({ warnings }) =>
      warnings.map(({ code, message: text }) => (text.includes(`'${version}'`) ? code : text)),
    )
  }
  const expected = isReported ? ['newer-version'] : []
  expect(await reported()).toEqual(expected)
  expect(await reported()).toEqual(expected)
  write(path, message('e1') + message('e2'), OLD + 60)
  expect(await reported()).toEqual(expected)
  expect((await session(repo, 'sess_01')).meta.title).toBe('Tides')
})

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { projectFolderName } from '../../../src/formats/claude-code/projectfolder.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { moveFolder } from '../../../src/ops/movefolder.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession, type SessionMeta } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const ID = 'a9a90000-0000-4000-8000-0000000000a9'
const OLD = Date.UTC(2025, 11, 31, 23) / 1000

/** The records of a session that began in a folder and ended in another one. */
const lines = (from: string, to = from): string =>
  claudeLines(
    ID,
    { ...asked('u1', null), cwd: from, gitBranch: 'main' },
    { ...answered('a1', 'u1'), cwd: from, gitBranch: 'main' },
    { ...asked('u2', 'a1'), cwd: to, gitBranch: 'main' },
  ).join('')

/** A home with an agent's folder. */
class Home {
  readonly path = newFolder()

  below(...names: readonly string[]): string {
    return join(this.path, ...names)
  }

  folder(name: string): string {
    mkdirSync(this.below(name), { recursive: true })
    return this.below(name)
  }

  /** Returns the path of the session in the agent's folder of a project. */
  file(project: string, name = `${ID}.jsonl`): string {
    return this.below('.claude', 'projects', projectFolderName(project), name)
  }

  write(project: string, text: string | Uint8Array, name?: string): string {
    const path = this.file(project, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    utimesSync(path, OLD, OLD)
    return path
  }

  move(from: string, to: string): string {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
    return to
  }
}

const metaOf = async (repo: Repo, id = ID): Promise<SessionMeta> =>
  repo.read(async (reader) => (await getSession(reader, id)).meta)
const importAll = (repo: Repo, home: Home) => importPaths(repo, [home.below('.claude')])
const operations = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)

describe('the path of a session', () => {
  it('follows a file that moved unchanged, once', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const before = home.write(home.below('lamp'), lines(home.below('lamp'), home.below('lamp', 'tree')))
    await importAll(repo, home)
    expect(await metaOf(repo)).toMatchObject({ path: before, cwd: home.below('lamp') })
    const after = home.move(before, home.file(home.below('lamp', 'tree')))
    const { files, totals } = await importAll(repo, home)
    expect([files.map(({ session }) => session), totals.newEntries]).toEqual([[ID], 0])
    expect(await metaOf(repo)).toMatchObject({
      path: after,
      cwd: home.below('lamp', 'tree'),
      folders: [home.below('lamp'), home.below('lamp', 'tree')],
    })
    const done = await operations(repo)
    await importAll(repo, home)
    expect(await operations(repo)).toBe(done)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('follows a file that moved and grew', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const before = home.write('/lamp', lines('/lamp'))
    await importAll(repo, home)
    const after = home.move(before, home.file('/tree'))
    appendFileSync(after, claudeLines(ID, { ...answered('a2', 'u2'), cwd: '/tree' }).join(''))
    expect((await importAll(repo, home)).totals).toMatchObject({ sessions: 1, newEntries: 1 })
    expect(await metaOf(repo)).toMatchObject({ path: after, cwd: '/tree', folders: ['/lamp', '/tree'] })
  })

  it('follows a rollout of Codex into the archive', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const id = '01a03d6c-0000-7000-8000-00000000000f'
    const line = (type: string, payload: object): string =>
      `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type, payload })}\n`
    const before = home.below('.codex/sessions/2026/01/01', `rollout-2026-01-01T00-00-00-${id}.jsonl`)
    mkdirSync(dirname(before), { recursive: true })
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
    writeFileSync(before, line('session_meta', { id, cwd: '/lamp' }) + line('response_item', said))
    await importPaths(repo, [home.below('.codex')])
    const after = home.move(before, home.below('.codex/archived_sessions', basename(before)))
    expect((await importPaths(repo, [home.below('.codex')])).totals).toMatchObject({
      sessions: 1,
      newObjects: 0,
    })
    expect(await metaOf(repo, id)).toMatchObject({ path: after, cwd: '/lamp' })
  })

  it('follows a copy once the file it was read from is gone or was cut short', async () => {
    for (const lose of [(path: string) => rmSync(path), (path: string) => truncateSync(path, 10)]) {
      const [repo, home] = [await openRepo(), new Home()]
      const first = home.write('/lamp', lines('/lamp'))
      await importAll(repo, home)
      const copy = home.file('/moon')
      mkdirSync(dirname(copy), { recursive: true })
      copyFileSync(first, copy)
      utimesSync(copy, OLD, OLD)
      await importAll(repo, home)
      expect((await metaOf(repo)).path).toBe(first)
      lose(first)
      await importPaths(repo, [copy])
      expect((await metaOf(repo)).path).toBe(copy)
    }
  })

  it('stays where more of the session is, and at a compressed file', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const text = lines('/lamp')
    const packed = home.write('/lamp', gzipSync(text), `${ID}.jsonl.gz`)
    await importAll(repo, home)
    home.write('/moon', text)
    await importAll(repo, home)
    expect((await metaOf(repo)).path).toBe(packed)
    home.write('/moon', text.slice(0, text.indexOf('\n') + 1))
    rmSync(packed)
    await importAll(repo, home)
    expect((await metaOf(repo)).path).toBe(packed)
  })
})

describe('the project of a file', () => {
  it('is the one for which its folder is named, although every record names the former one', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const [old, renamed] = [home.below('lamp-old'), home.folder('lamp-new')]
    home.write(renamed, lines(old))
    await importAll(repo, home)
    expect(await metaOf(repo)).toMatchObject({ cwd: renamed, folders: [old, renamed] })
  })

  it('is the last folder where no project has the name, and where it is no name of a project', async () => {
    for (const folder of ['-gone-lamp', 'projects', '-tmp-']) {
      const [repo, home] = [await openRepo(), new Home()]
      mkdirSync(home.below('.claude', folder), { recursive: true })
      writeFileSync(
        home.below('.claude', folder, `${ID}.jsonl`),
        lines(home.below('lamp'), home.below('tree')),
      )
      await importAll(repo, home)
      expect((await metaOf(repo)).cwd).toBe(home.below('tree'))
    }
  })

  it('is the one that the index in the folder names, if it exists', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const [far, other] = [home.folder('far_away/lamp'), home.folder('far-away/lamp')]
    home.write(far, lines('/elsewhere/lamp'))
    const index = home.file(far, 'sessions-index.json')
    writeFileSync(
      index,
      JSON.stringify({ version: 1, entries: [{ projectPath: '/gone' }, { projectPath: other }] }),
    )
    await importAll(repo, home)
    expect((await metaOf(repo)).cwd).toBe(other)
  })

  it('is not taken from an index that is a link or no JSON', async () => {
    for (const make of [
      (index: string, real: string) => symlinkSync(real, index),
      (index: string) => writeFileSync(index, '{"originalPath":'),
    ]) {
      const [repo, home] = [await openRepo(), new Home()]
      const far = home.folder('far_away/lamp')
      home.folder('far-away/lamp')
      home.write(far, lines('/elsewhere/lamp'))
      writeFileSync(home.below('real.json'), JSON.stringify({ originalPath: far }))
      make(home.file(far, 'sessions-index.json'), home.below('real.json'))
      await importAll(repo, home)
      expect((await metaOf(repo)).cwd).toBe('/elsewhere/lamp')
    }
  })

  it("is a sub-agent's last folder while that exists", async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const [old, renamed] = [home.below('lamp-old'), home.folder('lamp-new')]
    const agent = (id: string, cwd: string): string =>
      claudeLines(ID, { ...asked('s1', null), cwd, isSidechain: true, agentId: id }).join('')
    home.write(renamed, lines(old))
    home.write(renamed, agent('a1b2c3', old), `${ID}/subagents/agent-a1b2c3.jsonl`)
    home.write(renamed, agent('a1b2c4', home.folder('tree')), `${ID}/subagents/agent-a1b2c4.jsonl`)
    await importAll(repo, home)
    expect((await metaOf(repo, 'agent-a1b2c3')).cwd).toBe(renamed)
    expect((await metaOf(repo, 'agent-a1b2c4')).cwd).toBe(home.below('tree'))
  })

  it('moves with all folders that the user says have moved', async () => {
    const [repo, home] = [await openRepo(), new Home()]
    const path = home.write('/src/lamp', lines('/src/lamp', '/src/lamp/docs'))
    await importAll(repo, home)
    expect(await moveFolder(repo, '/src/lamp/docs', '/docs')).toEqual([
      { session: ID, title: null, before: '/src/lamp/docs', cwd: '/docs' },
    ])
    await moveFolder(repo, '/src', '/new')
    const moved = { cwd: '/new/lamp', folders: ['/new/lamp', '/docs'] }
    expect(await metaOf(repo)).toMatchObject(moved)
    appendFileSync(path, claudeLines(ID, { ...answered('a2', 'u2'), cwd: '/src/lamp/docs' }).join(''))
    await importAll(repo, home)
    expect(await metaOf(repo)).toMatchObject(moved)
  })
})

describe('the project that Gemini CLI notes', () => {
  const GEMINI = 'c0c00000-0000-4000-8000-00000000000c'
  const importGemini = async (home: Home, ...notes: readonly (readonly [name: string, text: string])[]) => {
    const repo = await openRepo()
    const chats = home.folder('.gemini/tmp/lamp/chats')
    for (const [name, text] of notes) writeFileSync(home.below('.gemini', name), text)
    const header = {
      sessionId: GEMINI,
      projectHash: 'h',
      startTime: '2026-08-20T10:00:00.000Z',
      kind: 'main',
    }
    const message = { id: 'm1', timestamp: '2026-08-20T10:00:01.000Z', type: 'user', content: 'Hi' }
    const directories = ['/lamp/extra']
    writeFileSync(
      join(chats, 'session-1.jsonl'),
      [header, message, { $set: { directories } }].map((one) => `${JSON.stringify(one)}\n`).join(''),
    )
    const only = await importPaths(repo, [home.below('.gemini')], { only: { cwd: '/lamp' } })
    return [(await metaOf(repo, GEMINI)).cwd, (await metaOf(repo, GEMINI)).folders, only.files.length]
  }

  it('is the folder of a session, with those that were added', async () => {
    const folders = ['/lamp/extra', '/lamp']
    expect(await importGemini(new Home(), ['tmp/lamp/.project_root', '/lamp\n'])).toEqual([
      '/lamp',
      folders,
      1,
    ])
    const list = JSON.stringify({ projects: { '/moon': 'moon', '/lamp': 'lamp' } })
    expect(await importGemini(new Home(), ['projects.json', list])).toEqual(['/lamp', folders, 1])
  })

  it('is not taken from a note that is no absolute path', async () => {
    for (const text of ['lamp', '', '/a\n/b', `/${'x'.repeat(5000)}`])
      expect(await importGemini(new Home(), ['tmp/lamp/.project_root', text])).toEqual([
        '/lamp/extra',
        undefined,
        1,
      ])
  })
})

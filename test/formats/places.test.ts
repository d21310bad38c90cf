import { describe, expect, it } from 'vitest'
import type { Facts, Format } from '../../src/formats/core/format.ts'
import { FORMATS, formatNamed } from '../../src/formats/registry.ts'
import { readText } from './read.ts'

const formatOf = (name: string): Format => formatNamed(name) as Format

/** Returns what a session says of its place, from its records. */
function placeOf(name: string, ...records: readonly object[]): Pick<Facts, 'cwd' | 'folders' | 'git'> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  const { cwd, folders, git } = readText(formatOf(name), text).reader.facts()
  return { ...(cwd !== undefined && { cwd }), ...(folders && { folders }), ...(git && { git }) }
}

const TWO = { cwd: '/two', folders: ['/one', '/two'] }

describe('the place of a session stands as at its end, with its history', () => {
  it('in Copilot CLI: of its start, its resumption and changes of its context', () => {
    const context = (cwd: string, branch: string, headCommit: string) => ({
      cwd,
      branch,
      headCommit,
      repository: 'ada/lamp',
    })
    expect(
      placeOf(
        'copilot-cli',
        {
          type: 'session.start',
          data: { sessionId: 's', context: context('/one', 'main', 'a1') },
          id: 'a',
          parentId: null,
        },
        { type: 'session.resume', data: { context: context('/one', 'main', 'b2') }, id: 'b', parentId: 'a' },
        { type: 'session.context_changed', data: context('/two', 'fix', 'b2'), id: 'c', parentId: 'b' },
      ),
    ).toEqual({
      ...TWO,
      git: {
        ...{ branch: 'fix', commit: 'b2', repository: 'ada/lamp' },
        ...{ branches: ['main', 'fix'], commits: ['a1', 'b2'] },
      },
    })
  })

  it('in Qwen Code: of its records, and of its folder', () => {
    const record = (uuid: string, cwd: string, gitBranch: string) => ({
      ...{ uuid, parentUuid: null, sessionId: 's', type: 'user', cwd, gitBranch },
      message: { role: 'user', parts: [{ text: uuid }] },
    })
    const records = [record('a', '/one', 'main'), record('b', '/two', 'fix')]
    const git = { branch: 'fix', branches: ['main', 'fix'] }
    expect(placeOf('qwen-code', ...records)).toEqual({ ...TWO, git })
    const reader = formatOf('qwen-code').reader('x.jsonl', 'chats', ['-one', 'projects'])
    for (const value of records)
      reader.read({ line: 1, bytes: new Uint8Array(), lead: 0, value, salvaged: false })
    expect(reader.facts()).toMatchObject({ ...TWO, cwd: '/one', git })
  })

  it('in Droid: of each start', () => {
    const start = (cwd: string) => ({ type: 'session_start', id: 's', cwd })
    expect(placeOf('droid', start('/one'), start('/two'))).toEqual(TWO)
  })

  it('in Kimi: of each change of its settings', () => {
    const update = (cwd: string) => ({ type: 'config.update', cwd })
    expect(placeOf('kimi', update('/one'), update('/two'))).toEqual(TWO)
  })

  it('in OpenCode: its own folder, and those of its messages', () => {
    const message = (id: string, cwd: string) => ({
      info: { id, sessionID: 'ses_1', role: 'assistant', time: { created: 1 }, path: { cwd, root: '/' } },
      parts: [],
    })
    const exported = { info: { id: 'ses_1', directory: '/two' }, messages: [message('a', '/one')] }
    expect(placeOf('opencode', exported)).toEqual(TWO)
  })

  it('in Gemini CLI: the folders of its workspace', () => {
    const header = { sessionId: 's', projectHash: 'h', directories: ['/one'] }
    expect(placeOf('gemini-cli', header, { $set: { directories: ['/two', '/one'] } })).toEqual({
      cwd: '/two',
      folders: ['/two', '/one'],
    })
  })

  it('in Amp: the repository of its first tree', () => {
    const repository = { type: 'git', url: 'https://example.org/lamp', ref: 'refs/heads/main', sha: 'a1' }
    const env = { initial: { trees: [{ uri: 'file:///one', repository }] } }
    expect(placeOf('amp', { v: 0, id: 'T-1', env, messages: [{ role: 'user', content: [] }] })).toEqual({
      cwd: '/one',
      git: { branch: 'main', commit: 'a1', repository: 'https://example.org/lamp' },
    })
  })

  it('in records of unknown formats', () => {
    const said = (cwd: string, gitBranch: string) => ({ role: 'user', content: 'hi', cwd, gitBranch })
    expect(placeOf('jsonl', said('/one', 'main'), said('/two', 'main'))).toEqual({
      ...TWO,
      git: { branch: 'main' },
    })
  })

  it('in the sidecar files of Vibe and Grok', () => {
    expect(
      formatOf('vibe').sidecars?.facts?.('meta.json', {
        git_commit: 'a1',
        git_branch: 'main',
        environment: {},
      }),
    ).toEqual({ git: { branch: 'main', commit: 'a1' } })
    expect(
      formatOf('grok').sidecars?.facts?.('summary.json', {
        ...{ head_commit: 'a1', head_branch: 'main', git_remotes: ['git@example.org:ada/lamp.git'] },
      }),
    ).toEqual({ git: { branch: 'main', commit: 'a1', repository: 'git@example.org:ada/lamp.git' } })
  })
})

it('a format that names folders by projects gives each project a plain name', () => {
  const named = FORMATS.flatMap(({ name }) => formatOf(name).projectFolder ?? [])
  expect(named.map(({ name }) => name('/home/ada/my lamp/../x'))).toEqual([
    '-home-ada-my-lamp----x',
    '-home-ada-my-lamp----x',
  ])
})

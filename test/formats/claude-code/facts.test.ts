import { describe, expect, it } from 'vitest'
import { projectFolderName } from '../../../src/formats/claude-code/projectfolder.ts'
import type { Facts } from '../../../src/formats/core/format.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { fixture, readAll, user } from './records.ts'

const ID = '0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f'
const facts = (records: readonly JsonObject[], name?: string, folder?: string): Facts =>
  readAll(records, name, folder).reader.facts()
const session = { sessionId: 'inside' }
const sidechain = { isSidechain: true, agentId: 'a1b2c3', ...session }
const summary = (text: string, leafUuid?: string): JsonObject => ({
  type: 'summary',
  summary: text,
  ...(leafUuid !== undefined && { leafUuid }),
})

describe("a session's id", () => {
  it('is the name of the file where that is a UUID', () => {
    expect(facts([user('u', null, session)], `${ID}.jsonl`).id).toBe(ID)
    expect(facts([user('u', null, sidechain)], `${ID}.jsonl.zst`).id).toBe(ID)
  })

  it("is the sub-agent's in its own file", () => {
    expect(facts([user('u', null, session)], 'agent-a1b2c3.jsonl').id).toBe('agent-a1b2c3')
    expect(facts([user('u', null, session)], 'agent-acompact-0a1b2c3d.jsonl').id).toBe(
      'agent-acompact-0a1b2c3d',
    )
    expect(facts([{ type: 'mode', ...session }, user('u', null, sidechain)]).id).toBe('agent-a1b2c3')
    expect(facts([user('u', null, session), user('v', null, sidechain)]).id).toBe('inside')
  })

  it('is else the first that a record names', () => {
    expect(
      facts([{ type: 'summary' }, { type: 'mode', ...session }, { type: 'mode', sessionId: 'b' }]).id,
    ).toBe('inside')
    expect(facts([user('u', null)])).toEqual({})
  })
})

describe("a session's title", () => {
  const custom = (customTitle: string): JsonObject => ({ type: 'custom-title', customTitle })
  const ai = (aiTitle: string): JsonObject => ({ type: 'ai-title', aiTitle })

  it('is the last that the user gave, else the last of the model, else a summary', () => {
    const all = [custom('a'), custom('b'), ai('c'), ai('d'), summary('e')]
    expect(facts(all).title).toBe('b')
    expect(facts(all.slice(2)).title).toBe('d')
    expect(facts(all.slice(4)).title).toBe('e')
    expect(facts([user('u', null)]).title).toBeUndefined()
  })

  it('is the last summary of a record in this file, wherever the summary is', () => {
    const records = [summary('of u', 'u'), summary('of another file', 'x'), user('u', null)]
    expect(facts(records).title).toBe('of u')
    expect(facts(records.slice(0, 2)).title).toBe('of another file')
  })
})

it('the parent of a fork is the session that it was copied from', () => {
  const from = (sessionId: string): JsonObject => ({ forkedFrom: { sessionId, messageUuid: 'm' } })
  const fork = [user('u', null, { ...session, ...from('source') }), user('v', 'u', from('older'))]
  expect(facts(fork).parent).toBe('source')
  expect(facts([user('u', null, { ...session, ...from('inside') })]).parent).toBeUndefined()
  expect(facts([user('u', null, { ...sidechain, ...from('source') })]).parent).toBe('inside')
})

it('the time of a session is the first that its records name', () => {
  const records = [
    summary('a title'),
    user('u', null, { timestamp: '2026-03-01T09:00:01.500Z' }),
    user('v', 'u', { timestamp: '2026-03-01T08:00:00.000Z' }),
  ]
  expect(facts(records)).toEqual({ title: 'a title', created: Date.UTC(2026, 2, 1, 9, 0, 1, 500) })
})

describe("a session's folder", () => {
  const at = (...cwds: readonly string[]): JsonObject[] =>
    cwds.map((cwd, i) => user(`u${i}`, i === 0 ? null : `u${i - 1}`, { cwd }))
  const where = (records: readonly JsonObject[], folder?: string) => {
    const { cwd, folders } = facts(records, 'some.jsonl', folder)
    return [cwd, folders]
  }
  const entered: JsonObject = {
    type: 'worktree-state',
    worktreeSession: { originalCwd: '/lamp', worktreePath: '/lamp/.trees/x', worktreeBranch: 'tree-x' },
  }
  const left: JsonObject = { type: 'worktree-state', worktreeSession: null }

  it('is the last that its records name, with all of them in order', () => {
    expect(where(at('/lamp'))).toEqual(['/lamp', undefined])
    expect(where(at('/lamp', '/lamp/src', '/lamp', '/lamp/docs'))).toEqual([
      '/lamp/docs',
      ['/lamp', '/lamp/src', '/lamp/docs'],
    ])
  })

  it("is the one for which the file's folder is named, wherever it stands in the file", () => {
    const records = at('/home/ada/lamp', '/home/ada/lamp/src', '/home/ada/other')
    const folders = ['/home/ada/lamp', '/home/ada/lamp/src', '/home/ada/other']
    expect(where(records, '-home-ada-lamp')).toEqual(['/home/ada/lamp', folders])
    expect(where(records, '-home-ada-lamp-src')).toEqual(['/home/ada/lamp/src', folders])
    expect(where(records, 'my-projects')).toEqual(['/home/ada/other', folders])
  })

  it('is the last one of several with that name', () => {
    expect(where(at('/a/my_app', '/a/my-app', '/a'), '-a-my-app')[0]).toBe('/a/my-app')
  })

  it('is found by a name that was cut', () => {
    const long = `/home/ada/${'x'.repeat(220)}`
    expect(where(at(long, '/home/ada'), projectFolderName(long))[0]).toBe(long)
    expect(projectFolderName(long)).toHaveLength(200 + 1 + 6)
  })

  it('is the worktree that it entered, and after it the folder before', () => {
    expect(where([...at('/lamp'), entered], '-lamp--trees-x')).toEqual([
      '/lamp/.trees/x',
      ['/lamp', '/lamp/.trees/x'],
    ])
    expect(where([...at('/lamp'), entered, left])[0]).toBe('/lamp')
    expect(where([...at('/lamp'), left])).toEqual(['/lamp', undefined])
  })

  it('is the one to which the file was relocated, although messages keep the old one', () => {
    const records = [
      ...at('/lamp'),
      { type: 'relocated', sessionId: 's', relocatedCwd: '/lamp/tree' },
      user('v', 'u0', { cwd: '/lamp' }),
    ]
    expect(where(records, '-lamp-tree')).toEqual(['/lamp/tree', ['/lamp', '/lamp/tree']])
    expect(where(records, 'elsewhere')[0]).toBe('/lamp')
  })
})

describe('what a session knows of git', () => {
  it('is the branch at the end, with the former ones', () => {
    const on = (uuid: string, gitBranch: string): JsonObject => user(uuid, null, { gitBranch })
    expect(facts([on('a', 'main'), on('b', 'flicker'), on('c', 'HEAD'), on('d', '')]).git).toEqual({
      branch: 'flicker',
      branches: ['main', 'flicker'],
    })
    expect(facts([on('a', 'HEAD')]).git).toBeUndefined()
  })

  it('has the branch and the commit of a worktree', () => {
    const worktreeSession = { worktreePath: '/w', worktreeBranch: 'tree', originalHeadCommit: 'abc123' }
    expect(facts([{ type: 'worktree-state', worktreeSession }]).git).toEqual({
      branch: 'tree',
      commit: 'abc123',
    })
  })

  it('has each pull request once', () => {
    const link = (more: JsonObject): JsonObject => ({ type: 'pr-link', sessionId: 's', ...more })
    const url = 'https://github.com/ada/lamp/pull/42'
    const records = [
      link({ prNumber: 42, prUrl: url, prRepository: 'ada/lamp' }),
      link({ prNumber: 7, prRepository: 'ada/moon' }),
      link({ prNumber: 42, prUrl: url }),
      link({}),
    ]
    expect(facts(records).pullRequests).toEqual([url, 'ada/moon#7'])
  })
})

it('the facts of the fixture are these', () => {
  expect(facts(fixture('session.jsonl'))).toEqual({
    id: '5e550001-0000-4000-8000-000000000001',
    title: 'Latin notes',
    cwd: '/home/ada/notes',
    git: { branch: 'main' },
    created: Date.UTC(2026, 2, 1, 9, 0, 1),
    version: '2.1.40',
  })
})

describe('the session in which one goes on', () => {
  const goesOn = { type: 'continued-in', ...session, continuedInSessionId: 'next' }
  const said = (uuid: string, parent: string | null): JsonObject => user(uuid, parent, session)

  it('is the one that the last such record names', () => {
    expect(facts([said('u', null), goesOn]).continuedIn).toBe('next')
    expect(facts([said('u', null), { ...goesOn, continuedInSessionId: 'x' }, goesOn]).continuedIn).toBe(
      'next',
    )
    expect(
      facts([said('u', null), { ...goesOn, continuedInSessionId: 'inside' }]).continuedIn,
    ).toBeUndefined()
  })

  it('is none once somebody speaks again outside of sidechains', () => {
    expect(facts([said('u', null), goesOn, said('v', 'u')]).continuedIn).toBeUndefined()
    expect(facts([said('u', null), goesOn, user('v', 'u', sidechain)]).continuedIn).toBe('next')
    expect(facts([said('u', null), goesOn, { type: 'ai-title', aiTitle: 't' }]).continuedIn).toBe('next')
  })
})

it('a transcript with sidechains alone that has the id of its caller is that of a sub-agent', () => {
  const inside = { isSidechain: true, ...session }
  expect(facts([user('u', null, inside)])).toMatchObject({ id: 'inside', parent: 'inside', subagent: true })
  expect(facts([user('u', null, inside), user('v', null, session)]).subagent).toBeUndefined()
  expect(facts([user('u', null, sidechain)]).subagent).toBeUndefined()
})

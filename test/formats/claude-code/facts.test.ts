import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../src/formats/core/format.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { fixture, readAll, user } from './records.ts'

const ID = '0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f'
const facts = (records: readonly JsonObject[], name?: string): Facts => readAll(records, name).reader.facts()
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

it('the folder and the time of a session are the first that its records name', () => {
  const records = [
    summary('a title'),
    user('u', null, { cwd: '/one', timestamp: '2026-03-01T09:00:01.500Z' }),
    user('v', 'u', { cwd: '/two', timestamp: '2026-03-01T08:00:00.000Z' }),
  ]
  expect(facts(records)).toEqual({
    title: 'a title',
    cwd: '/one',
    created: Date.UTC(2026, 2, 1, 9, 0, 1, 500),
  })
})

it('the facts of the fixture are these', () => {
  expect(facts(fixture('session.jsonl'))).toEqual({
    id: '5e550001-0000-4000-8000-000000000001',
    title: 'Latin notes',
    cwd: '/home/ada/notes',
    created: Date.UTC(2026, 2, 1, 9, 0, 1),
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

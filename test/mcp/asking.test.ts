import { expect, it } from 'vitest'
import { askingSessionOf, idsInCall, idsInVariables } from '../../src/mcp/asking.ts'
import { append } from '../../src/verbs/append.ts'
import { newSession } from '../../src/verbs/new.ts'
import { contextOf, openStore } from '../../src/verbs/open.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'

it('takes ids from the variables that agents set', () => {
  const variables = { CLAUDE_CODE_SESSION_ID: 'a', GEMINI_SESSION_ID: '', CODEX_THREAD_ID: 'b', OTHER: 'c' }
  expect(idsInVariables(variables)).toEqual(['a', 'b'])
  expect(idsInVariables({ SESS_SESSION: 'x'.repeat(201) })).toEqual([])
})

it('takes ids from what comes with a call, whatever that is', () => {
  expect(idsInCall({ threadId: 'a', 'x-codex-turn-metadata': { session_id: 'b' } })).toEqual(['a', 'b'])
  for (const meta of [undefined, null, 'a', 1, [], { threadId: 1 }, { 'x-codex-turn-metadata': 'a' }])
    expect(idsInCall(meta)).toEqual([])
})

it('takes the current session of the folder only if it has grown since the start', async () => {
  const cwd = newFolder()
  const store = await openStore(newFolder(), { create: true, cwd, lockTimeout: 60_000 })
  afterTest(() => store.close())
  const call = contextOf(store)
  const before = store.env.now()
  const { session } = await newSession.run(call, { title: 'Tides' })
  await append.run(call, { session, entry: [{ body: { role: 'user', content: 'When?' } }] })
  expect(await askingSessionOf(call, { ids: [], started: before }, undefined)).toBe(session)
  expect(await askingSessionOf(call, { ids: [], started: store.env.now() + 60_000 }, undefined)).toBeNull()
  expect(await askingSessionOf(call, { ids: [] }, undefined)).toBeNull()
  expect(await askingSessionOf(call, { ids: ['none'] }, { threadId: session })).toBe(session)
})

import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as usual from '../../../src/compat/rollouts/index.ts'
import { type Message, type Rollouts, rollouts, type Session } from '../../../src/compat/rollouts/index.ts'
import { openStore } from '../../../src/library/store.ts'
import { newFolder } from '../../support/folder.ts'
import { quietEnv } from '../../support/store.ts'

const here = (): Rollouts => rollouts({ root: newFolder(), env: quietEnv() })
const user = (content: string): Message => ({ role: 'user', content })
const linesOf = ({ file_path }: Session): string[] => readFileSync(file_path, 'utf8').split('\n').slice(0, -1)

/** A session of four messages. */
function talk(r: Rollouts, cwd = '/work/project'): Session {
  const session = r.createSession(cwd, 'anthropic', 'claude')
  for (const content of ['one', 'two', 'three', 'four']) r.appendMessage(session, user(content))
  return session
}

/** Makes a file the one that was changed so many seconds after 1970. */
const touch = ({ file_path }: Session, seconds: number): void => utimesSync(file_path, seconds, seconds)

describe('sessions of rollouts in files', () => {
  it('writes them in the exact form of rollouts', () => {
    const r = here()
    const session = r.createSession('/work/project', 'anthropic', 'claude')
    r.appendMessage(session, { role: 'user', content: 'Grüße' })
    r.appendConfigChange(session, { provider: 'openai', model: 'gpt' }, 'coding')
    expect(basename(dirname(session.file_path))).toBe('--work-project--')
    expect(basename(session.file_path)).toBe(`2026-01-01T00-00-00_${session.session_id}.jsonl`)
    expect(session.session_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(linesOf(session)).toEqual([
      `{"type": "session", "id": "${session.session_id}", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work/project", "provider": "anthropic", "model": "claude"}`,
      '{"type": "message", "timestamp": "2026-01-01T00:00:01.000Z", "message": {"role": "user", "content": "Gr\\u00fc\\u00dfe"}}',
      '{"type": "config_change", "timestamp": "2026-01-01T00:00:02.000Z", "endpoint": {"provider": "openai", "model": "gpt"}, "environment_type": "coding"}',
    ])
    expect(r.loadMessages(session)).toEqual([user('Grüße')])
    expect(r.loadHeader(session)).toMatchObject({ cwd: '/work/project', model: 'claude' })
  })

  it('returns frozen values', () => {
    const r = here()
    const session = talk(r)
    const values = [session, r.loadMessages(session), r.loadMessages(session)[0], r.loadHeader(session)]
    const more = [
      r.listSessions('/work/project'),
      r.getSessionInfo(session),
      r.getSessionInfo(session).session,
    ]
    for (const value of [...values, ...more]) expect(Object.isFrozen(value)).toBe(true)
  })

  it('lists the sessions of a folder, the one that was changed last first', () => {
    const r = here()
    const [first, second] = [talk(r), r.createSession('/work/project', 'openai', 'gpt')]
    r.appendMessage(second, { role: 'user', content: [{ type: 'text', text: 'x'.repeat(70) }] })
    talk(r, '/elsewhere')
    writeFileSync(join(dirname(first.file_path), 'other.jsonl'), '{}\n')
    touch(first, 2000)
    touch(second, 1000)
    expect(r.listSessions('/work/project')).toEqual([first, second])
    expect(r.findLatestSession('/work/project')).toEqual(first)
    expect(r.listSessionsWithInfo('/work/project')).toMatchObject([
      { session: first, message_count: 4, first_user_message: 'one', modified: '1970-01-01T00:33:20.000Z' },
      {
        session: second,
        message_count: 1,
        first_user_message: `${'x'.repeat(60)}...`,
        modified: '1970-01-01T00:16:40.000Z',
      },
    ])
    expect([r.listSessions('/nowhere'), r.findLatestSession('/nowhere')]).toEqual([[], null])
    expect(r.getSessionInfo(r.createSession('/x', 'p', 'm')).first_user_message).toBeNull()
  })

  it('loads a session by its path, and throws where there is none', () => {
    const r = here()
    const session = talk(r)
    expect(r.loadSession(session.file_path)).toEqual(session)
    expect(() => r.loadSession('/nowhere.jsonl')).toThrow(new Error('Session file not found: /nowhere.jsonl'))
    const path = join(newFolder(), 'x.jsonl')
    writeFileSync(path, '{"type": "message"}\n')
    expect(() => r.loadSession(path)).toThrow(
      new Error(`${path} does not begin with the header of a session`),
    )
  })

  it('throws for a line that is no JSON, and passes over what is no message', () => {
    const r = here()
    const session = talk(r)
    appendFileSync(session.file_path, '{"type": "novel"}\n\n{"type": "mess')
    expect(() => r.loadMessages(session)).toThrow(
      new Error(`line 8 of ${session.file_path} is no JSON object`),
    )
    r.appendMessage(session, user('five'))
    expect(linesOf(session).at(-2)).toBe('{"type": "mess')
  })

  it('branches after a message, that included', () => {
    const r = here()
    const source = talk(r)
    const branch = r.branchSession(source, 1, '/other', 'openai', 'gpt')
    expect(r.loadMessages(branch)).toEqual([user('one'), user('two')])
    expect(r.loadHeader(branch)).toMatchObject({ cwd: '/other', provider: 'openai', model: 'gpt' })
    expect(r.loadMessages(source)).toHaveLength(4)
    expect(() => r.branchSession(source, 4, '/other', 'p', 'm')).toThrow(
      new Error(`no message 4 in ${source.file_path}, which has 4`),
    )
  })

  it('compacts to a summary and the last messages', () => {
    const r = here()
    const source = talk(r)
    const count = (messages: readonly Message[]): string => `${messages.length} messages`
    const compacted = r.compactSession(source, count, 1, '/work/project', 'p', 'm')
    expect(r.loadMessages(compacted)).toEqual([
      user('[Previous conversation summary]\n3 messages'),
      user('four'),
    ])
    expect(r.compactSession(source, count, 4, '/work/project', 'p', 'm')).toBe(source)
  })

  it('deletes one session, or all of a folder', () => {
    const r = here()
    const [first] = [talk(r), talk(r), talk(r)]
    talk(r, '/elsewhere')
    if (first) r.deleteSession(first)
    expect(r.listSessions('/work/project')).toHaveLength(2)
    expect([r.clearAllSessions('/work/project'), r.clearAllSessions('/work/project')]).toEqual([2, 0])
    expect(r.listSessions('/elsewhere')).toHaveLength(1)
  })

  it('is there without options, for the folder of the user', () => {
    const names = Object.keys(rollouts()).filter((name) => name !== 'settled' && name !== 'close')
    expect(Object.keys(usual).sort()).toEqual([...names, 'rollouts'].sort())
    const dir = usual.getSessionsDir('/work/project')
    expect(dir.endsWith(join('.rollouts', 'sessions', '--work-project--'))).toBe(true)
  })

  it('G10: a branch shares its messages in a store that follows', async () => {
    const dir = newFolder()
    const r = rollouts({ root: join(dir, 'sessions'), store: join(dir, 'store') })
    const source = talk(r)
    const branch = r.branchSession(source, 1, '/other', 'openai', 'gpt')
    r.appendMessage(branch, user('another way'))
    await r.settled()
    const store = await openStore(join(dir, 'store'))
    const { left, right } = await store.diff(source.session_id, branch.session_id)
    expect(left.map(({ text }) => text)).toEqual(['three', 'four'])
    expect(right.map(({ text }) => text)).toEqual(['another way'])
    expect((await store.stats()).entries).toBe(5)
    await r.close()
    await store.close()
  })
})

import fs, { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SessionFile } from '../../src/compat/dash/file.ts'
import { rollouts } from '../../src/compat/rollouts/index.ts'
import { newFolder } from '../support/folder.ts'
import { quietEnv } from '../support/store.ts'

/** The syncs and renames in their order, with paths. */
let calls: string[] = []
const { fsyncSync, renameSync } = fs

beforeEach(() => {
  calls = []
  fs.fsyncSync = (file) => {
    calls.push(`sync ${existsSync('/proc/self/fd') ? readlinkSync(`/proc/self/fd/${file}`) : ''}`)
    fsyncSync(file)
  }
  fs.renameSync = (from, to) => {
    calls.push(`rename ${from as string} ${to as string}`)
    renameSync(from, to)
  }
  syncBuiltinESMExports()
})
afterEach(() => {
  Object.assign(fs, { fsyncSync, renameSync })
  syncBuiltinESMExports()
})

/** Expects that a file was replaced durably: written under another name, synced, renamed, its folder synced. */
function expectReplaced(path: string): void {
  const at = calls.findIndex((call) => call.endsWith(` ${path}`) && call.startsWith('rename '))
  const [, temporary = ''] = calls[at]?.split(' ') ?? []
  expect(dirname(temporary)).toBe(dirname(path))
  const known = existsSync('/proc/self/fd')
  expect([calls[at - 1], calls[at + 1]]).toEqual(
    known ? [`sync ${temporary}`, `sync ${dirname(path)}`] : ['sync ', 'sync '],
  )
}

const HEADER = { type: 'session', id: 's1', timestamp: '2026-01-01T00:00:00.000Z' }

describe('a file that a facade replaces', () => {
  it('is durable at each moment when Dash replaces a header, and no neighbour is overwritten', () => {
    const path = join(newFolder(), 's1.jsonl')
    writeFileSync(path, `${JSON.stringify(HEADER)}\n{"type":"message"}\n`)
    writeFileSync(`${path}.tmp`, 'of the user')
    const header = { ...HEADER, leafId: 'x' } as unknown as Parameters<SessionFile['replaceHeader']>[0]
    SessionFile.read(path)?.replaceHeader(header)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(header)}\n{"type":"message"}\n`)
    expect(readFileSync(`${path}.tmp`, 'utf8')).toBe('of the user')
    expectReplaced(path)
  })

  it('is durable at each moment when a session of rollouts is saved or updated', async () => {
    const root = newFolder()
    const { create, save, update } = rollouts({ root, env: quietEnv() }).sessions
    const [session] = await create({}, { type: 'coding', config: {} })
    if (!session) throw new Error('not created')
    const dir = join(root, session.session_id)
    writeFileSync(join(dir, 'session.json.tmp'), 'of the user')
    calls = []
    await update(session.session_id, { status: 'completed' })
    expectReplaced(join(dir, 'session.json'))
    calls = []
    await save({ ...session, messages: [{ role: 'user', content: 'Hello' }] })
    expectReplaced(join(dir, 'session.json'))
    expectReplaced(join(dir, 'messages.jsonl'))
    expect(readdirSync(dir).sort()).toEqual(['messages.jsonl', 'session.json', 'session.json.tmp'])
    expect(readFileSync(join(dir, 'session.json.tmp'), 'utf8')).toBe('of the user')
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asString, field, items, type Json, type JsonObject } from '../../src/model/json.ts'
import { loadVerb, VERBS, type VerbName } from '../../src/verbs/index.ts'
import { built, script } from '../support/built.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { violations } from '../support/schema.ts'
import { ToyInterface } from '../support/toyinterface.ts'

const says = (content: string, role = 'user') => ({ body: { role, content } })

const open = async (dir = newFolder()): Promise<ToyInterface> => {
  const toy = await ToyInterface.open(dir)
  onTestFinished(() => toy.close())
  return toy
}

/** Appends to a session in another process, and waits for the first entry. */
async function appending(dir: string, session: string): Promise<void> {
  const child = spawn(process.execPath, [script('keepappending.mjs'), built(), dir, session], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

/** Makes a session with a few entries; returns its id. */
async function conversation(toy: ToyInterface, title: string): Promise<string> {
  const { result } = await toy.call('new', { title })
  const session = asString(field(result, 'session')) as string
  const entry = [says('When is high tide?'), says('At noon.', 'assistant'), says('And tomorrow?')]
  await toy.call('append', { session, entry })
  return session
}

/** Returns the text of a property of a result. */
const textOf = (result: Json, key: string): string => asString(field(result, key)) as string

/** Calls of every verb, in an order in which each finds what it needs. */
async function callAll(toy: ToyInterface, session: string, other: string): Promise<void> {
  const call = async (name: VerbName, asked: JsonObject): Promise<Json> => {
    const { result } = await toy.call(name, asked)
    const { output } = await loadVerb(name)
    expect([name, violations(output.schema, result)]).toEqual([name, []])
    return result
  }
  const [first] = items(field(await call('ls', { sort: 'created' }), 'items'))
  expect(textOf(first as Json, 'id')).toBe(other)
  const log = items(field(await call('log', { revision: other }), 'items'))
  expect(log).toHaveLength(3)
  const oid = textOf(log[1] as Json, 'oid')
  const { rows, total } = (await call('tree', { session: other, filter: 'all' })) as JsonObject
  expect([items(rows).length, total]).toEqual([3, 3])
  await call('tree-graph', { session: other })
  expect(items(field(await call('tree-nodes', { session: other }), 'nodes'))).toHaveLength(3)
  await call('places', {})
  expect(items(field(await call('read', { revision: other }), 'items'))).toHaveLength(3)
  await call('graph', { revision: other, all: true })
  await call('search', { query: ['tide'] })
  await call('search-sessions', { query: ['tide'] })
  await call('search-count', { query: ['tide'] })
  await call('label', { label: 'good', revision: oid, session: other })
  await call('labels', { session: other })
  await call('label-delete', { label: 'good', session: other })
  await call('branch', { session: other, name: 'try', start: oid })
  await call('branches', { session: other, verbose: true })
  await call('branch-rename', { session: other, branch: 'try', name: 'attempt' })
  await call('branch-delete', { session: other, branch: 'attempt' })
  const forked = textOf(await call('fork', { revision: oid, title: 'Again' }), 'session')
  await call('show', { revision: oid })
  await call('diff', { a: other, b: forked })
  await call('diff-stat', { a: other, b: forked })
  await call('context-diff', { a: other, b: forked })
  await call('compare', { revisions: [other, forked] })
  await call('handoff', { goal: 'Find the ebb', revision: other })
  await call('rev-parse', { revision: [other], short: true })
  await call('rev-list', { revision: [other] })
  await call('rev-list-count', { revision: [other] })
  await call('merge-base', { a: other, b: forked })
  await call('shared-base', { a: other, b: forked })
  await call('ls-objects', { size: true, limit: 2 })
  await call('cat-file', { revision: [oid] })
  await call('context', { revision: other, budget: 1000 })
  await call('context-pi', { revision: other })
  await call('context-request', { revision: other, format: 'anthropic' })
  await call('context-compare', { revision: other, other: forked })
  await call('stats', {})
  for (const kind of [
    'session',
    'revision',
    'branch',
    'label',
    'labels',
    'pair',
    'pairs',
    'key',
    'operation',
    'ref',
  ])
    await call('names', { kind, session: other })
  for (const wanted of ['revision', 'session', 'branch', 'label'])
    expect(JSON.stringify(await call('near-names', { name: `${other}/mian`, wanted }))).toContain(
      wanted === 'branch' || wanted === 'revision' ? '"main"' : '"kind"',
    )
  await call('describe-names', { id: [other, oid] })
  await call('usage', { by: 'day' })
  expect(textOf(await call('session', { session: other }), 'id')).toBe(other)
  await call('session-usage', { session: other })
  await call('for-each-ref', { pattern: ['**/branches/*'] })
  await call('update-ref', { update: [{ name: `sessions/${other}/branches/kept`, to: oid, from: null }] })
  await call('set', { session: other, pair: ['status=done'] })
  await call('cherry-pick', { revision: [`${other}/main`], session: forked })
  await call('append', { session: forked, entry: [says('What is a tide?')] })
  await call('merge', { revision: `${other}/main`, session: forked })
  await call('rebase', { upstream: `${other}/main`, branch: 'main', session: forked })
  await call('compact', { revision: forked, keepTokens: 0, summary: 'Tides.' })
  await call('switch', { revision: `${other}/main` })
  await call('navigate', { revision: oid, session: other, label: 'here' })
  await call('switch', { revision: `${other}/main` })
  await call('pop', { session: other, summary: 'Asked about tides.' })
  await call('rename', { session: other, title: 'High tide' })
  await call('reflog', { ref: other })
  const operations = items(field(await call('op-log', { limit: 3 }), 'items'))
  const number = `${Number(field(operations[0], 'number'))}`
  await call('op-show', { operation: number })
  await call('undo', { session: other })
  await call('redo', {})
  await call('op-restore', { operation: number, session: other })
  await call('swarm-new', { swarm: 'tides', task: 'Find the tide' })
  await call('swarm-branch', { swarm: 'tides', name: 'moon', about: 'by the moon' })
  await call('swarm-add', { swarm: 'tides', name: 'table', of: `${forked}/main` })
  await call('swarm-switch', { swarm: 'tides', name: 'moon' })
  await call('swarm-compare', { swarm: 'tides' })
  await call('swarm', { swarm: 'tides' })
  await call('swarms', {})
  await call('swarm-remove', { swarm: 'tides' })
  await call('mv', { old: '/work', new: '/play' })
  await call('rm', { session: [other] })
  await callSecrets(call, forked)
  await call('append', { session, entry: [says('Done.')] })
  await callFiles(call, session)
  await callUpkeep(call)
}

type VerbCall = (name: VerbName, asked: JsonObject) => Promise<Json>

const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

/** Calls of the verbs about secrets, and of those that edit entries. */
async function callSecrets(call: VerbCall, session: string): Promise<void> {
  await call('append', { session, entry: [says(`Use ${TOKEN}.`)] })
  const found = items(field(await call('scan', { revision: [session], limit: 5 }), 'items'))
  const mark = textOf(found[0] as Json, 'secret')
  const copy = textOf(await call('redact', { session, secret: ['Tides'] }), 'session')
  const { entries } = (await call('edit-plan', { revision: copy })) as JsonObject
  const plan = items(entries).map((one) => `pick ${textOf(one, 'oid')}\n`)
  await call('edit', { revision: copy, plan: plan.slice(1).join(''), branch: 'short' })
  const entry = [says('What is a tide?')]
  expect(await call('hash-object-write', { entry })).toEqual(await call('hash-object', { entry }))
  expect(items(field(await call('expunge', { mark: [mark] }), 'secrets'))).toEqual([mark])
}

/** Calls of the verbs that read and write files of agents. */
async function callFiles(call: VerbCall, session: string): Promise<void> {
  const folder = newFolder()
  const path = join(folder, 'old.jsonl')
  const id = '11111111-1111-4111-8111-111111111111'
  const began = { type: 'session', id, timestamp: '2026-01-01T00:00:00.000Z', cwd: folder }
  const asked = {
    type: 'message',
    timestamp: '2026-01-01T00:00:01.000Z',
    message: { role: 'user', content: 'Hi' },
  }
  writeFileSync(path, `${JSON.stringify(began)}\n${JSON.stringify(asked)}\n`)
  const since = field(await call('changes', { wait: 0 }), 'next') as Json
  expect(field(field(await call('import', { path: [path] }), 'totals'), 'files')).toBe(1)
  const moved = items(field(await call('changes', { since, limit: 1 }), 'items'))
  expect(moved).toHaveLength(1)
  await call('reread', { session: [id] })
  appendFileSync(path, `${JSON.stringify(asked)}\n`)
  expect(items(field(await call('watch', { path: [path], limit: 1, wait: 20 }), 'items'))).toHaveLength(1)
  const bytes = readFileSync(path).toString('base64')
  expect(await call('export', { session: id })).toEqual({ content: bytes, losses: [] })
  await call('export-file', { session, out: join(folder, 'copy.jsonl') })
  await call('export-agent', { session, format: 'pi', dryRun: true })
  await call('migrate', { file: path, to: 'v3' })
  await call('migrate-file', { file: path, to: 'v3', out: join(folder, 'new.jsonl') })
  expect(field(await call('resume', { session: id }), 'path')).toBe(path)
}

/** Calls of the verbs that keep a store. */
async function callUpkeep(call: VerbCall): Promise<void> {
  const folder = newFolder()
  await call('formats', {})
  await call('fsck-rebuild', {})
  await call('fsck-relink', {})
  expect(field(await call('fsck', { context: true }), 'ok')).toBe(true)
  await call('gc', { dryRun: true })
  expect(field(await call('init', { dir: `${folder}/new` }), 'created')).toBe(true)
  await call('backup', { dir: `${folder}/backup` })
  expect(await call('backup-verify', { dir: `${folder}/backup` })).toEqual({ ok: true, problems: [] })
  await call('backup-restore', { dir: `${folder}/backup`, to: `${folder}/restored` })
  await call('fsck-repair', { from: `${folder}/restored`, dryRun: true })
  await call('config-set', { setting: 'gc.grace', value: '2d', for: 'store' })
  expect(field(await call('config-get', { setting: 'gc.grace' }), 'value')).toBe('2d')
  await call('config', {})
  await call('config-unset', { setting: 'gc.grace', for: 'store' })
}

describe('an interface that knows nothing but verbs', () => {
  it('drives every verb while another process appends', async () => {
    const dir = newFolder()
    const toy = await open(dir)
    const session = await conversation(toy, 'Busy')
    const other = await conversation(toy, 'Tides')
    await appending(dir, session)
    await callAll(toy, session, other)
    expect([...toy.called].sort()).toEqual([...VERBS].sort())
  })

  it('reads a list by pages that stay right while another process appends', async () => {
    const dir = newFolder()
    const toy = await open(dir)
    const session = await conversation(toy, 'Busy')
    const entry = Array.from({ length: 20 }, (_, n) => says(`question ${n}`))
    await toy.call('append', { session, entry })
    await appending(dir, session)
    const seen: string[] = []
    for await (const page of toy.pages('log', { revision: session, limit: 7 }))
      seen.push(...page.map((one) => textOf(one, 'text')))
    const mine = seen.filter((text) => !text.startsWith('message'))
    expect(mine).toEqual([
      ...Array.from({ length: 20 }, (_, n) => `question ${19 - n}`),
      'And tomorrow?',
      'At noon.',
      'When is high tide?',
    ])
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('a page of a list', () => {
  const ready = async () => {
    const toy = await open()
    const session = await conversation(toy, 'Tides')
    const entry = Array.from({ length: 5 }, (_, n) => says(`question ${n}`))
    for (const one of entry) await toy.call('append', { session, entry: [one] })
    return { toy, session }
  }

  const LISTS: readonly (readonly [VerbName, JsonObject])[] = [
    ['log', {}],
    ['log', { reverse: true }],
    ['log', { all: true }],
    ['log', { revset: 'all()' }],
    ['ls', {}],
    ['ls', { sort: 'created', reverse: true }],
    ['search', { query: ['question'] }],
    ['op-log', {}],
    ['reflog', {}],
    ['graph', { filter: 'all' }],
  ]

  it.each(LISTS)('goes on after each item of %s %j, and back before it', async (name, asked) => {
    const { toy, session } = await ready()
    await conversation(toy, 'Ebb')
    const where = { log: { revision: session }, graph: { revision: session }, reflog: { ref: session } }
    const input: JsonObject = { ...asked, ...(where as { readonly [name: string]: JsonObject })[name] }
    const page = async (more: JsonObject): Promise<JsonObject[]> => {
      const { result } = await toy.call(name, { ...input, ...more })
      return items(field(result, 'items')) as JsonObject[]
    }
    const cursorOf = (one: JsonObject): string => textOf(one, 'cursor')
    const all = (await page({ limit: 100 })).map(cursorOf)
    expect(all.length).toBeGreaterThan(1)
    for (const [i, cursor] of all.entries()) {
      expect((await page({ after: cursor, limit: 2 })).map(cursorOf)).toEqual(all.slice(i + 1, i + 3))
      expect((await page({ before: cursor, limit: 2 })).map(cursorOf)).toEqual(
        all.slice(Math.max(0, i - 2), i),
      )
    }
  })

  it('refuses a cursor of another list', async () => {
    const { toy } = await ready()
    const { result } = await toy.call('op-log', { limit: 1 })
    const after = textOf(items(field(result, 'items'))[0] as Json, 'cursor')
    await expectFailure('bad-usage', () => toy.call('ls', { after }))
    await expectFailure('bad-usage', () => toy.call('rev-list', { revision: ['@'], after }))
  })
})

it('a tree is shown in windows from the root to the tip', async () => {
  const toy = await open()
  const session = await conversation(toy, 'Tides')
  const entry = Array.from({ length: 5 }, (_, n) => says(`question ${n}`))
  await toy.call('append', { session, entry })
  const window = async (more: JsonObject): Promise<string[]> => {
    const { result } = await toy.call('tree', { session, filter: 'all', limit: 3, ...more })
    expect(result).toMatchObject({ total: 8, isExact: true })
    return items(field(result, 'rows')).map((row) => textOf(row, 'text'))
  }
  expect(await window({})).toEqual(['question 2', 'question 3', 'question 4'])
  expect(await window({ from: 0 })).toEqual(['When is high tide?', 'At noon.', 'And tomorrow?'])
  const { result } = await toy.call('log', { revision: session, limit: 1 })
  const at = textOf(items(field(result, 'items'))[0] as Json, 'oid')
  expect(await window({ at })).toEqual(['question 4'])
  expect(await window({ at, back: 2 })).toEqual(['question 2', 'question 3', 'question 4'])
})

describe('a call', () => {
  const ready = async () => {
    const toy = await open()
    return { toy, session: await conversation(toy, 'Tides') }
  }

  it('is cancelled by its signal', async () => {
    const { toy, session } = await ready()
    const stopping = new AbortController()
    stopping.abort()
    await expectFailure('stopped', () => toy.call('log', { revision: session }, stopping.signal))
    await expectFailure('stopped', () => toy.call('rename', { session, title: 'x' }, stopping.signal))
  })

  it('is cancelled while it reads', async () => {
    const { toy, session } = await ready()
    const stopping = new AbortController()
    const reading = toy.call('log', { revision: session }, stopping.signal)
    stopping.abort()
    await expectFailure('stopped', () => reading)
  })

  it('answers with its operation, which can be undone', async () => {
    const { toy, session } = await ready()
    const { operation, result } = await toy.call('rename', { session, title: 'Ebb' })
    expect(result).toEqual({ session, title: 'Ebb', before: 'Tides' })
    const { result: undone } = await toy.call('undo', { operation: `${operation}` })
    expect(field(field(undone, 'operation'), 'number')).toBe(operation)
    const { result: shown } = await toy.call('op-show', { operation: `${operation}` })
    expect([field(shown, 'command'), field(shown, 'actor')]).toEqual(['toy rename', 'person'])
  })

  it('is one operation, even if the verb writes several times', async () => {
    const { toy, session } = await ready()
    const { operation } = await toy.call('switch', { revision: `${session}~1`, create: 'early' })
    const { result } = await toy.call('op-show', { operation: `${operation}` })
    const names = items(field(result, 'moves')).map((move) => textOf(move, 'name'))
    expect(names.some((name) => name.endsWith('branches/early'))).toBe(true)
    expect(names.some((name) => name.endsWith('/HEAD'))).toBe(true)
    await toy.call('undo', { operation: `${operation}` })
  })

  it('that is repeated with its key is answered with the operation that was made', async () => {
    const { toy, session } = await ready()
    const asked = { session, entry: [says('Once.')], key: 'call-1' }
    const made = await toy.call('append', asked)
    const again = await toy.call('append', asked)
    expect(made).toMatchObject({ repeated: false })
    expect(again).toEqual({ operation: made.operation, repeated: true, result: null })
    const log = await toy.call('log', { revision: session, grep: 'Once' })
    expect(items(field(log.result, 'items'))).toHaveLength(1)
  })

  it('writes only on what it expects', async () => {
    const { toy, session } = await ready()
    const log = await toy.call('log', { revision: session, limit: 2 })
    const [tip, before] = items(field(log.result, 'items')).map((one) => textOf(one, 'oid'))
    const stale = { session, title: 'Low', expected: { [session]: before as string } }
    await expectFailure('conflict', () => toy.call('rename', stale))
    await expectFailure('conflict', () =>
      toy.call('branch', { session, name: 'a', expected: { [`${session}/a`]: tip as string } }),
    )
    const fresh = { [session]: tip as string, [`${session}/a`]: null }
    await toy.call('branch', { session, name: 'a', expected: fresh })
    const meta = `sessions/${session}/meta`
    await expectFailure('conflict', () =>
      toy.call('rename', { session, title: 'x', expected: { [meta]: null } }),
    )
  })

  it('that only shows what would change writes nothing', async () => {
    const { toy, session } = await ready()
    const { result, operation } = await toy.call('rename', { session, title: 'Dry', dryRun: true })
    expect([field(result, 'title'), operation]).toEqual(['Dry', null])
    const { result: listed } = await toy.call('ls', {})
    expect(items(field(listed, 'items')).map((one) => field(one, 'title'))).not.toContain('Dry')
  })
})

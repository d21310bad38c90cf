import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  buildSessionContext,
  type FileEntry,
  findMostRecentSession,
  loadEntriesFromFile,
  migrateSessionEntries,
  SessionManager,
} from '../../../src/compat/oh-my-pi/index.ts'
import { openStore } from '../../../src/library/store.ts'
import { newFolder } from '../../support/folder.ts'

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}
const user = (text: string) => ({ role: 'user' as const, content: text, timestamp: 1 })
const assistant = (text: string, more: object = {}) => ({
  role: 'assistant' as const,
  content: [{ type: 'text' as const, text }],
  api: 'a',
  provider: 'anthropic',
  model: 'claude',
  usage,
  stopReason: 'stop' as const,
  timestamp: 2,
  ...more,
})
const call = (id: string) => ({ content: [{ type: 'toolCall', id, name: 'bash', arguments: {} }] })
const result = (toolCallId: string) => ({
  role: 'toolResult' as const,
  toolCallId,
  toolName: 'bash',
  content: [{ type: 'text' as const, text: 'ok' }],
  isError: false,
  timestamp: 3,
})
const texts = (manager: SessionManager): string[] =>
  manager.buildSessionContext().messages.map((message) => {
    if ('summary' in message) return `[${message.summary}]`
    const { content } = message as { content: unknown }
    return typeof content === 'string'
      ? content
      : JSON.stringify(content).replace(/.*"text":"([^"]*)".*/, '$1')
  })
const fileOf = (manager: SessionManager): string => manager.getSessionFile() as string

afterEach(() => vi.unstubAllEnvs())

describe('the session manager of oh-my-pi', () => {
  it('L1, L2, L3: appends below the leaf, which moves to any entry or before the first', () => {
    const manager = SessionManager.inMemory('/work')
    const [a, b] = [manager.appendMessage(user('a')), manager.appendMessage(assistant('b'))]
    manager.branch(a)
    const c = manager.appendMessage(assistant('c'))
    manager.resetLeaf()
    expect(manager.getLeafId()).toBeNull()
    const d = manager.appendMessage(user('d'))
    expect(manager.getEntries().map(({ parentId }) => parentId)).toEqual([null, a, a, null])
    expect(manager.getChildren(a).map(({ id }) => id)).toEqual([b, c])
    expect(manager.getBranch(c).map(({ id }) => id)).toEqual([a, c])
    expect(manager.getTree().map(({ entry }) => entry.id)).toEqual([a, d])
    expect(() => manager.branch('nobody')).toThrow(new Error('Entry nobody not found'))
  })

  it('L4: fromId of a summary is the entry that it continues, root before the first', () => {
    const manager = SessionManager.inMemory('/work')
    const a = manager.appendMessage(user('a'))
    manager.appendMessage(assistant('b'))
    const first = manager.branchWithSummary(a, 'tried b', { n: 1 }, false)
    expect(manager.getEntry(first)).toMatchObject({
      parentId: a,
      fromId: a,
      details: { n: 1 },
      fromExtension: false,
    })
    const second = manager.branchWithSummary(null, 'tried all')
    expect(manager.getEntry(second)).toMatchObject({ parentId: null, fromId: 'root', summary: 'tried all' })
    expect(manager.getLeafId()).toBe(second)
    expect(() => manager.branchWithSummary('nobody', 'x')).toThrow(new Error('Entry nobody not found'))
  })

  it('appends to another branch and stays where it was', () => {
    const manager = SessionManager.inMemory('/work')
    const [a, b] = [manager.appendMessage(user('a')), manager.appendMessage(assistant('b'))]
    const id = manager.appendMessageToBranch(user('aside'), a)
    expect([manager.getEntry(id)?.parentId, manager.getLeafId()]).toEqual([a, b])
  })

  it('N7: a branched session has one path, its labels again, and the manager continues in it', async () => {
    const manager = SessionManager.create('/work', newFolder())
    const a = manager.appendMessage(user('a'))
    manager.appendLabelChange(a, 'start')
    const b = manager.appendMessage(assistant('b'))
    manager.appendLabelChange(b, 'gone')
    manager.appendLabelChange(b, undefined)
    const c = manager.appendMessage(user('c'))
    const before = fileOf(manager)
    const file = manager.createBranchedSession(c)
    expect(file).toBe(fileOf(manager))
    expect(file).not.toBe(before)
    const types = (one: SessionManager) => one.getEntries().map(({ type, parentId }) => `${type} ${parentId}`)
    expect(types(manager)).toEqual(['message null', `message ${a}`, `message ${b}`, `label ${c}`])
    expect([manager.getLabel(a), manager.getLabel(b)]).toEqual(['start', undefined])
    expect(manager.getHeader().parentSession).toBe(before)
    expect(types(await SessionManager.open(fileOf(manager)))).toEqual(types(manager))
    expect(() => manager.createBranchedSession('nobody')).toThrow(new Error('Entry nobody not found'))
    const memory = SessionManager.inMemory('/work')
    expect(memory.createBranchedSession(memory.appendMessage(user('a')))).toBeUndefined()
  })

  it('C12: models by role, where one that was set is not overruled; mode, rules, tier and thinking', () => {
    const manager = SessionManager.inMemory('/work')
    expect(manager.buildSessionContext()).toEqual({
      messages: [],
      thinkingLevel: 'off',
      serviceTier: null,
      models: {},
      injectedTtsrRules: [],
      mode: 'none',
    })
    manager.appendMessage(assistant('answered'))
    expect(manager.buildSessionContext().models).toEqual({ default: 'anthropic/claude' })
    manager.appendModelChange('openai/gpt')
    manager.appendModelChange('openai/small', 'smol', true)
    manager.appendMessage(assistant('answered'))
    manager.appendThinkingLevelChange('high', 'auto')
    manager.appendServiceTierChange({ openai: 'flex' })
    manager.appendModeChange('plan', { file: 'plan.md' })
    manager.appendTtsrInjection(['a', 'b'])
    const at = manager.appendTtsrInjection(['b', 'c'])
    const state = {
      thinkingLevel: 'high',
      serviceTier: { openai: 'flex' },
      models: { default: 'openai/gpt', smol: 'openai/small' },
      injectedTtsrRules: ['a', 'b', 'c'],
      mode: 'plan',
      modeData: { file: 'plan.md' },
    }
    expect(manager.buildSessionContext()).toMatchObject(state)
    manager.appendModeChange('none')
    manager.appendThinkingLevelChange(null)
    expect(manager.buildSessionContext()).not.toHaveProperty('modeData')
    expect(manager.buildSessionContext()).toMatchObject({ mode: 'none', thinkingLevel: 'off' })
    expect(buildSessionContext(manager.getEntries(), at)).toMatchObject(state)
    expect(buildSessionContext(manager.getEntries(), null).models).toEqual({})
  })

  it('C3, C12: a compaction keeps from an entry on; a reset after it hides everything', () => {
    const manager = SessionManager.inMemory('/work')
    manager.appendMessage(user('one'))
    const kept = manager.appendMessage(user('two'))
    manager.appendCompaction('so far', 'short', kept, 9, { preserveData: { x: 1 } })
    manager.appendMessage(user('three'))
    expect(texts(manager)).toEqual(['[so far]', 'two', 'three'])
    expect(manager.buildSessionContext().messages[0]).toMatchObject({
      role: 'compactionSummary',
      shortSummary: 'short',
    })
    manager.appendResetBoundary()
    expect(texts(manager)).toEqual([])
    const again = manager.appendMessage(user('anew'))
    expect(texts(manager)).toEqual(['anew'])
    manager.appendCompaction('all', undefined, again, 9)
    expect(texts(manager)).toEqual(['[all]', 'anew'])
  })

  it('C12: leaves out calls without results, and turns that failed with theirs', () => {
    const manager = SessionManager.inMemory('/work')
    manager.appendMessage(user('go'))
    manager.appendMessage(assistant('', call('1')))
    manager.appendMessage(result('1'))
    manager.appendMessage(assistant('failed', { ...call('2'), stopReason: 'error' }))
    manager.appendMessage(result('2'))
    manager.appendMessage(assistant('aborted', { stopReason: 'aborted' }))
    manager.appendMessage(assistant('', call('3')))
    const roles = manager.buildSessionContext().messages.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'toolResult'])
  })

  it('C12: keeps results without a call, and no signature where a call was left out', () => {
    const manager = SessionManager.inMemory('/work')
    manager.appendMessage(result('gone'))
    const thinking = { type: 'thinking', thinking: 'hm', thinkingSignature: 's' }
    const hidden = { type: 'redactedThinking', data: 'x' }
    manager.appendMessage(assistant('', { content: [thinking, hidden, ...call('1').content] }))
    manager.appendMessage(assistant('', { content: [thinking, hidden] }))
    expect(
      manager.buildSessionContext().messages.map((message) => 'content' in message && message.content),
    ).toEqual([[{ type: 'text', text: 'ok' }], [{ type: 'thinking', thinking: 'hm' }], [thinking, hidden]])
  })

  it('has the fields and the answers of the methods of 18.3.4', () => {
    const manager = SessionManager.inMemory('/work')
    expect([manager.getSessionDir(), manager.getRecordedCwd(), manager.isSessionOnDisk()]).toEqual([
      '',
      '/work',
      false,
    ])
    expect(manager.getLastModelChangeRole()).toBeUndefined()
    manager.appendModelChange('anthropic/claude')
    expect(manager.getLastModelChangeRole()).toBe('default')
    manager.appendModelChange('anthropic/claude', 'smol')
    expect(manager.getLastModelChangeRole()).toBe('smol')
    manager.appendTtsrInjection(['a', 'b'])
    manager.appendTtsrInjection(['b', 'c'])
    expect(manager.getInjectedTtsrRules()).toEqual(['a', 'b', 'c'])
    const asked = manager.appendMessage(user('a'))
    manager.appendCustomMessageEntry('note', 'b', true, undefined, undefined, 5)
    const custom = { attribution: 'agent', timestamp: '1970-01-01T00:00:00.005Z', parentId: asked }
    expect(manager.getLeafEntry()).toMatchObject(custom)
    manager.appendCompaction('short', undefined, asked, 9, { method: 'x', tokensAfter: 3 })
    expect(manager.getLeafEntry()).toMatchObject({ tokensBefore: 9, tokensAfter: 3, method: 'x' })
    const leaf = manager.getLeafId()
    const took = { purpose: 'title', provider: 'anthropic', model: 'claude', usage }
    const owner = { sessionId: manager.getSessionId(), parentId: asked }
    const id = manager.appendModelUsage(took, owner) ?? ''
    expect(manager.getEntry(id)).toMatchObject({ type: 'model_usage', parentId: asked, purpose: 'title' })
    expect(manager.getLeafId()).toBe(leaf)
    expect(manager.appendModelUsage(took, { ...owner, sessionId: 'other' })).toBeUndefined()
    expect(manager.appendModelUsage(took, { ...owner, parentId: leaf })).toBe(manager.getLeafId())
  })

  it('keeps a name that its user gave', async () => {
    const manager = SessionManager.inMemory('/work')
    expect(await manager.setSessionName('By machine', 'auto', 'first turn')).toBe(true)
    expect(await manager.setSessionName('By\nhand')).toBe(true)
    expect(await manager.setSessionName('By machine again', 'auto')).toBe(false)
    expect(manager.getSessionName()).toBe('By hand')
    expect(manager.getEntries().at(-1)).toMatchObject({
      type: 'title_change',
      title: 'By hand',
      previousTitle: 'By machine',
      source: 'user',
    })
  })

  it('makes its file with the first answer, or on request', async () => {
    const [waiting, requested] = [
      SessionManager.create('/work', newFolder()),
      SessionManager.create('/work', newFolder()),
    ]
    waiting.appendMessage(user('a'))
    requested.appendMessage(user('a'))
    const onDisk = requested.ensureOnDisk()
    expect([existsSync(fileOf(waiting)), existsSync(fileOf(requested))]).toEqual([false, true])
    await onDisk
    expect([waiting.isSessionOnDisk(), requested.isSessionOnDisk()]).toEqual([false, true])
    waiting.appendMessage(assistant('b'))
    waiting.appendCustomEntry('state', { n: 1 })
    const lines = readFileSync(fileOf(waiting), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'title',
      'session',
      'message',
      'message',
      'custom',
    ])
    const again = await SessionManager.open(fileOf(waiting))
    expect(again.getEntries()).toEqual(waiting.getEntries())
    const recent = await SessionManager.continueRecent('/work', waiting.getSessionDir())
    expect(recent.getSessionId()).toBe(waiting.getSessionId())
    const fork = await SessionManager.forkFrom(fileOf(waiting), '/other', newFolder())
    expect(fork.getEntries()).toEqual(waiting.getEntries())
    expect(fork.getHeader()).toMatchObject({ cwd: '/other', parentSession: waiting.getSessionId() })
  })

  it('F9: reads a title line into the header, and refuses what is no session', async () => {
    const path = join(newFolder(), 's.jsonl')
    copyFileSync(fileURLToPath(new URL('../../fixtures/oh-my-pi/session.jsonl', import.meta.url)), path)
    const manager = await SessionManager.open(path)
    expect(manager.getSessionName()).toBe('Nested tides')
    expect(manager.buildSessionContext().models).toEqual({
      default: 'anthropic/claude-x',
      smol: 'openai/gpt-small',
    })
    expect(texts(manager)).toEqual(['Begin anew.'])
    const other = join(newFolder(), 'x.jsonl')
    copyFileSync(fileURLToPath(import.meta.url), other)
    await expect(SessionManager.open(other)).rejects.toThrow(
      `Session file is not a valid pi session: ${other}`,
    )
    expect(readFileSync(other)).toEqual(readFileSync(fileURLToPath(import.meta.url)))
  })

  it('F9: changes the title in its line of 256 bytes, where a file has one', async () => {
    const manager = SessionManager.create('/work', newFolder())
    manager.appendMessage(user('a'))
    manager.appendMessage(assistant('b'))
    const lines = (path: string): string[] => readFileSync(path, 'utf8').split('\n')
    const [empty = '', ...before] = lines(fileOf(manager))
    expect([empty.length, JSON.parse(empty)]).toMatchObject([255, { type: 'title', v: 1, title: '' }])
    await manager.setSessionName('Tides', 'auto')
    await manager.setSessionName('Nested tides')
    const [title = '', ...after] = lines(fileOf(manager))
    expect([title.length, JSON.parse(title)]).toMatchObject([255, { title: 'Nested tides', source: 'user' }])
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    expect((await SessionManager.open(fileOf(manager))).getSessionName()).toBe('Nested tides')

    const without = join(newFolder(), 's.jsonl')
    writeFileSync(without, before.join('\n'))
    const other = await SessionManager.open(without)
    await other.setSessionName('Named')
    expect(lines(without).slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    expect((await SessionManager.open(without)).getSessionName()).toBe('Named')
  })

  it('I2: names folders of sessions by the path below the home, else below the temporary folder', () => {
    const root = realpathSync(newFolder())
    const names = (home: string, temporary: string, ...cwds: string[]): string[] => {
      vi.stubEnv('HOME', join(root, home))
      vi.stubEnv('TMPDIR', join(root, temporary))
      const all = cwds.map((cwd) => SessionManager.getDefaultSessionDir(join(root, cwd), '/agent'))
      vi.unstubAllEnvs()
      return all.map((dir) => dir.slice('/agent/sessions/'.length))
    }
    expect(names('home', 't', 'home/a/b', 'home', 't/a/b', 't')).toEqual(['-a-b', '-', '-tmp-a-b', '-tmp'])
    expect(names('t/home', 't', 't/home/a/b', 't/home', 't/a', 't')).toEqual(['-a-b', '-', '-tmp-a', '-tmp'])
    expect(names('home', 'home/t', 'home/t/a', 'home/t')).toEqual(['-t-a', '-t'])
    expect(names('.', '.', 'a', '.')).toEqual(['-a', '-'])
    const elsewhere = `--${join(root, 'a:b').slice(1).replaceAll(/[/:]/g, '-')}--`
    expect(names('home', 't', 'a:b', 'homes')).toEqual([elsewhere, elsewhere.replace('a-b', 'homes')])
    mkdirSync(join(root, 'home'))
    symlinkSync(join(root, 'home'), join(root, 'link'))
    expect(names('link', 't', 'home', 'link')).toEqual(['-', '-'])
  })

  it('loads entries with the title in the header, as oh-my-pi does, and none of what is no session', () => {
    const dir = newFolder()
    const write = (name: string, ...lines: (object | string)[]): string => {
      const path = join(dir, name)
      writeFileSync(
        path,
        lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
      )
      return path
    }
    const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' }
    const entry = { type: 'reset_boundary', id: 'a', parentId: null, timestamp: header.timestamp }
    const slot = (title: string) => ({
      type: 'title',
      v: 1,
      title,
      ...(title && { source: 'user' }),
      pad: '',
    })
    expect(loadEntriesFromFile(write('a.jsonl', slot('Tea'), header, 'no JSON', '', entry))).toEqual([
      { ...header, title: 'Tea', titleSource: 'user' },
      entry,
    ])
    const old = { ...header, title: 'Old', titleSource: 'auto' }
    expect(loadEntriesFromFile(write('b.jsonl', slot(''), old))).toEqual([header])
    expect(loadEntriesFromFile(write('c.jsonl', old, entry))).toEqual([old, entry])
    expect(loadEntriesFromFile(write('d.jsonl', entry, header))).toEqual([])
    expect(loadEntriesFromFile(write('e.jsonl', slot('Tea'), { type: 'session' }))).toEqual([])
    const missing = join(dir, 'missing.jsonl')
    expect(loadEntriesFromFile(missing)).toEqual([])
    expect(() => loadEntriesFromFile(missing, undefined, { throwIfMissing: true })).toThrow('ENOENT')
  })

  it('finds the session that was modified last, after a title line or not', () => {
    const dir = newFolder()
    const at = (name: string, seconds: number, text: string): string => {
      const path = join(dir, name)
      writeFileSync(path, text)
      utimesSync(path, seconds, seconds)
      return path
    }
    expect(findMostRecentSession(dir)).toBeNull()
    expect(findMostRecentSession(join(dir, 'missing'))).toBeNull()
    const plain = at('b.jsonl', 20, '{"type":"session","id":"b"}\n')
    const titled = at('a.jsonl', 30, '{"type":"title","v":1,"title":"A"}\n{"type":"session","id":"a"}\n')
    at('c.jsonl', 40, '{"type":"title","v":1,"title":"C"}\n{"type":"message"}\n')
    at('d.txt', 50, '{"type":"session","id":"d"}\n')
    expect(findMostRecentSession(dir)).toBe(titled)
    utimesSync(plain, 60, 60)
    expect(findMostRecentSession(dir)).toBe(plain)
  })

  it('migrates entries of version 1 in place', () => {
    const timestamp = '2026-01-01T00:00:00.000Z'
    const entries = [
      { type: 'session', id: 's', timestamp, cwd: '/w' },
      { type: 'message', timestamp, message: user('a') },
      { type: 'message', timestamp, message: { role: 'hookMessage', content: 'b' } },
      { type: 'compaction', timestamp, summary: 'all', firstKeptEntryIndex: 1, tokensBefore: 1 },
    ] as unknown as FileEntry[]
    migrateSessionEntries(entries)
    const [header, first, second, third] = entries as unknown as Record<string, unknown>[]
    expect(header).toMatchObject({ version: 3 })
    expect([first?.parentId, second?.parentId, third?.parentId]).toEqual([null, first?.id, second?.id])
    expect(second).toMatchObject({ message: { role: 'custom' } })
    expect(third).toMatchObject({ firstKeptEntryId: first?.id })
    const again = structuredClone(entries)
    migrateSessionEntries(again)
    expect(again).toEqual(entries)
  })

  it('keeps a store caught up', async () => {
    const dir = newFolder()
    const manager = SessionManager.create('/work', join(dir, 'sessions'), { store: join(dir, 'store') })
    manager.appendModelChange('anthropic/claude')
    manager.appendMessage(user('a'))
    const b = manager.appendMessage(assistant('b'))
    manager.appendLabelChange(b, 'answer')
    await manager.setSessionName('Named')
    await manager.settled()
    const first = manager.getSessionId()
    manager.createBranchedSession(b)
    manager.appendMessage(user('c'))
    await manager.close()
    const store = await openStore(join(dir, 'store'))
    expect(await (await store.session(first)).info()).toMatchObject({
      format: 'oh-my-pi',
      title: 'Named',
      entries: 3,
    })
    expect((await store.show(`${first}/answer`)).text).toBe('b')
    expect((await store.stats()).entries).toBe(4)
    await store.close()
  })
})

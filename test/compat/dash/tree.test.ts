import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CURRENT_SESSION_VERSION,
  getGlobalSessionTree,
  loadEntriesFromFile,
  parseSessionEntries,
  resetGlobalSessionTree,
  SessionTree,
  type SessionTreeNode,
  setGlobalSessionTree,
} from '../../../src/compat/dash/index.ts'
import { openStore } from '../../../src/library/store.ts'
import { newFolder } from '../../support/folder.ts'
import { quietEnv } from '../../support/store.ts'

const create = (name?: string): SessionTree =>
  SessionTree.create('/project', newFolder(), name, { env: quietEnv() })
const fileOf = (tree: SessionTree): string => tree.getSessionFile() as string
const linesOf = (tree: SessionTree): string[] => readFileSync(fileOf(tree), 'utf8').split('\n').slice(0, -1)
const contents = (tree: SessionTree, branch?: string): string[] =>
  tree.getBranch(branch).map((entry) => (entry.type === 'message' ? entry.content : entry.type))

/** The example of Dash's own document. */
function approaches(tree = create()): SessionTree {
  tree.appendMessage('user', 'How do I optimize this?')
  tree.appendMessage('assistant', 'I have several approaches.', { cost: 0.5, tokens: 100 })
  tree.createBranch('approach-a', 'Using algorithm optimization')
  tree.appendMessage('assistant', 'Memoize.', { cost: 0.05, tokens: 400 })
  tree.switchBranch('main')
  tree.createBranch('approach-b')
  tree.appendMessage('assistant', 'Use a Map.', { cost: 0.03, tokens: 500 })
  return tree
}

describe('a session tree of Dash', () => {
  it('writes the file of Dash version 1 in its exact form', () => {
    const tree = create('My session')
    const asked = tree.appendMessage('user', 'Hello')
    tree.appendMessage('assistant', 'Hi!', { model: 'kimi', cost: 0.001, tokens: 150 })
    tree.appendAgentAction('spawn', 'agent-1', { task: 'x' })
    tree.appendLabel(asked, 'start')
    tree.appendLabel(asked)
    tree.createBranch('a', 'first way')
    const [id, ...ids] = tree.getEntries().map((entry) => entry.id)
    expect([id, ...ids].every((one) => /^[0-9a-f]{8}$/.test(one ?? ''))).toBe(true)
    expect(linesOf(tree).map((line) => line.replace(/[0-9a-f]{8}(?=")/g, '#'))).toEqual([
      '{"type":"session","version":1,"id":"sess_#","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/project","name":"My session"}',
      '{"type":"message","id":"#","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","role":"user","content":"Hello"}',
      '{"type":"message","id":"#","parentId":"#","timestamp":"2026-01-01T00:00:02.000Z","role":"assistant","content":"Hi!","metadata":{"model":"kimi","cost":0.001,"tokens":150}}',
      '{"type":"agent_action","id":"#","parentId":"#","timestamp":"2026-01-01T00:00:03.000Z","action":"spawn","agentId":"agent-1","data":{"task":"x"}}',
      '{"type":"label","id":"#","parentId":"#","timestamp":"2026-01-01T00:00:04.000Z","targetId":"#","label":"start"}',
      '{"type":"label","id":"#","parentId":"#","timestamp":"2026-01-01T00:00:05.000Z","targetId":"#"}',
      '{"type":"branch_point","id":"#","parentId":"#","timestamp":"2026-01-01T00:00:06.000Z","branchName":"a","description":"first way"}',
    ])
  })

  it('defect: the id in the name of a file is that of its header', () => {
    const tree = create()
    expect(basename(fileOf(tree))).toBe(`2026-01-01T00-00-00-000Z_${tree.getSessionId()}.jsonl`)
    expect(tree.getSessionId()).toMatch(/^sess_[0-9a-f]{8}$/)
    expect(tree.getHeader().id).toBe(tree.getSessionId())
  })

  it('defect: a branch point belongs to the branch that it begins, so that branches do not nest', () => {
    const tree = approaches()
    expect(contents(tree, 'main')).toEqual(['How do I optimize this?', 'I have several approaches.'])
    expect(contents(tree, 'approach-a')).toEqual([...contents(tree, 'main'), 'branch_point', 'Memoize.'])
    expect(contents(tree, 'approach-b')).toEqual([...contents(tree, 'main'), 'branch_point', 'Use a Map.'])
    expect(tree.getCurrentBranch()).toBe('approach-b')
  })

  it('defect: after it was read again each branch is where it was, and so is the session', () => {
    const tree = approaches()
    const again = SessionTree.open(fileOf(tree))
    expect(again.listBranches()).toEqual(tree.listBranches())
    expect([again.getCurrentBranch(), again.getLeafId()]).toEqual(['approach-b', tree.getLeafId()])
    expect([again.getCwd(), again.getSessionId()]).toEqual(['/project', tree.getSessionId()])
    again.switchBranch('approach-a')
    const id = again.appendMessage('user', 'Go on.')
    expect(again.getEntry(id)?.parentId).toBe(tree.listBranches()[1]?.leafEntryId)
  })

  it('defect: getBranch returns the whole path, and counts are counts', () => {
    const tree = approaches()
    const [root, second] = tree.getEntries().map(({ id }) => id)
    const [a, , b] = tree
      .getEntries()
      .slice(2)
      .map(({ id }) => id)
    expect(tree.listBranches()).toMatchObject([
      { id: 'main', name: 'main', rootEntryId: root, leafEntryId: second, entryCount: 2 },
      {
        id: 'approach-a',
        name: 'approach-a',
        rootEntryId: a,
        leafEntryId: tree.getEntries()[3]?.id,
        entryCount: 2,
      },
      { id: 'approach-b', name: 'approach-b', rootEntryId: b, leafEntryId: tree.getLeafId(), entryCount: 2 },
    ])
  })

  it('defect: a label that was cleared stays cleared after it was read again', () => {
    const tree = create()
    const id = tree.appendMessage('user', 'Hello')
    tree.appendLabel(id, 'one')
    tree.appendLabel(id, 'two')
    expect([tree.getLabel(id), SessionTree.open(fileOf(tree)).getLabel(id)]).toEqual(['two', 'two'])
    tree.appendLabel(id, undefined)
    expect([tree.getLabel(id), SessionTree.open(fileOf(tree)).getLabel(id)]).toEqual([undefined, undefined])
    tree.appendLabel('', 'the session')
    expect(tree.getLabel('')).toBe('the session')
  })

  it('defect: an append adds a line and leaves what is there', () => {
    const tree = create()
    tree.appendMessage('user', 'one')
    writeFileSync(fileOf(tree), `${readFileSync(fileOf(tree), 'utf8')}no JSON`)
    tree.appendMessage('user', 'two')
    expect(linesOf(tree)[2]).toBe('no JSON')
    expect(contents(SessionTree.open(fileOf(tree)))).toEqual(['one', 'two'])
  })

  it('defect: fork writes to the folder that is passed', () => {
    const tree = approaches()
    const target = newFolder()
    const at = tree.getBranch('approach-a')[3]?.id ?? ''
    const forked = SessionTree.fork(fileOf(tree), at, 'Forked', target)
    const fork = SessionTree.open(forked.newSessionFile)
    expect(forked).toEqual({
      newSessionId: fork.getSessionId(),
      newSessionFile: join(target, readdirSync(target)[0] ?? ''),
      forkedFromEntryId: at,
    })
    expect(fork.getHeader()).toMatchObject({ name: 'Forked', cwd: '/project', parentSession: fileOf(tree) })
    expect(contents(fork)).toEqual(contents(tree, 'approach-a'))
    expect(fork.getCurrentBranch()).toBe('approach-a')
  })

  it('forks to a file next to its own, and continues', () => {
    const tree = approaches()
    const { id } = tree.getBranch('main')[1] ?? { id: '' }
    const { newSessionId, newSessionFile, forkedFromEntryId } = tree.forkSession(id, 'Forked')
    expect(forkedFromEntryId).toBe(id)
    expect(tree.getCurrentBranch()).toBe('approach-b')
    const fork = SessionTree.open(newSessionFile)
    expect([fork.getSessionId(), fork.getName()]).toEqual([newSessionId, 'Forked'])
    expect(fork.getEntries()).toEqual(tree.getBranch('main'))
  })

  it('writes a missing file again when it is asked to sync, and reads what others appended', () => {
    const tree = approaches()
    const text = readFileSync(fileOf(tree), 'utf8')
    tree.sync()
    expect(readFileSync(fileOf(tree), 'utf8')).toBe(text)
    rmSync(fileOf(tree))
    tree.sync()
    expect(readFileSync(fileOf(tree), 'utf8')).toBe(text)
    const other = SessionTree.open(fileOf(tree))
    const id = other.appendMessage('user', 'from another process')
    tree.sync()
    expect([tree.getLeafId(), tree.getEntries()]).toEqual([id, other.getEntries()])
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ version: CURRENT_SESSION_VERSION })
  })

  it('begins its file when it is asked to sync, and none in memory', () => {
    const dir = newFolder()
    const tree = new SessionTree('/project', dir)
    tree.sync()
    expect(readdirSync(dir)).toEqual([basename(fileOf(tree))])
    const memory = SessionTree.inMemory('/project')
    memory.appendMessage('user', 'a')
    memory.sync()
    expect([memory.getSessionFile(), memory.getEntries().length]).toEqual([undefined, 1])
  })

  it('makes a branch at any entry', () => {
    const tree = approaches()
    const first = tree.getEntries()[0]?.id ?? ''
    const point = tree.createBranchAt(first, 'other', 'from the start')
    tree.appendMessage('assistant', 'Profile first.')
    expect(tree.getEntry(point)).toMatchObject({ type: 'branch_point', parentId: first, branchName: 'other' })
    expect(contents(tree)).toEqual(['How do I optimize this?', 'branch_point', 'Profile first.'])
    expect(tree.getChildren(first).map(({ id }) => id)).toEqual([tree.getEntries()[1]?.id, point])
  })

  it('returns the tree with depths and labels', () => {
    const tree = approaches()
    tree.appendLabel(tree.getEntries()[1]?.id ?? '', 'choice')
    const drawn = (nodes: readonly SessionTreeNode[]): string[] =>
      nodes.flatMap(({ entry, depth, label, children }) => [
        `${'  '.repeat(depth)}${entry.type}${label ? ` [${label}]` : ''}`,
        ...drawn(children),
      ])
    expect(drawn(tree.getTree())).toEqual([
      'message',
      '  message [choice]',
      '    branch_point',
      '      message',
      '    branch_point',
      '      message',
      '        label',
    ])
  })

  it('L6: returns children by their times', () => {
    const dir = newFolder()
    const path = join(dir, 's.jsonl')
    const line = (id: string, parentId: string | null, second: number) =>
      `{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":"2026-01-01T00:00:0${second}.000Z","role":"user","content":"${id}"}\n`
    const header =
      '{"type":"session","version":1,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n'
    writeFileSync(path, header + line('a', null, 1) + line('late', 'a', 9) + line('early', 'a', 2))
    const tree = SessionTree.open(path)
    expect(tree.getChildren('a').map(({ id }) => id)).toEqual(['early', 'late'])
    expect(tree.getChildren('nobody')).toEqual([])
  })

  it('compares branches by what is their own, and names the cheapest', () => {
    const tree = approaches()
    const { branches, winner, differences } = tree.compareBranches(['approach-a', 'nobody', 'approach-b'])
    expect(branches).toMatchObject([
      { branchId: 'approach-a', name: 'approach-a', entryCount: 2, totalCost: 0.05, totalTokens: 400 },
      { branchId: 'approach-b', name: 'approach-b', entryCount: 2, totalCost: 0.03, totalTokens: 500 },
    ])
    expect(branches[1]?.lastActivity).toBe(tree.getLeafEntry()?.timestamp)
    expect(winner).toBe('approach-b')
    expect(differences).toEqual([
      {
        metric: 'cost',
        branchA: 'approach-a',
        branchB: 'approach-b',
        diff: 0.03 - 0.05,
        percentDiff: ((0.03 - 0.05) / 0.05) * 100,
      },
      { metric: 'tokens', branchA: 'approach-a', branchB: 'approach-b', diff: 100, percentDiff: 25 },
    ])
    expect(create().compareBranches(['main', 'nobody'])).toMatchObject({ winner: 'main', differences: [] })
    expect(create().compareBranches([])).toEqual({ branches: [], differences: [] })
  })

  it('returns the first of branches that cost the same, and no percentage of nothing', () => {
    const tree = SessionTree.inMemory('/x')
    tree.createBranch('a')
    tree.switchBranch('main')
    tree.createBranch('b')
    tree.appendMessage('assistant', 'x', { tokens: 7 })
    const { winner, differences } = tree.compareBranches(['a', 'b'])
    expect(winner).toBe('a')
    expect(differences[1]).toMatchObject({ metric: 'tokens', diff: 7, percentDiff: 0 })
  })

  it('throws in the words of Dash, and changes nothing then', () => {
    const tree = approaches()
    const before = readFileSync(fileOf(tree), 'utf8')
    expect(() => tree.createBranch('main')).toThrow(new Error('Branch main already exists'))
    expect(() => tree.createBranchAt('nobody', 'x')).toThrow(new Error('Entry nobody not found'))
    expect(() => tree.switchBranch('nobody')).toThrow(new Error('Branch nobody not found'))
    expect(() => tree.getBranch('nobody')).toThrow(new Error('Branch nobody not found'))
    expect(() => tree.appendLabel('nobody', 'x')).toThrow(new Error('Entry nobody not found'))
    expect(() => tree.forkSession('nobody', 'x')).toThrow(new Error('Entry nobody not found'))
    expect(readFileSync(fileOf(tree), 'utf8')).toBe(before)
    const path = join(newFolder(), 'x.jsonl')
    writeFileSync(path, '{"type":"message"}\n')
    const refusal = new Error(`Invalid session file: missing header in ${path}`)
    expect(() => SessionTree.open(path)).toThrow(refusal)
    expect(() => SessionTree.open(`${path}.none`)).toThrow('Invalid session file: missing header in')
  })

  it('keeps all else of a file that it is named in', () => {
    const tree = approaches()
    appendFileSync(fileOf(tree), '{"type":"telemetry"}\nno JSON')
    tree.setName('Renamed')
    const [header, ...rest] = readFileSync(fileOf(tree), 'utf8').split('\n')
    expect(JSON.parse(header ?? '')).toEqual({ ...tree.getHeader(), name: 'Renamed' })
    expect(rest.slice(-2)).toEqual(['{"type":"telemetry"}', 'no JSON'])
    expect(SessionTree.open(fileOf(tree)).getName()).toBe('Renamed')
  })

  it('continues after what another process wrote to its file', () => {
    const tree = create()
    tree.appendMessage('user', 'one')
    const other = SessionTree.open(fileOf(tree))
    other.appendMessage('user', 'two')
    tree.appendMessage('user', 'three')
    other.appendMessage('user', 'four')
    expect(contents(other)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('touches no disk in memory', () => {
    const tree = approaches(SessionTree.inMemory('/project', 'Name'))
    expect([tree.getSessionFile(), tree.getSessionDir(), tree.getName()]).toEqual([
      undefined,
      undefined,
      'Name',
    ])
    expect(contents(tree, 'approach-a')).toHaveLength(4)
    expect(() => tree.forkSession(tree.getLeafId() ?? '', 'x')).toThrow(
      new Error('Cannot fork a session that is in memory only'),
    )
  })

  it('holds a path of 50,000 entries without recursion', () => {
    const tree = SessionTree.inMemory()
    for (let i = 0; i < 50_000; i++) tree.appendMessage('user', `${i}`)
    expect(tree.getBranch()).toHaveLength(50_000)
    let depth = 0
    for (let [node] = tree.getTree(); node; [node] = node.children) depth = node.depth
    expect(depth).toBe(49_999)
  })

  it('has one session for the process', () => {
    const dir = newFolder()
    const tree = getGlobalSessionTree('/project', dir)
    expect(getGlobalSessionTree()).toBe(tree)
    expect(readdirSync(dir)).toEqual([basename(fileOf(tree))])
    const other = SessionTree.inMemory()
    setGlobalSessionTree(other)
    expect(getGlobalSessionTree()).toBe(other)
    resetGlobalSessionTree()
    const third = getGlobalSessionTree('/project', dir)
    expect([third === tree, third === other]).toEqual([false, false])
    resetGlobalSessionTree()
  })

  it('reads the records of a text and of a file', () => {
    const tree = approaches()
    const text = readFileSync(fileOf(tree), 'utf8')
    expect(parseSessionEntries(text)).toEqual([tree.getHeader(), ...tree.getEntries()])
    expect(loadEntriesFromFile(fileOf(tree))).toEqual(parseSessionEntries(text))
    expect(
      parseSessionEntries('{"type":"session","id":"a"}{"type":"message","id":"b"}\nx\n\n{"n":1}'),
    ).toEqual([{ type: 'session', id: 'a' }, { type: 'message', id: 'b' }, { n: 1 }])
    expect(loadEntriesFromFile('/nowhere/x.jsonl')).toEqual([])
  })

  it('keeps a store caught up: the session, its branches, its forks, each message once', async () => {
    const dir = newFolder()
    const tree = SessionTree.create('/project', join(dir, 'sessions'), 'Faster', {
      store: join(dir, 'store'),
    })
    approaches(tree)
    const { newSessionId } = tree.forkSession(tree.getEntries()[1]?.id ?? '', 'Forked')
    await tree.settled()
    const store = await openStore(join(dir, 'store'))
    const session = await store.session(tree.getSessionId())
    expect(await session.info()).toMatchObject({ title: 'Faster', format: 'dash', entries: 4 })
    const branches: (string | null)[][] = []
    for (const { name, oid } of await session.branches()) branches.push([name, (await store.show(oid)).text])
    expect(branches).toEqual([
      ['approach-a', 'Memoize.'],
      ['approach-b', 'Use a Map.'],
      ['main', 'Use a Map.'],
    ])
    tree.switchBranch('approach-a')
    tree.appendMessage('user', 'Show me.')
    await tree.settled()
    expect((await store.show(`${tree.getSessionId()}/main`)).text).toBe('Show me.')
    expect(await store.mergeBase(tree.getSessionId(), newSessionId)).toBe(await store.resolve(newSessionId))
    expect((await store.stats()).entries).toBe(5)
    await tree.close()
    await store.close()
  })

  it('reports why its store cannot keep up, and catches up later', async () => {
    const dir = newFolder()
    writeFileSync(join(dir, 'store'), 'no folder')
    const tree = SessionTree.create('/project', join(dir, 'sessions'), undefined, {
      store: join(dir, 'store'),
    })
    tree.appendMessage('user', 'kept in the file')
    await expect(tree.settled()).rejects.toMatchObject({ code: 'cannot-write' })
    expect(contents(SessionTree.open(fileOf(tree)))).toEqual(['kept in the file'])
    rmSync(join(dir, 'store'))
    await tree.settled()
    await tree.close()
    const store = await openStore(join(dir, 'store'))
    expect((await store.show(`${tree.getSessionId()}/main`)).text).toBe('kept in the file')
    await store.close()
  })
})

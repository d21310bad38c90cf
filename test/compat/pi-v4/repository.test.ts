import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createSessionRepository,
  type Session,
  SessionError,
  type SessionRepository,
} from '../../../src/compat/pi-v4/index.ts'
import { openStore, type Store } from '../../../src/library/store.ts'
import { updateRefs } from '../../../src/ops/updateref.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { newFolder } from '../../support/folder.ts'

const open: { close(): Promise<void> }[] = []

async function repositoryIn(dir: string): Promise<SessionRepository> {
  const repository = await createSessionRepository({ dir })
  open.push(repository)
  return repository
}

async function storeIn(dir: string): Promise<Store> {
  const store = await openStore(dir)
  open.push(store)
  return store
}

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 })
const assistant = (text: string) => ({ ...user(text), role: 'assistant', provider: 'p', model: 'm' })

const everything = async (session: Session) => ({
  log: await session.getLog(),
  lanes: await session.getLanes(),
  stats: await session.getStats(),
  name: await session.getName(),
  metadata: await session.getMetadata(),
  open: await session.findOpenOperations('main'),
})

/** A session with two lanes, a custom entry between messages, facts and an operation that is open. */
async function filled(repository: SessionRepository, id: string): Promise<Session> {
  const session = await repository.create({ id, parentSessionId: 'older' })
  const root = await session.appendMessage(user('a'))
  const note = await session.appendCustomEntry('note', { on: root })
  await session.appendMessage(assistant('b'))
  await session.createLane('side', note)
  await session.view('side').appendMessage(user('c'))
  await session.setName('Some work')
  await session.setLabel(note, 'here')
  const intent = { kind: 'run' as const, originalPrompt: [user('a')], initialMessages: [] }
  await session.appendRecord({
    type: 'operation_started',
    id: 'run',
    lane: 'main',
    sourceLeafId: null,
    intent,
  })
  return session
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SessionError)
  return `${(error as SessionError).code}: ${(error as SessionError).message}`
}

describe('a session repository', () => {
  it('returns the same after it was closed and opened again', async () => {
    const dir = newFolder()
    const first = await repositoryIn(dir)
    const before = await everything(await filled(first, 'one'))
    await first.close()
    const again = await repositoryIn(dir)
    const session = await again.open({ id: 'one', createdAt: 0 })
    expect(await everything(session)).toEqual(before)
    expect(before.log.map(({ kind, seq }) => `${seq} ${kind}`)).toEqual([
      '1 entry',
      '2 entry',
      '3 entry',
      '4 lane',
      '5 entry',
      '6 fact',
      '7 fact',
      '8 record',
    ])
    expect(await again.list()).toEqual([
      { id: 'one', createdAt: before.metadata.createdAt, parentSessionId: 'older' },
    ])
  })

  it('is called anything, half a surrogate pair too, and the store is sound', async () => {
    const dir = newFolder()
    const repository = await repositoryIn(dir)
    const session = await repository.create({ id: 'one' })
    const id = await session.appendMessage(user('half \ud800'))
    await session.setName('half \ud800')
    await session.setLabel(id, 'half \ud800')
    await session.appendCustomEntry('half', { 'half \ud800': 'half \ud800' })
    await repository.close()
    expect((await (await storeIn(dir)).fsck()).findings).toEqual([])
  })

  it('shows each of several handles and stores what the others wrote', async () => {
    const dir = newFolder()
    const [left, right] = [await repositoryIn(dir), await repositoryIn(dir)]
    const ours = await left.create({ id: 'one' })
    const theirs = await right.open({ id: 'one', createdAt: 0 })
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push(await (i % 2 ? theirs : ours).appendMessage(user(`${i}`)))
    expect((await ours.findEntriesOnBranch({ order: 'oldestFirst' })).map(({ id }) => id)).toEqual(ids)
    expect(await everything(ours)).toEqual(await everything(theirs))
  })

  it('keeps lanes as branches, names as titles and labels as labels, and equal messages once', async () => {
    const dir = newFolder()
    const repository = await repositoryIn(dir)
    await filled(repository, 'one')
    await filled(repository, 'two')
    const store = await storeIn(dir)
    const session = await store.session('one')
    expect((await session.branches()).map(({ name }) => name)).toEqual(['main', 'side'])
    const texts: (string | null)[] = []
    for await (const { text } of store.log('one/side')) texts.push(text)
    expect(texts).toEqual(['c', 'a'])
    expect(await session.info()).toMatchObject({ title: 'Some work', format: 'pi-v4', prompt: 'a' })
    const [label] = await session.labels()
    expect(label).toMatchObject({ name: 'here', entry: { text: 'a' } })
    expect((await store.stats()).entries).toBe(3)
    expect((await store.fsck()).findings).toEqual([])
  })

  it('follows what sess does to its sessions', async () => {
    const dir = newFolder()
    const repository = await repositoryIn(dir)
    const session = await filled(repository, 'one')
    const before = await everything(session)
    const store = await storeIn(dir)
    const stored = await store.session('one')

    await stored.append({ body: { role: 'user', content: 'by hand' } })
    await stored.append({ type: 'note', body: 'x' })
    const [last, message] = await session.findEntries({ limit: 2 })
    expect(last).toMatchObject({ type: 'custom', customType: 'sess/note', data: 'x', parentId: message?.id })
    expect(message).toMatchObject({ type: 'message', message: { role: 'user', content: 'by hand' }, seq: 9 })
    const next = await session.appendMessage(user('d'))
    expect(await session.getEntry(next)).toMatchObject({ parentId: last?.id, seq: 11 })

    await store.undo()
    expect(await session.getEntry(next)).toBeUndefined()
    await stored.branch('made', 'one~2')
    await stored.rename('Renamed')
    expect(await session.getName()).toBe('Renamed')
    expect(await session.getLanes()).toEqual([
      { lane: 'main', leafId: last?.id },
      { lane: 'side', leafId: before.lanes[1]?.leafId },
      { lane: 'made', leafId: before.lanes[0]?.leafId },
    ])
    const made = await session.view('made').appendMessage(user('e'))
    expect(await session.getEntry(made)).toMatchObject({ parentId: before.lanes[0]?.leafId })
    expect((await store.fsck()).findings).toEqual([])
  })

  it('knows no lane where a branch names what its session has not, and does not move it', async () => {
    const dir = newFolder()
    const repository = await repositoryIn(dir)
    const session = await filled(repository, 'one')
    await (await repository.create({ id: 'two' })).appendMessage(user('elsewhere'))
    const repo = await Repo.open(dir)
    open.push(repo)
    const move = (branch: string) =>
      updateRefs(repo, [{ name: `sessions/one/branches/${branch}`, to: 'two' }])
    await move('away')
    expect(await refused(session.view('away').getLeafId())).toBe('invalid_lane: Lane not found: away')
    await move('main')
    expect(await refused(session.appendMessage(user('lost')))).toMatch(
      /^storage: 'one\/main' changed meanwhile/,
    )
    expect((await session.getLog()).length).toBe(8)
  })

  it('N11: forks a branch before or at a message, or a tree, without records, copying nothing', async () => {
    const dir = newFolder()
    const repository = await repositoryIn(dir)
    const source = await filled(repository, 'one')
    const metadata = await source.getMetadata()
    const store = await storeIn(dir)
    const { entries } = await store.stats()
    const side = await source.view('side').getLeafId()
    const before = await repository.fork(metadata, { entryId: side ?? '', id: 'before' })
    expect((await before.getLog()).map((item) => item.kind)).toEqual([
      'entry',
      'entry',
      'lane',
      'fact',
      'fact',
    ])
    const tree = await repository.fork(metadata, { scope: 'tree', id: 'tree' })
    const copied = await tree.getLog()
    const shape = copied.map((item) => (item.kind === 'lane' ? item.lane : item.kind))
    expect(shape).toEqual(['entry', 'entry', 'entry', 'entry', 'main', 'side', 'fact', 'fact'])
    expect(await tree.getStats()).toMatchObject({ messageCount: 3, totalTokens: 0 })
    expect((await store.stats()).entries).toBe(entries)

    const again = await repository.fork(await tree.getMetadata(), { id: 'again' })
    await again.appendMessage(user('e'))
    await source.appendMessage(user('f'))
    expect((await again.findEntries({ type: 'message' })).map(({ seq }) => seq)).toEqual([7, 3, 1])
    expect(await again.getMetadata()).toMatchObject({ id: 'again', parentSessionId: 'tree' })
    expect(await refused(repository.fork(metadata, { entryId: 'gone' }))).toBe(
      'invalid_fork_target: Fork target is not a message entry: gone',
    )
    expect(await refused(repository.fork(metadata, { scope: 'tree', id: 'tree' }))).toBe(
      'already_exists: Session already exists: tree',
    )
    expect((await store.fsck()).findings).toEqual([])
  })

  it('takes the store that the command line would take', async () => {
    const cwd = newFolder()
    mkdirSync(join(cwd, '.sess'))
    vi.stubEnv('SESS_STORE', '')
    const repository = await createSessionRepository({ cwd })
    open.push(repository)
    await repository.create({ id: 'here' })
    const store = await storeIn(join(cwd, '.sess'))
    expect((await store.list()).map(({ id }) => id)).toEqual(['here'])
    vi.unstubAllEnvs()
  })

  it('reports what the store refuses as an error of pi', async () => {
    const dir = newFolder()
    const session = await (await repositoryIn(dir)).create({ id: 'one' })
    await open.at(-1)?.close()
    expect(await refused(session.appendMessage(user('a')))).toMatch(/^storage: the store '.*' is closed$/)
  })

  it('takes payloads however deep, and names what is no JSON', async () => {
    const session = await (await repositoryIn(newFolder())).create({ id: 'one' })
    let deep: unknown = 1
    for (let i = 0; i < 300; i++) deep = [deep]
    const id = await session.appendCustomEntry('deep', deep)
    expect(await session.getEntry(id)).toHaveProperty('data', deep)
    const shared = { a: 1 }
    await session.appendCustomEntry('twice', [shared, shared])
    for (const [data, what] of [
      [{ a: undefined }, 'undefined'],
      [{ a: 1n }, 'bigint'],
      [{ a: Number.NaN }, 'a non-finite number'],
      [new Date(0), 'a non-plain object'],
      [() => 1, 'function'],
      [new Array(2), 'an array with unsupported properties'],
    ] as const)
      expect(await refused(session.appendCustomEntry('bad', data))).toBe(
        `invalid_payload: Durable payload contains ${what}`,
      )
    expect((await session.getLog()).length).toBe(2)
  })
})

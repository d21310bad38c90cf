import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/library/store.ts'
import { sampled } from '../../support/amount.ts'
import { built } from '../../support/built.ts'
import { newFolder } from '../../support/folder.ts'
import { lines, user } from '../../support/pi.ts'

const module = pathToFileURL(join(built(), 'compat/pi/index.js')).href
let dir: string
beforeEach(() => {
  dir = newFolder()
})

/** Begins the session `one` with three messages: `ids` are theirs. */
const BEGIN = `
const session = SessionManager.create('/c', 'sessions', { id: 'one', store: 'store' })
const add = (role, text) => session.appendMessage({ role, content: [{ type: 'text', text }], timestamp: 1 })
const ids = [add('user', 'a'), add('assistant', 'b'), add('user', 'c')]`

/** Opens it again. */
const OPEN = `
const session = SessionManager.open(process.argv[2], undefined, undefined, { store: 'store' })`

/** Runs a program that has SessionManager, and returns the value that it prints. */
function run(program: string, ...args: readonly string[]): unknown {
  const text = `import { SessionManager } from '${module}'
const print = (value) => process.stdout.write(JSON.stringify(value))
${program}`
  writeFileSync(join(dir, 'program.mjs'), text)
  const env = { PATH: process.env.PATH, HOME: dir }
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs', ...args], {
    cwd: dir,
    env,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout === '' ? undefined : JSON.parse(stdout)
}

const file = (): string => join(dir, 'sessions', readdirSync(join(dir, 'sessions'))[0] as string)
const leafNow = (): unknown => run(`${OPEN}\nprint([session.getLeafId(), session.getEntryCount()])`, file())

async function inStore<T>(look: (store: Store) => Promise<T>, name = 'store'): Promise<T> {
  const store = await openStore(join(dir, name), { create: true, lockTimeout: 20_000 })
  try {
    return await look(store)
  } finally {
    await store.close()
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const oidsOf = async (store: Store): Promise<string[]> =>
  (await all(store.log('one', { all: true }))).map(({ oid }) => oid)

describe('what a manager appends', () => {
  it('is in the store as import takes it, when the process has ended', async () => {
    run(`${BEGIN}\nsession.branch(ids[0])\nadd('user', 'd')`)
    const kept = await inStore(oidsOf)
    const imported = await inStore(async (store) => {
      await store.import(file())
      return oidsOf(store)
    }, 'other')
    expect(kept).toHaveLength(4)
    expect(kept.toSorted()).toEqual(imported.toSorted())
  })

  it('is one operation of the store, which is where the manager is', async () => {
    run(`${BEGIN}\nadd('assistant', 'd')`)
    const commands = await inStore(async (store) =>
      (await all(store.operations())).map(({ command }) => command),
    )
    expect(commands).toEqual(['sess/pi'])
    const [branch] = await inStore(async (store) => (await store.session('one')).branches())
    expect(branch).toMatchObject({ name: 'main', current: true })
  })

  it('catches up when it is opened, after a process that was killed', async () => {
    run(`${BEGIN}\nprocess.kill(process.pid, 'SIGKILL')`)
    leafNow()
    expect(await inStore(oidsOf)).toHaveLength(3)
  })

  it('touches no disk in memory, and no store where there is to be none', () => {
    run(BEGIN.replace("store: 'store'", 'store: false'))
    run(`const session = SessionManager.inMemory('/c')
session.appendMessage({ role: 'user', content: 'a', timestamp: 1 })`)
    expect(existsSync(join(dir, 'store'))).toBe(false)
    expect(existsSync(join(dir, '.local'))).toBe(false)
  })

  it('is kept by the store that the command line finds', () => {
    mkdirSync(join(dir, '.sess'))
    run(BEGIN.replace("'/c'", 'process.cwd()').replace(", store: 'store'", ''))
    expect(readdirSync(join(dir, '.sess'))).not.toEqual([])
  })
})

describe('the leaf', () => {
  it.each(sampled(["process.kill(process.pid, 'SIGKILL')", 'process.exit(0)', ''], 1))(
    'L2: is where it was left, once branch has returned: %s',
    (end) => {
      const program = `${BEGIN}
session.branch(ids[0])
process.stdout.write(JSON.stringify(ids))
setTimeout(() => { ${end} }, 20)`
      const [first] = run(program) as string[]
      expect(leafNow()).toEqual([first, 3])
      expect(leafNow()).toEqual([first, 3])
    },
  )

  it('L3: is before the first entry after resetLeaf', async () => {
    run(`${BEGIN}\nsession.resetLeaf()`)
    expect(leafNow()).toEqual([null, 3])
    expect(await inStore(async (store) => (await store.session('one')).tip())).toBeNull()
  })

  it('L8: may be a label, for which the store has no entry', async () => {
    const label = run(`${BEGIN}
session.branch(ids[1])
const label = session.appendLabelChange(ids[0], 'mark')
add('user', 'd')
session.branch(label)
print(label)`)
    expect(leafNow()).toEqual([label, 5])
    expect(await inStore(async (store) => (await store.show('one')).view)).toMatchObject({
      role: 'assistant',
    })
  })

  it('is the last line of a file that has grown since', () => {
    run(`${BEGIN}\nsession.branch(ids[0])`)
    const theirs = { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp: '2026-01-01T00:00:00.000Z' }
    appendFileSync(file(), lines({ ...theirs, message: user('theirs') }))
    expect(leafNow()).toEqual(['aaaaaaaa', 4])
  })

  it('is where the session was switched to in the store', async () => {
    const ids = run(`${BEGIN}\nprint(ids)`) as string[]
    await inStore(async (store) => (await store.session('one')).switch('one~1'))
    expect(leafNow()).toEqual([ids[1], 3])
  })

  it('goes back with undo', async () => {
    const ids = run(`${BEGIN}\nsession.branch(ids[0])\nprint(ids)`) as string[]
    expect(leafNow()).toEqual([ids[0], 3])
    run(`${OPEN}\nsession.branch('${ids[1]}')`, file())
    expect(leafNow()).toEqual([ids[1], 3])
    await inStore((store) => store.undo())
    expect(leafNow()).toEqual([ids[0], 3])
  })

  it('is that of the file where that is asked for, as in pi', () => {
    const ids = run(`${BEGIN}\nsession.branch(ids[0])\nprint(ids)`) as string[]
    const asFile = OPEN.replace("store: 'store'", "store: 'store', leaf: 'file'")
    expect(run(`${asFile}\nprint(session.getLeafId())`, file())).toBe(ids[2])
  })
})

describe('a store that cannot be used', () => {
  it('is a warning, and keeps nobody from talking', () => {
    writeFileSync(join(dir, 'store'), 'in the way')
    writeFileSync(
      join(dir, 'program.mjs'),
      `import { SessionManager } from '${module}'\n${BEGIN}\nsession.branch(ids[0])\nadd('user', 'd')`,
    )
    const { stderr, status } = spawnSync(process.execPath, ['program.mjs'], { cwd: dir, encoding: 'utf8' })
    expect(stderr).toMatch(/\[SESS_STORE\] Warning: the store '.*' does not follow this session now: .*store/)
    expect(status).toBe(0)
    expect(entriesInFile()).toBe(4)
  })
})

const entriesInFile = (): number =>
  Number(
    run(
      `print(SessionManager.open(process.argv[2], undefined, undefined, { store: false }).getEntryCount())`,
      file(),
    ),
  )

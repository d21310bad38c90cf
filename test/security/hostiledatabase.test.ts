import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { metaRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { resumeOf } from '../../src/ops/resume.ts'
import { allSessions, refValue } from '../../src/repo/session.ts'
import { databasesIn, readGeneration } from '../../src/storage/directory/generation.ts'
import { readHolder } from '../../src/storage/directory/holder.ts'
import { removeLeftovers } from '../../src/storage/directory/leftovers.ts'
import { generationFolder } from '../../src/storage/directory/takeover.ts'
import { journalPath, readJournal } from '../../src/storage/journal.ts'
import { crc32c, masked } from '../../src/storage/leveldb/crc32c.ts'
import { isHeld } from '../../src/storage/leveldb/database.ts'
import { soundRecords } from '../../src/storage/leveldb/logfile.ts'
import { tableProblem } from '../../src/storage/leveldb/tablefile.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { Shell } from '../support/shell.ts'
import { openRepo, quietEnv } from '../support/store.ts'

const SECRET = 'the content of a file of the victim\n'
const REPAIR = { env: quietEnv(), command: 'sess fsck --repair' } as const

/** A project that was cloned, with a store in it, and a file of the victim outside. */
async function cloned(): Promise<{ shell: Shell; store: string; database: string; victim: string }> {
  const shell = new Shell({ samples: false })
  const store = shell.path('repository/.sess')
  mkdirSync(dirname(store))
  await makeStore(store, 'tea')
  const victim = shell.path('.bashrc')
  writeFileSync(victim, SECRET)
  return { shell, store, database: join(store, 'db.1'), victim }
}

async function makeStore(dir: string, title: string): Promise<void> {
  const repo = await openRepo(dir)
  const id = await createSession(repo, { title })
  await append(repo, id, [{ body: { role: 'user', content: 'hello' } }])
  await repo.close()
}

const IN_REPOSITORY = { cwd: 'repository' } as const
const MESSAGE = '{"type":"sess/message","body":{"role":"user","content":"x"}}\n'
const APPENDING = { ...IN_REPOSITORY, stdin: [MESSAGE] } as const

const numbered = (ending: string): string[] =>
  Array.from({ length: 30 }, (_, n) => `${`${n + 4}`.padStart(6, '0')}.${ending}`)

describe('the number of a database', () => {
  it('that is the largest possible is not counted down from', async () => {
    const { shell, store } = await cloned()
    writeFileSync(join(store, 'generation'), `${Number.MAX_SAFE_INTEGER - 1}\n`)
    expect(generationFolder(store, readGeneration(store))).toBe(
      join(store, `db.${Number.MAX_SAFE_INTEGER - 1}`),
    )
    expect((await shell.run('sess ls', IN_REPOSITORY)).stdout).toContain('tea')
  })

  it('that has no next one is kept until a repair gives another', async () => {
    const { shell, store, database } = await cloned()
    const last = Number.MAX_SAFE_INTEGER - 1
    renameSync(database, join(store, `db.${last}`))
    writeFileSync(join(store, 'generation'), `${last}\n`)
    expect((await shell.run('sess append tea', APPENDING)).code).toBe(0)
    expect((await shell.run('sess gc', IN_REPOSITORY)).code).toBe(5)
    expect(readGeneration(store)).toBe(last)
    expect((await shell.run('sess log tea', IN_REPOSITORY)).stdout.split('\n').length).toBe(3)
    expect((await shell.run('sess fsck', IN_REPOSITORY)).code).toBe(5)
    expect((await shell.run('sess fsck --repair', IN_REPOSITORY)).code).toBe(0)
    expect([readGeneration(store), databasesIn(store)]).toEqual([1, [1]])
    expect((await shell.run('sess log tea', IN_REPOSITORY)).stdout.split('\n').length).toBe(3)
    for (const line of ['sess gc', 'sess fsck']) expect((await shell.run(line, IN_REPOSITORY)).code).toBe(0)
  })

  it.each(['db.007', 'db.99999999999999999999', 'db.0', 'db.1e1'])(
    'is not read from the name %s',
    async (name) => {
      const { shell, store, database } = await cloned()
      cpSync(database, join(store, name), { recursive: true })
      expect(databasesIn(store)).toEqual([1])
      expect((await shell.run('sess append tea', APPENDING)).code).toBe(0)
      rmSync(join(store, 'generation'))
      expect((await shell.run('sess fsck --repair', IN_REPOSITORY)).code).toBe(0)
      expect(readGeneration(store)).toBe(1)
    },
  )

  it.each(['007', '0x7', '1e3', '9007199254740993', ''])('%j in generation is damage', async (text) => {
    const { store } = await cloned()
    writeFileSync(join(store, 'generation'), text)
    await expectFailure('corrupt', () => readGeneration(store))
  })
})

describe('a database of somebody else', () => {
  it('has no file replaced through a link of a snapshot that another process left', async () => {
    const { store, database, victim } = await cloned()
    const left = join(store, 'snapshot.1-00000000.x')
    cpSync(database, left, { recursive: true })
    for (const name of numbered('ldb'))
      if (!existsSync(join(left, name))) symlinkSync('../../../.bashrc', join(left, name))
    const old = new Date(Date.now() - 2 * 86_400_000)
    for (const name of readdirSync(left)) lutimesSync(join(left, name), old, old)
    lutimesSync(left, old, old)
    await removeLeftovers(store, isHeld)
    expect(readFileSync(victim, 'utf8')).toBe(SECRET)
    expect(existsSync(left)).toBe(false)
  })

  it('is refused where CURRENT names a device without an end', async () => {
    const { shell, database } = await cloned()
    writeFileSync(join(database, 'CURRENT'), `${'../'.repeat(32)}dev/zero\n`)
    const { code, stderr } = await shell.run('sess ls', IN_REPOSITORY)
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining("CURRENT' of its database (it names no manifest)"),
    ])
    expect((await shell.run('sess fsck --repair', IN_REPOSITORY)).code).toBe(0)
    expect((await shell.run('sess ls', IN_REPOSITORY)).stdout).toContain('tea')
  })

  it('that is a link to the database of another store is not copied by a repair', async () => {
    const { shell, store, database } = await cloned()
    const own = shell.path('own')
    await makeStore(own, 'private')
    rmSync(database, { recursive: true })
    rmSync(join(store, 'tables'), { force: true })
    symlinkSync(join(own, 'db.1'), database)
    expect((await shell.run('sess fsck --repair', IN_REPOSITORY)).code).toBe(5)
    expect(databasesIn(store)).toEqual([1])
    expect((await shell.run('sess ls', IN_REPOSITORY)).code).toBe(5)
  })

  it.each(['ldb', 'dbtmp'])(
    'has no file overwritten that has the name of a next one too (.%s)',
    async (ending) => {
      const { shell, database, victim } = await cloned()
      for (const name of numbered(ending))
        if (!existsSync(join(database, name))) linkSync(victim, join(database, name))
      const { code, stderr } = await shell.run('sess append tea', APPENDING)
      expect([code, stderr]).toEqual([5, expect.stringContaining('LevelDB would overwrite it')])
      for (const line of ['sess gc', 'sess ls', 'sess fsck --repair']) await shell.run(line, IN_REPOSITORY)
      expect(readFileSync(victim, 'utf8')).toBe(SECRET)
      expect((await shell.run('sess ls', IN_REPOSITORY)).stdout).toContain('tea')
    },
  )

  it.each(['not recorded', 'recorded as known'])(
    'does not crash the process with a table that claims an index of many terabytes and is %s',
    async (state) => {
      const { shell, store, database } = await cloned()
      await shell.run('sess ls', IN_REPOSITORY)
      const table = join(database, readdirSync(database).find((name) => name.endsWith('.ldb')) as string)
      const bytes = readFileSync(table)
      // The offset and the size of two blocks; the second has 2 to the power of 49 bytes.
      const handles = [0, 10, 0, 128, 128, 128, 128, 128, 128, 128, 1]
      bytes.fill(0, bytes.length - 48, bytes.length - 8)
      Buffer.from(handles).copy(bytes, bytes.length - 48)
      writeFileSync(table, bytes)
      if (state === 'not recorded') rmSync(join(store, 'tables'))
      else {
        const { size, mtimeMs, ino } = statSync(table)
        const known = `${basename(table)} ${size} ${mtimeMs}`
        writeFileSync(join(store, 'tables'), `${known}\n${known} ${ino}\n`)
        // As by tar or rsync, which keep times.
        cpSync(store, `${store}.copy`, { recursive: true, preserveTimestamps: true })
        rmSync(store, { recursive: true })
        renameSync(`${store}.copy`, store)
      }
      expect((await shell.run('sess ls', IN_REPOSITORY)).code).toBe(5)
    },
  )

  it.each(['holder.json', 'refs.journal', 'tables'])(
    'has a file that is also %s not written to',
    async (name) => {
      const { shell, store } = await cloned()
      const elsewhere = shell.path('elsewhere')
      copyFileSync(join(store, name), elsewhere)
      const before = readFileSync(elsewhere, 'utf8')
      rmSync(join(store, name))
      linkSync(elsewhere, join(store, name))
      expect((await shell.run('sess append tea', APPENDING)).code).toBe(0)
      await shell.run('sess gc', IN_REPOSITORY)
      expect(readFileSync(elsewhere, 'utf8')).toBe(before)
      expect((await shell.run('sess fsck', IN_REPOSITORY)).code).toBe(0)
    },
  )
})

describe('a claim of a process that nobody knows', () => {
  it('is taken over by a collection, which succeeds', async () => {
    const { shell, store, database } = await cloned()
    writeFileSync(join(database, 'OWNER.77-deadbeef.01234567.89abcdef'), '')
    expect(await shell.run('sess gc', IN_REPOSITORY)).toMatchObject({ code: 0, stderr: '' })
    // The store was taken over, and then replaced.
    expect(readGeneration(store)).toBe(3)
    expect((await shell.run('sess ls', IN_REPOSITORY)).stdout).toContain('tea')
  })
})

describe('a holder that is no process', () => {
  it('names none', () => {
    const dir = newFolder()
    const holder = { pid: 1, process: 5, command: 'x', since: '', socket: '' }
    writeFileSync(join(dir, 'holder.json'), JSON.stringify(holder))
    expect(readHolder(dir)).toBe(undefined)
  })
})

describe('files of a repair', () => {
  const line = (content: string): string =>
    `${JSON.stringify({ type: 'user', uuid: 'a', parentUuid: null, sessionId: 's', timestamp: '2026-01-01T00:00:00Z', cwd: '/x', message: { role: 'user', content } })}\n`

  /** A store that lost its database, whose only session says that it came from a path. */
  async function lost(): Promise<{ shell: Shell; store: string; path: string }> {
    const shell = new Shell({ samples: false })
    const [store, path] = [shell.path('.sess'), shell.path('s.jsonl')]
    await shell.run('sess init')
    writeFileSync(path, line('hello'))
    expect((await shell.run('sess import s.jsonl')).code).toBe(0)
    for (const name of readdirSync(join(store, 'db.1')))
      if (/^\d+\.(?:ldb|log)$/.test(name)) rmSync(join(store, 'db.1', name))
    return { shell, store, path }
  }

  const texts = async (store: string): Promise<string> => {
    const repo = await openRepo(store, { create: false })
    try {
      const sources = await repo.read(async (reader) => {
        const all: unknown[] = []
        for await (const session of allSessions(reader)) all.push([session.id, session.source?.count ?? null])
        return all
      })
      return JSON.stringify(sources)
    } finally {
      await repo.close()
    }
  }

  it('are taken where they begin as what was imported', async () => {
    const { shell, store, path } = await lost()
    appendFileSync(path, line('more').replace('"a"', '"b"'))
    await repairStore(store, REPAIR)
    expect(await texts(store)).toBe('[["s",1]]')
    expect((await shell.run('sess import s.jsonl')).code).toBe(0)
    expect(await texts(store)).toBe('[["s",2]]')
  })

  it('are not taken where they hold something else: they may be private', async () => {
    const { store, path } = await lost()
    writeFileSync(path, line('private'))
    await repairStore(store, REPAIR)
    expect(await texts(store)).toBe('[["s",null]]')
  })

  it('are not looked for in a folder', async () => {
    const { store, path } = await lost()
    renameSync(path, `${path}.moved`)
    mkdirSync(path)
    renameSync(`${path}.moved`, join(path, 's.jsonl'))
    await repairStore(store, REPAIR)
    expect(await texts(store)).toBe('[["s",null]]')
  })
})

describe('a session whose file is named by no absolute path', () => {
  it('is resumed by no agent from there', async () => {
    const shell = new Shell()
    await shell.run('sess init')
    await shell.run('sess import sessions')
    const repo = await openRepo(shell.path('.sess'), { create: false })
    const pi = await repo.read(async (reader) => {
      for await (const session of allSessions(reader)) if (session.meta.format === 'pi') return session
      return undefined
    })
    const { id, meta } = pi as NonNullable<typeof pi>
    const options = { home: shell.dir, variables: {} }
    const path = meta.path as string
    expect((await resumeOf(repo, id, options)).command).toEqual(['pi', '--session', path])
    const around = `${dirname(path)}/../${basename(dirname(path))}/${basename(path)}`
    for (const other of [relative('.', path), around]) {
      await repo.write({}, async ({ reader, move }) => {
        const old = await reader.ref(metaRef(id))
        move(metaRef(id), old, refValue({ ...meta, path: other }))
      })
      await expectFailure('not-at-agent', () => resumeOf(repo, id, options))
    }
    await repo.close()
  })
})

describe('a file of a database that would take ever so long to read', () => {
  it('is refused where a table lists a block twice', () => {
    const block = (content: readonly number[]): Buffer => {
      const bytes = Buffer.from([...content, 0])
      const sum = Buffer.alloc(4)
      sum.writeUInt32LE(masked(crc32c(bytes)))
      return Buffer.concat([bytes, sum])
    }
    const restarts = [0, 0, 0, 0, 1, 0, 0, 0]
    const data = block(restarts)
    const item = [0, 1, 2, 97, 0, 8]
    const index = block([...item, ...item, ...restarts])
    const meta = block(restarts)
    const footer = Buffer.alloc(48)
    Buffer.from([data.length, 8, data.length + meta.length, index.length - 5]).copy(footer)
    footer.writeBigUInt64LE(0xdb4775248b80fb57n, 40)
    const table = Buffer.concat([data, meta, index, footer])
    expect(tableProblem(table)).toBe('the block at 0 is listed after a later one')
  })

  it('is searched in linear time where a log is full of beginnings', () => {
    const sound = Buffer.concat([Buffer.from([1]), Buffer.from('sound')])
    const header = Buffer.alloc(6)
    header.writeUInt32LE(masked(crc32c(sound)))
    header.writeUInt16LE(5, 4)
    const log = Buffer.concat([Buffer.alloc(8 << 20, Buffer.from([4, 0x30])), header, sound])
    expect([...soundRecords(log)].map(String)).toEqual(['sound'])
  })

  it('is no line of a journal where its counts are none', () => {
    const dir = newFolder()
    const lineOf = (text: string): string => `\n${crc32(text).toString(16).padStart(8, '0')} ${text}`
    const lines = ['[1,1]', '[-1,2]', '[1,1e300]', '["x",3]', '[2,4]']
    writeFileSync(journalPath(dir), lines.map(lineOf).join(''))
    const { lines: read, damaged } = readJournal(dir)
    expect([read.map(({ commit }) => commit), damaged]).toEqual([[1, 4], 3])
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { quarantinesIn } from '../../src/repo/rewritestore.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { readIdentity } from '../../src/storage/directory/identity.ts'
import { removeLeftovers } from '../../src/storage/directory/leftovers.ts'
import { newQuarantine } from '../../src/storage/directory/quarantine.ts'
import { openFile } from '../../src/storage/directory/safefile.ts'
import { Snapshot } from '../../src/storage/directory/snapshot.ts'
import { crc32c, masked } from '../../src/storage/leveldb/crc32c.ts'
import { isHeld } from '../../src/storage/leveldb/database.ts'
import { built } from '../support/built.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { Shell } from '../support/shell.ts'
import { openRepo, quietEnv } from '../support/store.ts'

const SECRET = 'the content of a file of the victim\n'

/** A project that was cloned, with a store in it, and a file of the victim outside. */
async function cloned(): Promise<{ shell: Shell; store: string; victim: string }> {
  const shell = new Shell({ samples: false })
  const store = shell.path('repository/.sess')
  mkdirSync(dirname(store))
  const repo = await openRepo(store)
  const id = await createSession(repo, { title: 'tea' })
  await append(repo, id, [{ body: { role: 'user', content: 'hello' } }])
  await repo.close()
  const victim = shell.path('.bashrc')
  writeFileSync(victim, SECRET)
  chmodSync(victim, 0o644)
  return { shell, store, victim }
}

const untouched = (victim: string): void => {
  expect(readFileSync(victim, 'utf8')).toBe(SECRET)
  expect(statSync(victim).mode & 0o777).toBe(0o644)
}

/** The names that LevelDB may use next, and those that sess itself writes to. */
const NAMES = [
  ...Array.from({ length: 16 }, (_, n) => `db.1/${`${n + 4}`.padStart(6, '0')}.ldb`),
  ...Array.from({ length: 16 }, (_, n) => `db.1/${`${n + 4}`.padStart(6, '0')}.log`),
  ...Array.from({ length: 16 }, (_, n) => `db.1/${`${n + 4}`.padStart(6, '0')}.dbtmp`),
  ...Array.from({ length: 16 }, (_, n) => `db.1/MANIFEST-${`${n + 4}`.padStart(6, '0')}`),
]

const COMMANDS = [
  'sess completion words -- log te',
  'sess ls',
  'sess append tea',
  'sess gc',
  'sess fsck',
  'sess fsck --repair',
] as const

/** Makes table 10 part of a database, though its manifest says that a table with this number is yet to be made. */
function nameNextTable(database: string): void {
  const manifest = join(database, readdirSync(database).find((name) => name.startsWith('MANIFEST-')) ?? '')
  const key = (text: string): number[] => [text.length + 8, ...Buffer.from(text), 1, 1, 0, 0, 0, 0, 0, 0]
  // The next number is 10, because 9 is that of the next manifest; level 3, number 10, 100 bytes, first and last key.
  const edit = Buffer.from([3, 9, 7, 3, 10, 100, ...key('zzz1'), ...key('zzz2')])
  const fragment = Buffer.concat([Buffer.from([1]), edit])
  const header = Buffer.alloc(6)
  header.writeUInt32LE(masked(crc32c(fragment)), 0)
  header.writeUInt16LE(edit.length, 4)
  appendFileSync(manifest, Buffer.concat([header, fragment]))
}

/** Runs commands in the folder of the store: readers, writers and repairs. */
async function runAll(shell: Shell, cwd = 'repository'): Promise<number[]> {
  const codes: number[] = []
  for (const line of COMMANDS) {
    const stdin = line.includes('append')
      ? ['{"type":"sess/message","body":{"role":"user","content":"x"}}\n']
      : []
    codes.push((await shell.run(line, { cwd, stdin })).code)
  }
  return codes
}

describe('a store of a cloned repository', () => {
  it('has no file replaced that a link with the name of a next table, log or manifest leads to', async () => {
    const { shell, store, victim } = await cloned()
    for (const name of NAMES)
      if (!existsSync(join(store, name))) symlinkSync('../../../.bashrc', join(store, name))
    const { code, stderr } = await shell.run('sess completion words -- log te', { cwd: 'repository' })
    expect(code).toBe(5)
    expect(stderr).toMatch(/the file '.*\/\.sess\/db\.1\/\S+'.* \(it is not a regular file/)
    untouched(victim)
    const codes = await runAll(shell)
    untouched(victim)
    expect(codes.slice(0, 5)).toEqual([5, 5, 5, 5, 5])
  })

  it.each([
    'holder.json',
    'tables',
    'refs.journal',
    'generation',
    'sess.json',
    'config.json',
    'LOG',
    'LOG.old',
  ])('has nothing written through a link in the place of %s', async (name) => {
    const { shell, store, victim } = await cloned()
    const path = join(store, name.startsWith('LOG') ? `db.1/${name}` : name)
    const content = existsSync(path) ? readFileSync(path) : Buffer.from(SECRET)
    rmSync(path, { force: true })
    symlinkSync(victim, path)
    writeFileSync(victim, content)
    const before = readFileSync(victim)
    await runAll(shell)
    await shell.run('sess config --for store lockTimeout 60', { cwd: 'repository' })
    expect(readFileSync(victim)).toEqual(before)
    expect(statSync(victim).mode & 0o777).toBe(0o644)
  })

  it.each(['holder.json', 'tables', 'refs.journal', 'generation', 'sess.json'])(
    'is refused with the path where %s is a FIFO, and nothing waits',
    async (name) => {
      const { shell, store } = await cloned()
      rmSync(join(store, name), { force: true })
      execFileSync('mkfifo', [join(store, name)])
      const { code, stderr } = await shell.run('sess append tea', {
        cwd: 'repository',
        stdin: ['{"type":"sess/message","body":{"role":"user","content":"x"}}\n'],
      })
      expect(code).toBe(5)
      expect(stderr).toContain(`${name}'`)
      expect((await shell.run('sess fsck --repair', { cwd: 'repository' })).code).toBe(0)
      expect((await shell.run('sess ls', { cwd: 'repository' })).stdout).toContain('tea')
    },
  )

  it.each([
    ['holder.json', 65, 'repaired'],
    ['tables', 65, 'repaired'],
    ['refs.journal', 1025, 'repaired'],
    ['generation', 65, 'repaired'],
    ['sess.json', 65, 'repaired'],
    ['db.1/CURRENT', 65, 'repaired'],
    ['config.json', 65, ''],
  ])('is refused, and nothing read, where %s has %d MiB', async (name, mebibytes, fate) => {
    const { shell, store } = await cloned()
    // It takes no room on the disk.
    writeFileSync(join(store, name), '')
    truncateSync(join(store, name), mebibytes * 2 ** 20)
    const { code, stderr } = await shell.run('sess ls', { cwd: 'repository' })
    expect([code, stderr]).toEqual([fate === '' ? 1 : 5, expect.stringContaining(`larger than`)])
    if (fate === '') return
    expect((await shell.run('sess fsck', { cwd: 'repository' })).code).toBe(5)
    expect((await shell.run('sess fsck --repair', { cwd: 'repository' })).code).toBe(0)
    expect((await shell.run('sess ls', { cwd: 'repository' })).stdout).toContain('tea')
    rmSync(join(store, 'broken'), { recursive: true })
  })

  it('is refused where a socket has the name of a next table', async () => {
    const { shell, store } = await cloned()
    const server = createServer()
    await new Promise<void>((done) => server.listen(join(store, 'db.1/000099.ldb'), done))
    const { code, stderr } = await shell.run('sess ls', { cwd: 'repository' })
    server.close()
    expect([code, stderr]).toEqual([5, expect.stringContaining('000099.ldb')])
  })

  it.each([
    ['backup.1.json', 'because it is a backup'],
    ['', 'beside a process that holds it'],
  ])('has no file replaced that a table leads to where it is read as a copy (%s)', async (list) => {
    const { shell, store, victim } = await cloned()
    nameNextTable(join(store, 'db.1'))
    symlinkSync(victim, join(store, 'db.1/000010.ldb'))
    if (list !== '') writeFileSync(join(store, list), '{"store":{},"files":[]}')
    await expectFailure('corrupt', () => Snapshot.take(store))
    const codes = await runAll(shell)
    untouched(victim)
    expect(codes.slice(0, 2)).toEqual([5, 5])
  })

  it('has no folder looked into that a leftover of another process leads to', async () => {
    const { shell, store } = await cloned()
    const outside = shell.path('outside')
    mkdirSync(join(outside, 'database'), { recursive: true })
    writeFileSync(join(outside, 'database/LOG'), SECRET)
    const old = new Date(Date.now() - 2 * 86_400_000)
    for (const path of [join(outside, 'database'), outside]) utimesSync(path, old, old)
    symlinkSync(outside, join(store, 'snapshot.1-00000000.x'))
    await removeLeftovers(store, isHeld)
    expect(readdirSync(outside, { recursive: true })).toEqual(['database', 'database/LOG'])
  })

  it('is refused where its database is a link to a folder, in which nothing changes', async () => {
    const { shell, store } = await cloned()
    const elsewhere = shell.path('elsewhere')
    renameSync(join(store, 'db.1'), elsewhere)
    chmodSync(elsewhere, 0o755)
    symlinkSync(elsewhere, join(store, 'db.1'))
    const stateOf = (): string =>
      readdirSync(elsewhere)
        .map(
          (name) =>
            `${name} ${statSync(join(elsewhere, name)).mtimeMs} ${statSync(join(elsewhere, name)).mode}`,
        )
        .join('\n')
    const before = stateOf()
    const { code, stderr } = await shell.run('sess ls', { cwd: 'repository' })
    expect(code).toBe(5)
    expect(stderr).toContain(`/.sess/db.1' is no folder (it is a link)`)
    await runAll(shell)
    expect([stateOf(), statSync(elsewhere).mode & 0o777]).toEqual([before, 0o755])
  })

  it('removes and writes nothing where broken is a link', async () => {
    const dir = newFolder()
    const outside = newFolder()
    writeFileSync(join(outside, 'own'), SECRET)
    symlinkSync(outside, join(dir, 'broken'))
    await expectFailure('corrupt', () => quarantinesIn(dir))
    await expectFailure('corrupt', () => newQuarantine(dir, 0))
    expect(readdirSync(outside)).toEqual(['own'])
  })

  it('is not repaired in part where broken is a link', async () => {
    const { shell, store } = await cloned()
    symlinkSync(shell.path(''), join(store, 'broken'))
    rmSync(join(store, 'db.1', 'CURRENT'))
    const options = { env: quietEnv(), command: 'sess fsck --repair' }
    const { message } = await expectFailure('corrupt', () => repairStore(store, options))
    expect(message).toContain("broken' is no folder (it is a link)")
    expect(readGeneration(store)).toBe(1)
  })

  it('does not have a former database opened that holds a link', async () => {
    const { shell, store, victim } = await cloned()
    cpSync(join(store, 'db.1'), join(store, 'db.2'), { recursive: true })
    writeFileSync(join(store, 'generation'), '2\n')
    for (const name of NAMES)
      if (!existsSync(join(store, name))) symlinkSync('../../../.bashrc', join(store, name))
    await runAll(shell)
    untouched(victim)
    expect(existsSync(store)).toBe(true)
  })

  it('has no file read or written that CURRENT names outside of it', async () => {
    const { shell, store, victim } = await cloned()
    writeFileSync(join(store, 'db.1/CURRENT'), '../../../.bashrc\n')
    const { code } = await shell.run('sess ls', { cwd: 'repository' })
    expect(code).toBe(5)
    const target = shell.path('backup')
    expect((await shell.run(`sess backup ${target}`, { cwd: 'repository' })).code).toBe(5)
    untouched(victim)
  })

  it('is refused where it is a link itself, and its target keeps its modes', async () => {
    const { shell, store } = await cloned()
    const target = shell.path('private')
    renameSync(store, target)
    chmodSync(target, 0o755)
    chmodSync(join(target, 'sess.json'), 0o644)
    symlinkSync('../private', store)
    for (const line of [...COMMANDS, 'sess init', `sess ls --store ${store}`, 'sess backup copy']) {
      const { code, stderr } = await shell.run(line, { cwd: 'repository' })
      expect([line, code, stderr]).toEqual([
        line,
        5,
        expect.stringContaining(`.sess' is no folder (it is a link)`),
      ])
    }
    expect(readlinkSync(store)).toBe('../private')
    expect([statSync(target).mode & 0o777, statSync(join(target, 'sess.json')).mode & 0o777]).toEqual([
      0o755, 0o644,
    ])
    // The folder behind it may be named.
    expect((await shell.run(`sess ls --store ${target}`)).code).toBe(0)
  })

  it('is refused by init where the link leads nowhere', async () => {
    const shell = new Shell({ samples: false })
    symlinkSync('elsewhere', shell.path('.sess'))
    expect((await shell.run('sess init')).code).toBe(5)
    expect(existsSync(shell.path('elsewhere'))).toBe(false)
  })
})

describe('a file of a store', () => {
  it('is not opened to be written through a link', async () => {
    const dir = newFolder()
    symlinkSync(join(dir, 'a'), join(dir, 'link'))
    writeFileSync(join(dir, 'a'), SECRET)
    const { OVERWRITE: OVER } = await import('../../src/storage/directory/safefile.ts')
    await expectFailure('corrupt', () => openFile(join(dir, 'link'), OVER))
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe(SECRET)
  })

  it.runIf(process.getuid?.() === 0)(
    'of another owner, linked into it, is neither written nor changed',
    async () => {
      const { shell, store, victim } = await cloned()
      chownSync(victim, 65_534, 65_534)
      for (const name of ['holder.json', 'db.1/000099.ldb']) {
        rmSync(join(store, name), { force: true })
        linkSync(victim, join(store, name))
        chmodSync(store, 0o755)
        const { code, stderr } = await shell.run('sess ls', { cwd: 'repository' })
        expect([code, stderr]).toEqual([1, expect.stringContaining(`${name}' belongs to another user`)])
        expect(readFileSync(victim, 'utf8')).toBe(SECRET)
        expect([statSync(victim).mode & 0o777, statSync(victim).uid]).toEqual([0o644, 65_534])
        rmSync(join(store, name))
      }
    },
  )
})

/** Returns whether every user may enter a folder. */
const mayEnter = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || mayEnter(dirname(folder)))

describe('permissions that cannot be changed', () => {
  const build = built()
  const isRoot = process.getuid?.() === 0

  it.runIf(isRoot && mayEnter(tmpdir()))('are an error before anything is written', async () => {
    const { shell, store } = await cloned()
    for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }))
      chmodSync(join(store, name), lstatSync(join(store, name)).isDirectory() ? 0o777 : 0o666)
    for (const folder of [store, dirname(store), shell.dir, dirname(shell.dir)]) chmodSync(folder, 0o777)
    const stateOf = (): string[] =>
      readdirSync(store, { recursive: true, encoding: 'utf8' })
        .map((name) => `${name} ${statSync(join(store, name)).mtimeMs}`)
        .sort()
    const before = stateOf()
    const script = `
      import { Repo } from ${JSON.stringify(join(build, 'repo/repo.js'))}
      // Only now: the other user may not be allowed to read the modules.
      process.setgid(65_534)
      process.setuid(65_534)
      try { await Repo.open(${JSON.stringify(store)}); console.log('opened') }
      catch (error) { console.log(error.code, error.hint) }`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: '/',
      encoding: 'utf8',
    })
    expect(stdout).toBe(`cannot-write let its owner type 'chmod -R go= ${store}'; nothing was written\n`)
    expect(stateOf()).toEqual(before)
  })
})

describe('an identity that is missing or cannot be read', () => {
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['torn', '{"format":1,"id":"0123'],
    ['no identity', '{}'],
    ['of another id', '{"format":1,"id":"../../x","created":"2026"}'],
  ])('%s: is corrupt with exit code 5, and repaired', async (_, text) => {
    const { shell, store } = await cloned()
    const { id } = readIdentity(store) ?? {}
    if (text === undefined) rmSync(join(store, 'sess.json'))
    else writeFileSync(join(store, 'sess.json'), text)
    for (const line of ['sess ls', 'sess fsck', 'sess fsck --repair -n']) {
      const { code, stderr } = await shell.run(`${line} --json`, { cwd: 'repository' })
      expect([line, code]).toEqual([line, 5])
      if (!line.includes('-n')) expect(stderr).toContain('"kind":"corrupt"')
    }
    expect((await shell.run('sess fsck --repair', { cwd: 'repository' })).code).toBe(0)
    const repo = await openRepo(store, { create: false })
    expect(repo.identity.id).toBe(id)
    expect((await fsck(repo)).findings).toEqual([])
    expect((await shell.run('sess ls', { cwd: 'repository' })).stdout).toContain('tea')
  })
})

import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { backUp, exposureOf, restore, verifyBackup } from '../../src/repo/backup.ts'
import { processName } from '../../src/storage/directory/processname.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo, quietEnv } from '../support/store.ts'

async function backup(): Promise<string> {
  const repo = await openRepo()
  const target = join(newFolder(), 'backup')
  backUp(repo.dir, target, quietEnv())
  return target
}

it.each(['../evil', '/etc/passwd', '..', '', 'db/x.ldb', 'evil'])(
  'reads no file that a list of a backup calls %j',
  async (name) => {
    const target = await backup()
    const path = join(target, 'backup.1.json')
    const list = JSON.parse(readFileSync(path, 'utf8')) as { files: object[] }
    writeFileSync(join(target, 'evil'), 'x')
    writeFileSync(path, JSON.stringify({ ...list, files: [...list.files, { name, bytes: 1, sha256: 'x' }] }))
    await expectFailure('corrupt', () => verifyBackup(target))
    await expectFailure('corrupt', () => restore(target, join(newFolder(), 'store')))
  },
)

it('restores nothing but what was verified', async () => {
  const target = await backup()
  const victim = join(newFolder(), 'secret')
  writeFileSync(victim, 'secret')
  symlinkSync(victim, join(target, 'db.1/000099.ldb'))
  const dir = join(newFolder(), 'store')
  restore(target, dir)
  expect([existsSync(join(dir, 'db.1/CURRENT')), existsSync(join(dir, 'db.1/000099.ldb'))]).toEqual([
    true,
    false,
  ])
})

/** Runs work during which a function of the file system fails below a folder as on a full disk. */
async function withFullDisk(
  folder: string,
  name: 'copyFileSync' | 'renameSync',
  work: () => Promise<void>,
): Promise<void> {
  const original = fs[name]
  const fail = (from: string, to: string): void => {
    if (!to.startsWith(folder)) original(from, to)
    else throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  Object.assign(fs, { [name]: fail })
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  }
}

it('leaves nothing where a backup fails, and names the disk that is full', async () => {
  const repo = await openRepo()
  const target = join(newFolder(), 'backup')
  for (const isFirst of [true, false]) {
    const before = isFirst ? [] : readdirSync(target).sort()
    // Otherwise the second backup links what is there.
    if (!isFirst) rmSync(join(target, 'db.1/CURRENT'))
    for (const name of ['copyFileSync', 'renameSync'] as const)
      await withFullDisk(target, name, async () => {
        const error = await expectFailure('no-space', () => backUp(repo.dir, target, quietEnv()))
        expect(error.subject.startsWith(target)).toBe(true)
      })
    expect(readdirSync(target).sort()).toEqual(before)
    backUp(repo.dir, target, quietEnv())
    expect(verifyBackup(target)).toEqual([])
  }
})

it('removes what killed backups left in the folder', async () => {
  const repo = await openRepo()
  const target = join(newFolder(), 'backup')
  const ended = `${processName().replace(/^\d+/, `${2 ** 22 + 1}`)}.01234567.new`
  mkdirSync(join(target, `db.2.${ended}`), { recursive: true })
  for (const name of ['backup.2.json', 'generation', 'sess.json', 'refs.journal'])
    writeFileSync(join(target, `${name}.${ended}`), '')
  backUp(repo.dir, target, quietEnv())
  expect(readdirSync(target).filter((name) => name.endsWith('.new'))).toEqual([])
})

it('advises no repair of the store where a file of the backup is a link', async () => {
  const repo = await openRepo()
  const target = join(newFolder(), 'backup')
  backUp(repo.dir, target, quietEnv())
  const link = (name: string): void => {
    renameSync(join(target, name), join(target, 'moved'))
    symlinkSync(join(target, 'moved'), join(target, name))
  }
  link('db.1/CURRENT')
  expect(verifyBackup(target)).toEqual(['CURRENT: it is not a regular file'])
  const remedy = { kind: 'use-other-backup' }
  expect((await expectFailure('corrupt', () => backUp(repo.dir, target, quietEnv()))).remedy).toEqual(remedy)
  const store = join(newFolder(), 'store')
  expect((await expectFailure('corrupt', () => restore(target, store))).remedy).toEqual(remedy)
  link('backup.1.json')
  expect((await expectFailure('corrupt', () => verifyBackup(target))).remedy).toEqual(remedy)
  expect((await expectFailure('corrupt', () => backUp(repo.dir, target, quietEnv()))).remedy).toEqual(remedy)
})

it('tells a folder that its user can make private from one that only its owner can', () => {
  const folder = newFolder()
  const { uid } = statSync(folder)
  chmodSync(folder, 0o755)
  expect([uid, uid + 1, 0, undefined].map((user) => exposureOf(folder, user))).toEqual([
    'exposed',
    'foreign',
    'exposed',
    'exposed',
  ])
  chmodSync(folder, 0o700)
  expect(exposureOf(folder, uid + 1)).toBe('private')
})

import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { backUp, exposureOf, restore, verifyBackup } from '../../src/repo/backup.ts'
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

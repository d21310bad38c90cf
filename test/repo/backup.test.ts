import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { backUp, restore, verifyBackup } from '../../src/repo/backup.ts'
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

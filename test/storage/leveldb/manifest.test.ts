import { linkSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newLevel } from '../../../src/storage/leveldb/database.ts'
import { checkDatabase } from '../../../src/storage/leveldb/manifest.ts'
import { atCalls } from '../../support/calls.ts'
import { newFolder } from '../../support/folder.ts'

/** Makes a database with a table that has a second name, as in a store with a snapshot or a backup. */
async function linked(): Promise<string> {
  const folder = join(newFolder(), 'db')
  for (let i = 0; i < 2; i++) {
    const level = newLevel(folder, true)
    await level.open()
    await level.put(Uint8Array.of(i), Uint8Array.of(i))
    await level.close()
  }
  const [table = ''] = readdirSync(folder).filter((name) => name.endsWith('.ldb'))
  linkSync(join(folder, table), join(newFolder(), table))
  return folder
}

it('does not take a manifest that cannot be read now for a damaged one', async () => {
  const folder = await linked()
  expect(() => checkDatabase(folder)).not.toThrow()
  let reads = 0
  const reading = (call: string): void => {
    // CURRENT is read first.
    if (call.startsWith('read ') && ++reads === 2)
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  }
  await atCalls(folder, { reading }, () => {
    expect(() => checkDatabase(folder)).toThrow(expect.objectContaining({ code: 'unreadable-path' }))
    return Promise.resolve()
  })
})

it('refuses a file that LevelDB would overwrite where the manifest is damaged', async () => {
  const folder = await linked()
  const [manifest = ''] = readdirSync(folder).filter((name) => name.startsWith('MANIFEST-'))
  writeFileSync(join(folder, manifest), 'x'.repeat(100))
  expect(() => checkDatabase(folder)).toThrow('LevelDB would overwrite it')
})

it('accepts a database that another process opens while it is checked', async () => {
  const folder = await linked()
  const [manifest = ''] = readdirSync(folder).filter((name) => name.startsWith('MANIFEST-'))
  let isReplaced = false
  const before = (call: string): void => {
    // Opening gives a database another manifest, and removes the one before.
    if (isReplaced || !call.endsWith(manifest)) return
    isReplaced = true
    renameSync(join(folder, manifest), join(folder, 'MANIFEST-000099'))
    writeFileSync(join(folder, 'CURRENT'), 'MANIFEST-000099\n')
  }
  await atCalls(folder, { before }, () => {
    expect(() => checkDatabase(folder)).not.toThrow()
    return Promise.resolve()
  })
  expect(isReplaced).toBe(true)
})

import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { beginStore, readIdentity, STORE_FORMAT } from '../../../src/storage/directory/directory.ts'
import { writerId } from '../../../src/storage/directory/writerid.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'

const identity = {
  format: STORE_FORMAT,
  id: '0123456789abcdef'.repeat(2),
  created: '2026-01-01T00:00:00.000Z',
}

function store(): string {
  const dir = join(newFolder(), 'store')
  execFileSync('mkdir', [dir])
  beginStore(dir, identity)
  return dir
}

it('is drawn once for a folder, and kept when the folder is renamed', () => {
  const dir = store()
  const id = writerId(dir)
  expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(writerId(dir)).toBe(id)
  renameSync(dir, `${dir}-2`)
  expect(writerId(`${dir}-2`)).toBe(id)
  expect(readIdentity(`${dir}-2`)).toMatchObject(identity)
  expect(writerId(store())).not.toBe(id)
})

it('is drawn again in a copy, whichever of the two is removed', () => {
  const dir = store()
  const id = writerId(dir)
  execFileSync('cp', ['-a', dir, `${dir}-copy`])
  const copy = writerId(`${dir}-copy`)
  expect(copy).not.toBe(id)
  expect(writerId(dir)).toBe(id)
  // The inode number may be given again to the restored folder.
  rmSync(dir, { recursive: true })
  execFileSync('cp', ['-a', `${dir}-copy`, dir])
  expect([id, copy]).not.toContain(writerId(dir))
})

it('is drawn again on another host', () => {
  const dir = store()
  const id = writerId(dir, { host: 'here' })
  const there = writerId(dir, { host: 'there' })
  expect(there).not.toBe(id)
  expect(writerId(dir, { host: 'there' })).toBe(there)
})

it('is drawn again where the one that is written down cannot be one', async () => {
  const dir = store()
  beginStore(dir, { ...identity, writer: { id: '../../evil', device: '', inode: '', born: '', host: '' } })
  expect(readIdentity(dir)).toEqual(identity)
  expect(writerId(dir)).toMatch(/^[0-9a-f]{16}$/)
  await expectFailure('no-store', () => writerId(newFolder()))
})

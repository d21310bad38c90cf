import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { generationFolder } from '../../../src/storage/directory/takeover.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

it('sees that the store was taken over where the attributes of the file are those from before', async () => {
  const repo = await openRepo()
  const path = join(repo.dir, 'generation')
  // A client of NFS sees the attributes that it has cached.
  const { atime, mtime } = statSync(path)
  utimesSync(path, atime, new Date(1000 * Math.floor(mtime.getTime() / 1000)))
  const name = 'a' as RefName
  await repo.write({}, ({ move }) => move(name, undefined, 0))
  const cached = statSync(path)
  await expectFailure('fenced', () =>
    repo.write({}, ({ move }) => {
      writeFileSync(path, '2\n')
      utimesSync(path, cached.atime, cached.mtime)
      expect([statSync(path).ino, statSync(path).mtimeMs]).toEqual([cached.ino, cached.mtimeMs])
      generationFolder(repo.dir, 2)
      move(name, 0, 1)
    }),
  )
  expect(readGeneration(repo.dir)).toBe(2)
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { thisPlatform } from '../../src/cli/platform.ts'
import { newFolder } from '../support/folder.ts'

it('reports programs that cannot be started, however the system says so', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  const { start, edit } = thisPlatform()
  for (const program of [file, join(file, 'below'), `${file}.missing`, 'a\0b', ''])
    expect([start([program], {}), await edit([program], {})]).toEqual([undefined, undefined])
})

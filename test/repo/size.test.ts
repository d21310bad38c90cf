import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bytesBelow } from '../../src/repo/size.ts'
import { newFolder } from '../support/folder.ts'

it('counts the bytes of all files below a folder, and ignores files that vanish', () => {
  const dir = newFolder()
  mkdirSync(join(dir, 'db.1', 'deeper'), { recursive: true })
  writeFileSync(join(dir, 'a'), 'abc')
  writeFileSync(join(dir, 'db.1', 'deeper', 'b'), 'abcd')
  expect(bytesBelow(dir)).toBe(7)
  symlinkSync('nowhere', join(dir, 'link'))
  expect(bytesBelow(dir)).toBe(7 + 'nowhere'.length)
  rmSync(join(dir, 'db.1'), { recursive: true })
  expect([bytesBelow(join(dir, 'db.1')), bytesBelow(dir)]).toEqual([0, 3 + 'nowhere'.length])
})

import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keepPrivate, makePrivate } from '../../../src/storage/directory/permissions.ts'
import { newFolder } from '../../support/folder.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

function filled(names: readonly string[], mode = 0o644): string {
  const dir = newFolder()
  for (const name of names) {
    writeFileSync(join(dir, name), '')
    chmodSync(join(dir, name), mode)
  }
  return dir
}

const modesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(readdirSync(dir).map((name) => [name, modeOf(join(dir, name))]))

describe('a folder that others can look into', () => {
  it('is made private with all that is in it', () => {
    const dir = filled(['a', 'b'])
    mkdirSync(join(dir, 'db.1'))
    writeFileSync(join(dir, 'db.1', '000005.ldb'), '')
    const outside = filled(['x'])
    symlinkSync(join(outside, 'x'), join(dir, 'link'))
    linkSync(join(outside, 'x'), join(dir, 'db.1', 'LOCK'))
    chmodSync(join(dir, 'db.1'), 0o755)
    chmodSync(join(dir, 'db.1', '000005.ldb'), 0o644)
    chmodSync(dir, 0o755)
    expect(makePrivate(dir)).toBe('was-exposed')
    expect(makePrivate(dir)).toBe('private')
    expect([modeOf(dir), modeOf(join(dir, 'db.1')), modeOf(join(dir, 'db.1', '000005.ldb'))]).toEqual([
      '700',
      '700',
      '600',
    ])
    expect([modeOf(join(dir, 'a')), modeOf(join(outside, 'x'))]).toEqual(['600', '644'])
  })
})

describe('the files of a database', () => {
  it('are made private once it is closed, those alone that it made', () => {
    const dir = filled(['000003.ldb', '000005.ldb'])
    chmodSync(join(dir, '000005.ldb'), 0o600)
    const closed = keepPrivate(dir)
    writeFileSync(join(dir, '000007.ldb'), '')
    writeFileSync(join(dir, 'CURRENT'), '')
    const outside = join(filled(['x']), 'x')
    symlinkSync(outside, join(dir, 'link'))
    closed()
    expect(modeOf(outside)).toBe('644')
    rmSync(join(dir, 'link'))
    expect(modesIn(dir)).toEqual({
      '000003.ldb': '644',
      '000005.ldb': '600',
      '000007.ldb': '600',
      CURRENT: '600',
    })
  })

  it('are all made private where a process was killed before it came to that', () => {
    const dir = filled(['000003.ldb', '000005.ldb', 'LOG'])
    keepPrivate(dir)
    expect(modesIn(dir)).toEqual({ '000003.ldb': '600', '000005.ldb': '600', LOG: '600' })
  })
})

it('is at rest about a database that another process removed when it was closed', () => {
  const dir = filled(['000005.ldb'])
  const closed = keepPrivate(dir)
  rmSync(dir, { recursive: true })
  expect(closed()).toBe(undefined)
  expect(keepPrivate(dir)()).toBe(undefined)
  mkdirSync(dir)
})

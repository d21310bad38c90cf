import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { filesBelow, kindOf } from '../../src/sources/files.ts'
import { newFolder } from '../support/folder.ts'

function folderWith(...files: readonly string[]): string {
  const folder = newFolder()
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  return folder
}

const below = (folder: string, without?: string): string[] =>
  [...filesBelow(folder, without === undefined ? {} : { without })].map(
    ({ path, error }) => `${path.slice(folder.length + 1)}${error ?? ''}`,
  )

it('finds the files of folders in the order of their names', () => {
  const folder = folderWith('b/2', 'b/10', 'a', 'c/d/e', 'b.x')
  expect(below(folder)).toEqual(['a', 'b/10', 'b/2', 'b.x', 'c/d/e'])
})

it('follows no link but the one that is passed', () => {
  const folder = folderWith('in/file', 'other/file')
  symlinkSync(join(folder, 'other'), join(folder, 'in/folder'))
  symlinkSync(join(folder, 'other/file'), join(folder, 'in/link'))
  symlinkSync(join(folder, 'in'), join(folder, 'named'))
  expect(below(join(folder, 'in'))).toEqual(['file'])
  expect(below(join(folder, 'named'))).toEqual(['file'])
})

it('skips one folder', () => {
  const folder = folderWith('a/store/x', 'a/storey', 'b')
  expect(below(folder, join(folder, 'a/store'))).toEqual(['a/storey', 'b'])
})

it('reports which folder it could not read', () => {
  const [found] = [...filesBelow('/no/such/folder')]
  expect([found?.path, found?.error?.message]).toEqual([
    '/no/such/folder',
    "ENOENT: no such file or directory, scandir '/no/such/folder'",
  ])
})

it('returns the kind of a path', () => {
  const folder = folderWith('file')
  symlinkSync(join(folder, 'file'), join(folder, 'link'))
  symlinkSync(join(folder, 'gone'), join(folder, 'broken'))
  const kinds = ['file', 'link', '.', 'gone', 'broken', 'file/more'].map((path) => kindOf(join(folder, path)))
  expect([...kinds, kindOf('/dev/null')]).toEqual([
    'file',
    'file',
    'folder',
    'missing',
    'missing',
    'missing',
    'other',
  ])
})

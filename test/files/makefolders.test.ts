import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makePrivateFolders } from '../../src/files/makefolders.ts'
import { makeMissingFolders } from '../../src/model/missingfolders.ts'
import { newFolder } from '../support/folder.ts'

it('makes a folder and those above it, private, and leaves those that are there', () => {
  const folder = newFolder()
  const path = join(folder, 'a', 'b', 'c')
  makePrivateFolders(path)
  makePrivateFolders(path)
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  expect(statSync(path).isDirectory()).toBe(true)
})

it('throws where a file has the name of a folder', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a'), '')
  expect(() => makePrivateFolders(join(folder, 'a'))).toThrow(/EEXIST/)
  expect(() => makePrivateFolders(join(folder, 'a', 'b', 'c'))).toThrow(/ENOTDIR/)
})

it('ends where the system takes no folder below one that is there', () => {
  const made: string[] = []
  const calls = {
    make: (path: string): void => {
      made.push(path)
      throw new Error('ENOENT')
    },
    isFolder: (path: string) => path === '/proc/1',
    isThere: (path: string) => path === '/proc/1',
    parentOf: (path: string) => path.replace(/\/[^/]*$/, '') || '/',
  }
  expect(() => makeMissingFolders('/proc/1/x/y', calls)).toThrow('ENOENT')
  expect(made).toEqual(['/proc/1/x'])
  if (existsSync('/proc/1')) expect(() => makePrivateFolders('/proc/1/x/y')).toThrow(/ENOENT|EACCES/)
})

it('ends at the root', () => {
  const calls = { isFolder: () => false, isThere: () => false, parentOf: () => '/' }
  const make = (): void => {
    throw new Error('none')
  }
  expect(() => makeMissingFolders('/a', { ...calls, make })).toThrow('none')
})

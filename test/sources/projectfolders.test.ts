import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ProjectFolders } from '../../src/sources/projectfolders.ts'
import { newFolder } from '../support/folder.ts'

const nameOf = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '-')

/** Makes folders below a new one, and returns a function that looks for one of them by its name. */
function home(...folders: readonly string[]) {
  const root = newFolder()
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  const find = (path: string, ...near: readonly string[]): string | undefined =>
    new ProjectFolders().find(
      nameOf(join(root, path)),
      nameOf,
      near.map((folder) => join(root, folder)),
    )
  return { root, find }
}

describe('a project', () => {
  it('is found beside a folder, above it, and below a folder above it', () => {
    const { root, find } = home('lamp-new', 'src/deep/lamp')
    expect(find('lamp-new', 'lamp-old')).toBe(join(root, 'lamp-new'))
    expect(find('src', 'src/deep/lamp/docs')).toBe(join(root, 'src'))
    expect(find('src/deep/lamp', 'lamp-old/docs')).toBe(join(root, 'src/deep/lamp'))
    expect(find('src/deep/moon', 'lamp-old')).toBeUndefined()
  })

  it('is found where its name is the beginning of another one', () => {
    const { root, find } = home('lamp', 'lamp-new', 'lamp-new-er')
    expect(find('lamp-new', 'lamp-old')).toBe(join(root, 'lamp-new'))
  })

  it('is not found where two have its name, but the nearest counts', () => {
    const { root, find } = home('lamp-new', 'lamp_new', 'a/b', 'a/b-c', 'a-b')
    expect(find('lamp-new', 'lamp-old')).toBeUndefined()
    expect(find('a/b', 'a/x')).toBe(join(root, 'a/b'))
  })

  it('is not found near nothing, near a relative folder, or behind a link', () => {
    const { root, find } = home('lamp-new')
    symlinkSync(join(root, 'lamp-new'), join(root, 'link'))
    expect(find('link', 'lamp-old')).toBeUndefined()
    expect(find('lamp-new')).toBeUndefined()
    expect(new ProjectFolders().find(nameOf(join(root, 'lamp-new')), nameOf, ['lamp-old'])).toBeUndefined()
  })

  it('is looked for in a bounded number of folders', () => {
    // Each of these leads to the name: 'a', 'a-a', 'a-a-a', …
    const folders = Array.from({ length: 80 }, (_, i) => `${'a-'.repeat(i)}a`)
    const { root, find } = home(...folders)
    expect(find(`${'a-'.repeat(120)}b`, 'x')).toBeUndefined()
    expect(find('a-a', 'x')).toBe(join(root, 'a-a'))
  })

  it('passes over folders that cannot be read', () => {
    const { root, find } = home('closed/inside', 'lamp-new')
    chmodSync(join(root, 'closed'), 0)
    try {
      expect(find('lamp-new', 'closed/inside/old')).toBe(join(root, 'lamp-new'))
    } finally {
      chmodSync(join(root, 'closed'), 0o700)
    }
  })
})

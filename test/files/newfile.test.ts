import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keepCopy, type NamedFile, removeCopy, writeNewFile, writeNewFiles } from '../../src/files/newfile.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const utf8 = new TextEncoder()

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(utf8.encode(text))
}

const files = (named: Readonly<Record<string, string>>): AsyncGenerator<NamedFile> =>
  listed(...Object.entries(named))

async function* listed(...named: readonly (readonly [string, string])[]): AsyncGenerator<NamedFile> {
  for (const [name, text] of named) yield await Promise.resolve({ name, chunks: chunks(text) })
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(utf8.encode('half'))
  throw new Error('stopped')
}

describe('a new file', () => {
  it('is private, and never replaces an existing one', async () => {
    const path = join(newFolder(), 'a')
    expect(await writeNewFile(path, chunks('one', 'two'))).toEqual({ path, bytes: 6, replaced: null })
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['onetwo', 0o600])
    await expectFailure('exists', () => writeNewFile(path, chunks('three')))
    expect(await writeNewFile(path, chunks('3'), { force: true })).toEqual({ path, bytes: 1, replaced: 6 })
    expect(readFileSync(path, 'utf8')).toBe('3')
  })

  it('does not exist after a failure midway, nor after a dry run', async () => {
    const path = join(newFolder(), 'a')
    await expect(writeNewFile(path, failing())).rejects.toThrow('stopped')
    expect((await writeNewFile(path, chunks('one'), { dryRun: true })).bytes).toBe(3)
    expect(existsSync(path)).toBe(false)
  })
})

describe('new files in a folder', () => {
  it('have their names and bytes', async () => {
    const folder = join(newFolder(), 'out')
    const written = await writeNewFiles(folder, files({ 'a/b/c.json': 'one', 'a/d': '', e: 'two' }))
    expect(written).toEqual({ path: folder, bytes: 6, replaced: null, files: 3 })
    expect(readFileSync(join(folder, 'a/b/c.json'), 'utf8')).toBe('one')
    expect([readFileSync(join(folder, 'e'), 'utf8'), statSync(join(folder, 'a/d')).size]).toEqual(['two', 0])
  })

  it.each([
    ['../x', '%2E%2E/x'],
    ['/etc/x', '%/etc/x'],
    ['a/../../x', 'a/%2E%2E/%2E%2E/x'],
    ['a//x', 'a/%/x'],
    ['./x', '%2E/x'],
    ['C:\\x', 'C:%5Cx'],
    ['a\\..\\x', 'a%5C..%5Cx'],
    ['', '%'],
    ['a/', 'a/%'],
    ['x\0', 'x%00'],
    ['sub/first', 'sub/first%'],
  ])('stay below it: %j is escaped, and reported', async (name, as) => {
    const outer = newFolder()
    const written = await writeNewFiles(join(outer, 'out'), listed(['sub/first', 'one'], [name, 'two']))
    expect(written).toMatchObject({ files: 2, renamed: [{ name, as }] })
    expect(readFileSync(join(outer, 'out', as), 'utf8')).toBe('two')
    expect(readdirSync(outer)).toEqual(['out'])
  })

  it('stay distinct where one name equals another escaped one', async () => {
    const folder = join(newFolder(), 'out')
    const { renamed } = await writeNewFiles(folder, files({ 'a\\b': 'one', 'a%5Cb': 'two', c: 'three' }))
    expect(renamed).toEqual([
      { name: 'a\\b', as: 'a%5Cb' },
      { name: 'a%5Cb', as: 'a%5Cb%' },
    ])
    expect(readFileSync(join(folder, 'a%5Cb%'), 'utf8')).toBe('two')
  })

  it('follow no link, and replace nothing', async () => {
    const [folder, elsewhere] = [newFolder(), newFolder()]
    symlinkSync(elsewhere, join(folder, 'link'))
    symlinkSync(join(elsewhere, 'made'), join(folder, 'dangling'))
    mkdirSync(join(folder, 'kept'))
    writeFileSync(join(folder, 'kept/own'), 'mine')
    await expectFailure('exists', () => writeNewFiles(folder, files({ 'link/x': 'two' })))
    await expectFailure('exists', () => writeNewFiles(folder, files({ dangling: 'two' })))
    await expectFailure('exists', () =>
      writeNewFiles(folder, files({ 'kept/new': 'one', 'kept/own': 'two' })),
    )
    expect([existsSync(join(elsewhere, 'x')), existsSync(join(elsewhere, 'made'))]).toEqual([false, false])
    expect([existsSync(join(folder, 'kept/new')), readFileSync(join(folder, 'kept/own'), 'utf8')]).toEqual([
      false,
      'mine',
    ])
  })

  it('are only counted in a dry run', async () => {
    const folder = join(newFolder(), 'out')
    const written = await writeNewFiles(folder, files({ 'a/b': 'one' }), { dryRun: true })
    expect([written.files, written.bytes, existsSync(folder)]).toEqual([1, 3, false])
  })
})

describe('the copy of a file that is to be replaced', () => {
  it('is removed where the file is still there', async () => {
    const path = join(newFolder(), 'a')
    writeFileSync(path, 'original')
    const kept = await keepCopy(path)
    await removeCopy(path, kept)
    expect([readFileSync(path, 'utf8'), existsSync(kept.path)]).toEqual(['original', false])
  })

  it('stays where another process has replaced the file', async () => {
    const path = join(newFolder(), 'a')
    writeFileSync(path, 'original')
    const kept = await keepCopy(path)
    expect(await keepCopy(path)).toEqual({ path: kept.path, isNew: false })
    await writeNewFile(path, chunks('new'), { force: true })
    await removeCopy(path, kept)
    expect(readFileSync(kept.path, 'utf8')).toBe('original')
  })
})

import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type NamedFile, writeNewFile, writeNewFiles } from '../../src/sources/newfile.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const utf8 = new TextEncoder()

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(utf8.encode(text))
}

async function* files(named: Readonly<Record<string, string>>): AsyncGenerator<NamedFile> {
  for (const [name, text] of Object.entries(named))
    yield await Promise.resolve({ name, pieces: pieces(text) })
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(utf8.encode('half'))
  throw new Error('stopped')
}

describe('a new file', () => {
  it('is for its user alone, and never over one that is there', async () => {
    const path = join(newFolder(), 'a')
    expect(await writeNewFile(path, pieces('one', 'two'))).toEqual({ path, bytes: 6, replaced: null })
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['onetwo', 0o600])
    await expectFailure('exists', () => writeNewFile(path, pieces('three')))
    expect(await writeNewFile(path, pieces('3'), { force: true })).toEqual({ path, bytes: 1, replaced: 6 })
    expect(readFileSync(path, 'utf8')).toBe('3')
  })

  it('is not there where it fails midway, nor in a dry run', async () => {
    const path = join(newFolder(), 'a')
    await expect(writeNewFile(path, failing())).rejects.toThrow('stopped')
    expect((await writeNewFile(path, pieces('one'), { dryRun: true })).bytes).toBe(3)
    expect(existsSync(path)).toBe(false)
  })
})

describe('new files in a folder', () => {
  it('have the names and the bytes that they are given', async () => {
    const folder = join(newFolder(), 'out')
    const written = await writeNewFiles(folder, files({ 'a/b/c.json': 'one', 'a/d': '', e: 'two' }))
    expect(written).toEqual({ path: folder, bytes: 6, replaced: null, files: 3 })
    expect(readFileSync(join(folder, 'a/b/c.json'), 'utf8')).toBe('one')
    expect([readFileSync(join(folder, 'e'), 'utf8'), statSync(join(folder, 'a/d')).size]).toEqual(['two', 0])
  })

  it.each(['../x', '/etc/x', 'a/../../x', 'a//x', './x', 'C:\\x', 'a\\..\\x', '', 'a/', 'x\0'])(
    'stay below it: %j is refused, and nothing is left',
    async (name) => {
      const folder = join(newFolder(), 'out')
      await expectFailure('bad-name', () =>
        writeNewFiles(folder, files({ 'sub/first': 'one', [name]: 'two' })),
      )
      expect(existsSync(folder)).toBe(false)
    },
  )

  it('go through no link, and over nothing that is there', async () => {
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

import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeNewFile } from '../../src/files/newfile.ts'
import { removeLeftovers, replaceFile } from '../../src/files/replacefile.ts'
import { newFolder } from '../support/folder.ts'

/** The end of the temporary name of a process that does not run. */
const ENDED = '4194305-0123456789abcdef.sess-tmp'

const isRoot = process.geteuid?.() === 0

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text))
}

describe('names like those of temporary files', () => {
  it('keep nobody from replacing a file, and stay where they are no files of this user', async () => {
    const folder = newFolder()
    const path = join(folder, 'a')
    mkdirSync(join(folder, `a.${ENDED}`))
    writeFileSync(join(folder, 'secret'), 'secret')
    symlinkSync('secret', join(folder, `a.4194305-${'1'.repeat(16)}.sess-tmp`))
    replaceFile(path, 'one')
    await writeNewFile(path, bytes('two'), { force: true })
    expect(readFileSync(path, 'utf8')).toBe('two')
    expect(readdirSync(folder)).toContain(`a.${ENDED}`)
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('secret')
  })

  it.runIf(isRoot)('stay where another user made them', () => {
    const folder = newFolder()
    const path = join(folder, 'a')
    writeFileSync(`${path}.${ENDED}`, 'of another user')
    chownSync(`${path}.${ENDED}`, 65_534, 65_534)
    replaceFile(path, 'one')
    removeLeftovers(folder)
    expect(readdirSync(folder).sort()).toEqual(['a', `a.${ENDED}`])
  })

  it('are removed where a killed process of this user left them, before or after it named the file', () => {
    const folder = newFolder()
    const path = join(folder, 'a')
    writeFileSync(path, 'named')
    linkSync(path, `${path}.${ENDED}`)
    removeLeftovers(folder)
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['a'], 'named'])
  })
})

describe('a file that is replaced in place', () => {
  it('keeps its owner and its mode', async () => {
    const path = join(newFolder(), 'a')
    writeFileSync(path, 'one')
    chmodSync(path, 0o640)
    if (isRoot) chownSync(path, 65_534, 65_533)
    const before = lstatSync(path)
    const kept = (): unknown => {
      const { mode, uid, gid, size } = lstatSync(path)
      return { mode, uid, gid, size }
    }
    const { mode, uid, gid } = before
    await writeNewFile(path, bytes('three'), { force: true })
    expect(kept()).toEqual({ mode, uid, gid, size: 5 })
    replaceFile(path, 'four')
    expect(kept()).toEqual({ mode, uid, gid, size: 4 })
  })

  it('gets neither from a file that a link leads to', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'other'), 'x', { mode: 0o644 })
    symlinkSync('other', join(folder, 'a'))
    replaceFile(join(folder, 'a'), 'one')
    expect(lstatSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  })
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, readText, replaceFile } from '../../../src/storage/directory/files.ts'
import type { MachineId } from '../../../src/storage/directory/folderid.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import {
  beginStore,
  type Identity,
  readIdentity,
  STORE_FORMAT,
  writerId,
} from '../../../src/storage/directory/identity.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'

const identity = {
  format: STORE_FORMAT,
  id: '0123456789abcdef'.repeat(2),
  created: '2026-01-01T00:00:00.000Z',
}

const holding = (text: string): string => {
  const dir = newFolder()
  writeFileSync(join(dir, 'sess.json'), text)
  return dir
}

describe('the identity of a store', () => {
  it('comes back as it was written, with the first generation', () => {
    const dir = newFolder()
    expect(readIdentity(dir)).toBeUndefined()
    beginStore(dir, identity)
    expect(readIdentity(dir)).toEqual(identity)
    expect(readGeneration(dir)).toBe(1)
    expect(readdirSync(dir)).toEqual(['generation', 'sess.json'])
    expect(readFileSync(join(dir, 'sess.json'), 'utf8')).toBe(`${JSON.stringify(identity)}\n`)
    for (const file of readdirSync(dir)) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600)
  })

  /** Formats that no version had. */
  const OTHERS = [0, -1, 0.5].map((format) => JSON.stringify({ ...identity, format }))

  it('of a newer format is refused', async () => {
    const dir = holding(JSON.stringify({ ...identity, format: STORE_FORMAT + 1, more: true }))
    const { message } = await expectFailure('newer-store', () => readIdentity(dir))
    expect(message).toBe(`the store '${dir}' was written by a newer sess (format ${STORE_FORMAT + 1})`)
  })

  it('is not taken from what sess did not write', async () => {
    for (const text of [
      '',
      '{',
      'null',
      '5',
      '[]',
      '{}',
      '{"format":"1","id":"x"}',
      '{"format":1}',
      '\0\0',
      ...OTHERS,
    ])
      await expectFailure('not-a-store', () => readIdentity(holding(text)))
    const dir = newFolder()
    mkdirSync(join(dir, 'sess.json'))
    await expectFailure('corrupt', () => readIdentity(dir))
  })

  it('is none where there is no folder', () => {
    const dir = newFolder()
    expect(readIdentity(join(dir, 'missing'))).toBeUndefined()
    writeFileSync(join(dir, 'file'), '')
    expect(readIdentity(join(dir, 'file'))).toBeUndefined()
  })
})

describe('the generation', () => {
  it('is refused where it is no number', async () => {
    for (const text of ['', '0', '-1', '1.5', 'x', '1 2']) {
      const dir = newFolder()
      writeFileSync(join(dir, 'generation'), text)
      await expectFailure('corrupt', () => readGeneration(dir))
    }
    await expectFailure('corrupt', () => readGeneration(newFolder()))
  })
})

describe('folders and files', () => {
  it('are private', () => {
    const dir = join(newFolder(), 'a', 'b')
    makeFolder(dir)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('are not made where a file stands', async () => {
    const dir = newFolder()
    writeFileSync(join(dir, 'file'), '')
    await expectFailure('cannot-write', () => makeFolder(join(dir, 'file', 'below')))
  })

  it('are replaced whole', () => {
    const path = join(newFolder(), 'x')
    expect(readText(path)).toBeUndefined()
    replaceFile(path, 'one')
    replaceFile(path, 'two, longer')
    replaceFile(path, '3')
    expect(readText(path)).toBe('3')
    expect(readdirSync(join(path, '..'))).toEqual(['x'])
  })

  it('leave nothing behind where they cannot be replaced', () => {
    const dir = newFolder()
    mkdirSync(join(dir, 'x'))
    expect(() => replaceFile(join(dir, 'x'), 'text')).toThrow('EISDIR')
    expect(readdirSync(dir)).toEqual(['x'])
  })
})

function store(): string {
  const dir = join(newFolder(), 'store')
  execFileSync('mkdir', [dir])
  beginStore(dir, identity)
  return dir
}

it('is drawn once for a folder, and kept when the folder is renamed', () => {
  const dir = store()
  const id = writerId(dir)
  expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(writerId(dir)).toBe(id)
  renameSync(dir, `${dir}-2`)
  expect(writerId(`${dir}-2`)).toBe(id)
  expect(readIdentity(`${dir}-2`)).toMatchObject(identity)
  expect(writerId(store())).not.toBe(id)
})

it('is drawn again in a copy, whichever of the two is removed', () => {
  const dir = store()
  const id = writerId(dir)
  execFileSync('cp', ['-a', dir, `${dir}-copy`])
  const copy = writerId(`${dir}-copy`)
  expect(copy).not.toBe(id)
  expect(writerId(dir)).toBe(id)
  // The inode number may be given again to the restored folder.
  rmSync(dir, { recursive: true })
  execFileSync('cp', ['-a', `${dir}-copy`, dir])
  expect([id, copy]).not.toContain(writerId(dir))
})

const here: MachineId = { host: 'here', machine: 'm1', boot: 'b1' }

describe('the writer of a folder whose inode is as it was', () => {
  it.each<readonly [string, MachineId]>([
    ['under other names of the host, since one start', { ...here, host: 'there' }],
    ['in another container without an id, since one start', { host: '3f2b', machine: '', boot: 'b1' }],
    ['after another start', { ...here, boot: 'b2' }],
    ['after another start under another name', { ...here, host: 'there', boot: 'b2' }],
  ])('stays %s', (_, machine) => {
    const dir = store()
    const id = writerId(dir, { machine: here })
    expect(writerId(dir, { machine })).toBe(id)
    expect(readIdentity(dir)?.writer).toMatchObject({ id, ...machine })
  })

  it.each<readonly [string, MachineId, MachineId]>([
    ['on a machine with another id', here, { ...here, machine: 'm2', boot: 'b2' }],
    [
      'on a machine without ids and of another name',
      { ...here, machine: '', boot: '' },
      { host: 'there', machine: '', boot: '' },
    ],
    [
      'after another start of a machine without an id and of another name',
      { ...here, machine: '' },
      { host: 'there', machine: '', boot: 'b2' },
    ],
  ])('is drawn again %s', (_, before, machine) => {
    const dir = store()
    const id = writerId(dir, { machine: before })
    const there = writerId(dir, { machine })
    expect(there).not.toBe(id)
    expect(writerId(dir, { machine })).toBe(there)
  })
})

it.each(['device', 'inode', 'born'] as const)(
  'is drawn again where nothing but the %s of the folder differs',
  (part) => {
    const dir = store()
    const id = writerId(dir)
    const { writer, ...rest } = readIdentity(dir) as Required<Identity>
    beginStore(dir, { ...rest, writer: { ...writer, [part]: '1' } })
    expect(writerId(dir)).not.toBe(id)
  },
)

it('is drawn again where the one that is written down cannot be one', async () => {
  const dir = store()
  beginStore(dir, { ...identity, writer: { id: '../../evil', device: '', inode: '', born: '', ...here } })
  expect(readIdentity(dir)).toEqual(identity)
  expect(writerId(dir)).toMatch(/^[0-9a-f]{16}$/)
  await expectFailure('no-store', () => writerId(newFolder()))
})

import { spawnSync } from 'node:child_process'
import { chownSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actAsOwner } from '../../src/cli/sudo.ts'
import { newFolder } from '../support/folder.ts'

const isRoot = process.geteuid?.() === 0
/** A user who is not root: this one, else nobody. */
const user = isRoot ? 65_534 : (process.geteuid?.() as number)

/** Makes a folder of that user. */
function folderOfUser(): string {
  const folder = newFolder()
  if (isRoot) chownSync(folder, user, user)
  return folder
}

/** Returns the user and group that root becomes for a store. */
function became(store: string, variables: Record<string, string>, uid: number | null = 0): number[] {
  const ids: number[] = []
  actAsOwner(store, { variables, uid: () => uid ?? undefined, become: (...now) => void ids.push(...now) })
  return ids
}

describe.runIf(process.geteuid)('under sudo', () => {
  const sudo = { SUDO_UID: `${user}` }

  it('root acts as the user who typed the command in a store of that user, also in one to be made', () => {
    const folder = folderOfUser()
    const { gid } = statSync(folder)
    expect(became(folder, sudo)).toEqual([user, gid])
    expect(became(join(folder, 'deep/.sess'), sudo)).toEqual([user, gid])
  })

  it('nobody becomes another user for a store of somebody else, without sudo, or without being root', () => {
    const folder = folderOfUser()
    expect(became('/', sudo)).toEqual([])
    writeFileSync(join(folder, 'file'), '')
    expect(became(join(folder, 'file/below'), sudo)).toEqual([])
    expect(became(folder, {})).toEqual([])
    expect(became(folder, { SUDO_UID: `${user + 1}` })).toEqual([])
    expect(became(folder, { SUDO_UID: `${user} ` })).toEqual([])
    expect(became(folder, sudo, user)).toEqual([])
    expect(became(folder, sudo, null)).toEqual([])
    expect(became('/', { SUDO_UID: '0' })).toEqual([])
  })
})

const SESS = join(import.meta.dirname, '../../bin/sess.js')

/** Runs `sess` in a folder: as root under sudo, or as the user. */
function run(cwd: string, asRoot: boolean, ...args: string[]) {
  const sudo = asRoot && { SUDO_UID: `${user}` }
  return spawnSync(process.execPath, [SESS, ...args], {
    ...{ cwd, input: 'hello', encoding: 'utf8', env: { HOME: cwd, ...sudo } },
    ...(!asRoot && { uid: user, gid: user }),
  })
}

// Where nobody may reach the temporary folder or this checkout, nobody can be tried.
const canBeNobody = isRoot && run(folderOfUser(), false, '--version').status === 0

it.runIf(canBeNobody)('the user goes on with a store that was made and written under sudo', () => {
  const folder = folderOfUser()
  mkdirSync(join(folder, 'project'))
  chownSync(join(folder, 'project'), user, user)
  const project = join(folder, 'project')
  for (const asRoot of [true, false, true, false]) {
    if (asRoot) expect(run(project, asRoot, 'init')).toMatchObject({ status: 0, stderr: '' })
    expect(run(project, asRoot, 'append', '--new', '--role', 'user')).toMatchObject({ status: 0, stderr: '' })
    expect(run(project, asRoot, 'fsck')).toMatchObject({ status: 0, stderr: '' })
  }
  expect(run(project, false, 'ls').stdout.match(/hello/g)).toHaveLength(4)
  for (const name of readdirSync(project, { recursive: true, encoding: 'utf8' }))
    expect([name, lstatSync(join(project, name)).uid]).toEqual([name, user])
})

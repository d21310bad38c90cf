import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Platform } from '../../src/cli/platform.ts'
import { checkTrusted, initLocation, locateStore, safeDirectories } from '../../src/repo/location.ts'
import { expectFailure } from '../support/errors.ts'
import { Shell } from '../support/shell.ts'

const silent = { write: (): boolean => true }
const worldOf = (shell: Shell, variables: Record<string, string> = {}, cwd = ''): Platform =>
  shell.platform({ variables, cwd }, silent, silent)

it('is the named one, else the nearest above, else that of the user', () => {
  const shell = new Shell({ samples: false })
  mkdirSync(shell.path('project/deep'), { recursive: true })
  expect(locateStore(undefined, worldOf(shell))).toBe(shell.path('.local/share/sess'))
  expect(locateStore(undefined, worldOf(shell, { XDG_DATA_HOME: '/data' }))).toBe('/data/sess')
  mkdirSync(shell.path('project/.sess'))
  expect(locateStore(undefined, worldOf(shell, {}, 'project/deep'))).toBe(shell.path('project/.sess'))
  expect(locateStore(undefined, worldOf(shell, { SESS_STORE: 'named' }, 'project/deep'))).toBe(
    shell.path('project/deep/named'),
  )
  expect(locateStore('/there', worldOf(shell, { SESS_STORE: 'named' }))).toBe('/there')
})

it('is created in the folder unless it is named', () => {
  const shell = new Shell({ samples: false })
  expect(initLocation(undefined, worldOf(shell))).toBe(shell.path('.sess'))
  expect(initLocation('x', worldOf(shell))).toBe(shell.path('x'))
  expect(initLocation(undefined, worldOf(shell, { SESS_STORE: '/y' }))).toBe('/y')
})

function found(variables: Record<string, string> = {}) {
  const shell = new Shell({ samples: false })
  mkdirSync(shell.path('.sess'))
  const world = shell.platform({ variables }, silent, silent)
  const check = (uid: number | undefined, owner: number): void =>
    checkTrusted(shell.path('.sess'), world, { uid, ownerOf: () => owner })
  return { shell, check }
}

describe('a store that was found, not named', () => {
  it('is accepted where the user owns it, and refused where another user does', async () => {
    const { shell, check } = found()
    check(1000, 1000)
    check(undefined, 0)
    const { message, remedy } = await expectFailure('not-owned', () => check(1000, 1001))
    expect(message).toContain(`'${shell.path('.sess')}' belongs to another user`)
    expect(remedy).toEqual({ kind: 'trust-store', setting: 'safe.directory', value: shell.path('.sess') })
    await expectFailure('not-owned', () => check(1000, 0))
    await expectFailure('not-owned', () => check(0, 1000))
  })

  it('is accepted for root under sudo where the invoking user owns it', async () => {
    const { check } = found({ SUDO_UID: '1000' })
    check(0, 1000)
    check(0, 0)
    await expectFailure('not-owned', () => check(0, 1001))
    await expectFailure('not-owned', () => check(1002, 1000))
    await expectFailure('not-owned', () => found({ SUDO_UID: '' }).check(0, 1000))
  })
})

it('names safe stores by absolute paths', () => {
  expect(safeDirectories('/a/.sess:/b/')).toEqual(['/a/.sess', '/b'])
  expect(safeDirectories('*')).toEqual(['*'])
  for (const text of ['', 'a', '/a:b', '/a/../b', 'none']) expect(safeDirectories(text)).toBeUndefined()
})

describe.runIf(process.getuid?.() === 0)('a store of another user in a folder above', () => {
  async function foreign() {
    const shell = new Shell({ samples: false })
    mkdirSync(shell.path('shared/below'), { recursive: true })
    await shell.run('sess init', { cwd: 'shared' })
    chownSync(shell.path('shared/.sess'), 65_534, 65_534)
    for (const name of readdirSync(shell.path('shared/.sess'), { recursive: true, encoding: 'utf8' }))
      chownSync(shell.path('shared/.sess', name), 65_534, 65_534)
    return shell
  }

  it('is refused by commands that use it, and its own settings do not count', async () => {
    const shell = await foreign()
    writeFileSync(shell.path('shared/.sess/config.json'), '{"safe.directory":"*","hints":"bad"}')
    chownSync(shell.path('shared/.sess/config.json'), 65_534, 65_534)
    for (const line of [
      'sess ls',
      'sess completion words -- log x',
      'sess fsck --repair',
      'sess backup copy',
    ]) {
      const { code, stderr } = await shell.run(line, { cwd: 'shared/below' })
      expect(code).toBe(1)
      expect(stderr).toContain("'/home/ada/shared/.sess' belongs to another user")
    }
    expect((await shell.run('sess init', { cwd: 'shared' })).code).toBe(1)
    expect((await shell.run('sess help ls', { cwd: 'shared/below' })).code).toBe(0)
    expect(existsSync(shell.path('copy'))).toBe(false)
  })

  it("is accepted where the user's settings trust it, or where it is named", async () => {
    const shell = await foreign()
    const there = { cwd: 'shared/below' }
    const store = shell.path('shared/.sess')
    expect((await shell.run(`sess ls --store ${store}`, there)).code).toBe(0)
    expect((await shell.run('sess ls', { ...there, variables: { SESS_STORE: store } })).code).toBe(0)
    expect((await shell.run(`sess config safe.directory ${store} --for store`, there)).code).not.toBe(0)
    expect((await shell.run(`sess config safe.directory ${store}`, there)).code).toBe(0)
    expect((await shell.run('sess ls', there)).code).toBe(0)
    await shell.run('sess config safe.directory /elsewhere', there)
    expect((await shell.run('sess ls', there)).stderr).toContain(
      `safe.directory /elsewhere:/home/ada/shared/.sess`,
    )
  })
})

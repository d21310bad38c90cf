import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { World } from '../../src/cli/world.ts'
import { initLocation } from '../../src/repo/location.ts'
import { locateStore } from '../../src/repo/trust.ts'
import { Shell } from '../support/shell.ts'

const silent = { write: (): boolean => true }
const world = (shell: Shell, variables: Record<string, string> = {}, cwd = ''): World =>
  shell.world({ variables, cwd }, silent, silent)

it('is the named one, else the nearest above, else that of the user', () => {
  const shell = new Shell({ samples: false })
  mkdirSync(shell.path('project/deep'), { recursive: true })
  expect(locateStore(undefined, world(shell))).toBe(shell.path('.local/share/sess'))
  expect(locateStore(undefined, world(shell, { XDG_DATA_HOME: '/data' }))).toBe('/data/sess')
  mkdirSync(shell.path('project/.sess'))
  expect(locateStore(undefined, world(shell, {}, 'project/deep'))).toBe(shell.path('project/.sess'))
  expect(locateStore(undefined, world(shell, { SESS_STORE: 'named' }, 'project/deep'))).toBe(
    shell.path('project/deep/named'),
  )
  expect(locateStore('/there', world(shell, { SESS_STORE: 'named' }))).toBe('/there')
})

it('is created in the folder unless it is named', () => {
  const shell = new Shell({ samples: false })
  expect(initLocation(undefined, world(shell))).toBe(shell.path('.sess'))
  expect(initLocation('x', world(shell))).toBe(shell.path('x'))
  expect(initLocation(undefined, world(shell, { SESS_STORE: '/y' }))).toBe('/y')
})

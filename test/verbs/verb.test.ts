import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configSet } from '../../src/verbs/config-set.ts'
import { init } from '../../src/verbs/init.ts'
import { folderContextOf } from '../../src/verbs/open.ts'
import { needsNoStore, perform } from '../../src/verbs/verb.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const machineIn = (home: string) => ({ home, variables: { HOME: home } })

it('a verb that needs no open store is performed on a folder', async () => {
  const home = newFolder()
  const context = folderContextOf(join(home, 'none'), { machine: machineIn(home) })
  const input = { setting: 'color', value: 'never', for: 'user' } as const
  const path = join(home, '.config/sess/config.json')

  const dry = await perform(configSet, context, input, { dryRun: true })
  expect([dry.result?.value, existsSync(path)]).toEqual(['never', false])
  const { operation, repeated, result } = await perform(configSet, context, input)
  expect([operation, repeated, result?.path, existsSync(path)]).toEqual([null, false, path, true])
  expect(existsSync(context.store)).toBe(false)
  expect([needsNoStore(configSet), configSet.operations]).toEqual([true, 'none'])
})

it('a call on a folder is cancelled by its signal, and made as a dry run', async () => {
  const dir = join(newFolder(), 'store')
  await expectFailure('stopped', () =>
    perform(init, folderContextOf(dir, { signal: AbortSignal.abort() }), { dir }),
  )
  await perform(init, folderContextOf(dir, { dryRun: true }), { dir })
  expect(existsSync(dir)).toBe(false)
})

it('of two calls that create a store at once, one says that it did', async () => {
  const dir = join(newFolder(), 'store')
  const calls = [1, 2].map(() => perform(init, folderContextOf(dir, {}), { dir }))
  const made = (await Promise.all(calls)).map(({ result }) => result)
  expect(made.filter((one) => one?.created)).toHaveLength(1)
  expect(new Set(made.map((one) => one?.id)).size).toBe(1)
})

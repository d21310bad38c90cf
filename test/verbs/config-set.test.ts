import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { configSet } from '../../src/verbs/config-set.ts'
import { folderContextOf } from '../../src/verbs/open.ts'
import { perform } from '../../src/verbs/verb.ts'
import { newFolder } from '../support/folder.ts'

it('keeps what another process sets at the same time', async () => {
  const home = newFolder()
  const path = join(home, '.config/sess/config.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.lock`, `${process.pid}`)
  const context = folderContextOf(join(home, 'none'), { machine: { home, variables: { HOME: home } } })
  const setting = perform(configSet, context, { setting: 'color', value: 'never', for: 'user' })
  writeFileSync(path, '{ "graph": "ascii", "color": "always" }')
  rmSync(`${path}.lock`)
  expect((await setting).result).toMatchObject({ value: 'never', before: 'always' })
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ graph: 'ascii', color: 'never' })
})

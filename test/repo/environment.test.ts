import { readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { homeOf, userFolder } from '../../src/repo/environment.ts'

it.each(['', '.', 'ada', '../ada'])('takes the home of the account where HOME is %j', (home) => {
  expect(homeOf({ variables: { HOME: home } })).toBe(userInfo().homedir)
})

it('takes HOME where it is an absolute path', () => {
  expect(homeOf({ variables: { HOME: '/home/ada' } })).toBe('/home/ada')
})

it.each(['', '.', 'conf'])('ignores a variable of XDG that is %j', (folder) => {
  const variables = { HOME: '/home/ada', XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  expect(userFolder('config', { variables })).toBe('/home/ada/.config')
  expect(userFolder('data', { variables })).toBe('/home/ada/.local/share')
})

it('is the one place that reads the variables of the process', () => {
  const src = new URL('../../src/', import.meta.url)
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const reading = /\bprocess\.env\b(?!\['UV_THREADPOOL_SIZE'\] \?\?=)|\{[^}]*\benv\b[^}]*\} = process\b/
  const found = paths.filter((path) => reading.test(readFileSync(new URL(path, src), 'utf8')))
  expect(found).toEqual(['repo/environment.ts'])
})

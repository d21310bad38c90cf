import { mkdirSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('makes a store in the folder, for the user alone', async () => {
  const shell = new Shell()
  expect([await shell.type('sess init'), await shell.type('sess init')].join('')).toMatchInlineSnapshot(`
    "$ sess init
    Created a store in /home/ada/.sess
    $ sess init
    There is already a store in /home/ada/.sess
    "
  `)
  expect(statSync(shell.path('.sess')).mode & 0o777).toBe(0o700)
  expect(await shell.type('sess init --store elsewhere --json')).toMatchInlineSnapshot(`
    "$ sess init --store elsewhere --json
    {"store":"/home/ada/elsewhere","id":"101112131415161718191a1b1c1d1e1f","created":true}
    "
  `)
  expect(await shell.type('sess init', { variables: { SESS_STORE: 'named' } })).toMatchInlineSnapshot(`
    "$ sess init
    Created a store in /home/ada/named
    "
  `)
})

it('is found from the folders below', async () => {
  const shell = new Shell()
  mkdirSync(shell.path('deep/er'), { recursive: true })
  await shell.run('sess init')
  await shell.run('sess append --new --title here', { stdin: ['{"body":{"role":"user","content":"x"}}'] })
  expect(await shell.type('sess log here', { cwd: 'deep/er' })).toMatchInlineSnapshot(`
    "$ sess log here
    660fee404f  2026-05-01 12:01  user       (*main) x
    "
  `)
})

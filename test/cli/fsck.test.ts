import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('finds nothing wrong in a store that is whole', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess fsck')).toMatchInlineSnapshot(`
    "$ sess fsck
    all is well: 56 entries, 5 sessions, 98 records, 1 operation
    "
  `)
  expect(await shell.type('sess fsck --json')).toMatchInlineSnapshot(`
    "$ sess fsck --json
    {"ok":true,"findings":[],"lacking":[],"waiting":[],"checked":{"entries":56,"sessions":5,"records":98,"operations":1}}
    "
  `)
})

it('exits with 5 where something is damaged', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess import sessions')
  await shell.run('sess branch 3b1f new')
  const journal = shell.path('.sess', 'refs.journal')
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('[1,1,', '[1,1,0,'))
  const { code, stdout } = await shell.run('sess fsck')
  expect(stdout).toMatch(/^journal refs\.journal: /)
  expect(code).toBe(5)
  expect(JSON.parse((await shell.run('sess fsck --json')).stdout)).toMatchObject({ ok: false })
})

import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RefValue } from '../../../src/model/operation.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { Shell } from '../../support/shell.ts'

const HURT = '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'

const REFS: readonly (readonly [name: string, value: RefValue])[] = [
  ['labels/x', {}],
  ['branches/main', 5],
  ['HEAD', []],
  ['meta', 'x'],
  ['source', { log: 5 }],
  ['leaf', 7],
]

/** Adds a message of the user to each file of a folder. */
function grow(shell: Shell, folder: string): void {
  for (const file of readdirSync(shell.path(folder))) {
    const text = readFileSync(shell.path(`${folder}/${file}`), 'utf8').trimEnd()
    const asked = text.split('\n').findLast((line) => line.includes('"user"')) ?? ''
    const more = `\n${asked.replace(/"uuid":"....../, '"uuid":"ffffff')}\n`
    appendFileSync(shell.path(`${folder}/${file}`), text.endsWith('\n') ? more.slice(1) : more)
  }
}

it.each(REFS)('a damaged ref %s keeps its own file alone from being imported', async (part, value) => {
  const name = `sessions/${HURT}/${part}` as RefName
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess import sessions')
  const repo = await Repo.open(shell.path('.sess'))
  await repo.write({ repairs: true }, async ({ reader, move }) => move(name, await reader.ref(name), value))
  await repo.close()
  grow(shell, 'sessions/claude')
  const { code, stdout, stderr } = await shell.run('sess import sessions')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^4 files, .* 1 new, /m)
  expect(stderr).toContain(
    `${HURT}.jsonl' was not imported (the ref '${name}' cannot be read: its value has another form`,
  )
  expect(stderr).toContain("'sess fsck --repair' to repair it; the other files are imported")
  await shell.run('sess fsck --repair')
  const again = await shell.run('sess import sessions')
  expect([again.code, again.stderr]).toEqual([0, ''])
  expect((await shell.run('sess fsck')).code).toBe(0)
})

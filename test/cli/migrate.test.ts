import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const V1 = [
  '{"type":"session","id":"s","timestamp":"2025-12-01T10:00:00.000Z","cwd":"/home/ada"}',
  '{"type":"message","timestamp":"2025-12-01T10:00:01.000Z","message":{"role":"user","content":"Nest the tables."}}',
  '{"type":"message","timestamp":"2025-12-01T10:00:02.000Z","message":{"role":"hookMessage","content":"Mind the moon."}}',
  '',
].join('\n')

function prepared(): Shell {
  const shell = new Shell()
  writeFileSync(join(shell.dir, 'old.jsonl'), V1)
  return shell
}

it('turns a file into another version, and tells what it passed', async () => {
  const shell = prepared()
  expect(
    [
      await shell.type('sess migrate old.jsonl --to v2'),
      await shell.type('sess migrate old.jsonl --to v4 --out new.jsonl'),
      await shell.type('sess migrate old.jsonl --to v4 --out new.jsonl'),
      await shell.type('sess migrate new.jsonl --to v3 --json'),
      await shell.type('sess migrate old.jsonl --to v3 --out other.jsonl --json -n'),
      await shell.type('sess migrate old.jsonl --to uuid-tree --json'),
    ].join(''),
  ).toMatchInlineSnapshot()
  expect(existsSync(join(shell.dir, 'other.jsonl'))).toBe(false)
  expect(readFileSync(join(shell.dir, 'old.jsonl'), 'utf8')).toBe(V1)
})

it('G5: leaves the file alone unless it is told to, and then keeps it beside itself', async () => {
  const shell = prepared()
  const [file, backup] = [join(shell.dir, 'old.jsonl'), join(shell.dir, 'old.jsonl.bak')]
  const lines = [
    await shell.type('sess migrate old.jsonl --to v3 --in-place -n'),
    await shell.type('sess migrate old.jsonl --to v3 --in-place --out x.jsonl'),
  ]
  expect([readFileSync(file, 'utf8'), existsSync(backup)]).toEqual([V1, false])
  lines.push(
    await shell.type('sess migrate old.jsonl --to v3 --in-place'),
    await shell.type('sess migrate old.jsonl --to v4 --in-place'),
  )
  expect(readFileSync(backup, 'utf8')).toBe(V1)
  renameSync(backup, file)
  lines.push(await shell.type('sess migrate old.jsonl --to v3 --in-place --json'))
  expect(lines.join('')).toMatchInlineSnapshot()
  expect(readFileSync(join(shell.dir, 'old.jsonl.bak'), 'utf8')).toBe(V1)
  expect(readFileSync(join(shell.dir, 'old.jsonl'), 'utf8')).toContain('"role":"custom"')
  expect(statSync(join(shell.dir, 'old.jsonl')).mode & 0o777).toBe(0o600)
})

it('says where no way leads, what was damaged, and what has no place', async () => {
  const shell = prepared()
  const edit = { type: 'context_edit', id: 'b', parentId: 'a', targetId: 'a', replacement: null }
  const lines = [
    { type: 'session', version: 3, id: 's' },
    { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'a' } },
    edit,
  ].map((line) => JSON.stringify(line))
  const [header, ...said] = lines
  writeFileSync(join(shell.dir, 'damaged.jsonl'), `${header}\n${said.join('')}\n{torn`)
  expect(
    [
      await shell.type('sess migrate sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl --to v3'),
      await shell.type('sess migrate damaged.jsonl --to v2'),
      await shell.type('sess migrate damaged.jsonl --to v4'),
      await shell.type('sess migrate nothing.jsonl --to v4'),
      await shell.type('sess migrate old.jsonl'),
      await shell.type('sess migrate old.jsonl --to v9'),
    ].join(''),
  ).toMatchInlineSnapshot()
})

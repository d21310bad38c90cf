import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Io } from '../../src/cli/io.ts'
import type { OutputStream } from '../../src/cli/platform.ts'
import { WRITABLE } from '../../src/formats/writable.ts'
import { Shell } from '../support/shell.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

it('fills no line up beyond a width that screens have, whatever is asked for', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const diff = (COLUMNS: string) => shell.run('sess diff 3b1f c7d0', { variables: { COLUMNS } })
  const widest = await diff('1000')
  expect(widest.code).toBe(0)
  for (const columns of ['1e9', 'Infinity']) expect(await diff(columns)).toEqual(widest)
  expect(await diff('-1')).toEqual(await diff('40'))
  expect(await diff('wide')).toEqual(await diff('100'))
})

it('exports bytes as they are to a pipe, and nothing that steers a terminal to one', async () => {
  const shell = new Shell()
  const text = 'a\u001b]52;c;aGk=\u0007\u009b31m\u202eb\u2066\nnext'
  const lines = claudeLines('steers', asked('u1', null, text), answered('a1', 'u1', text))
  // JSON may hold C1 and bidirectional controls as they are.
  const file = lines
    .join('')
    .replaceAll(/\\u009b|\\u202e|\\u2066/g, (escape) => JSON.parse(`"${escape}"`) as string)
  writeFileSync(shell.path('steers.jsonl'), file)
  await shell.run('sess import steers.jsonl')
  expect((await shell.run('sess export steers')).stdout).toBe(file)
  for (const format of [
    '',
    ...['markdown', 'html', ...WRITABLE.map(({ name }) => name)].map((name) => ` --format ${name}`),
  ]) {
    const { code, stdout } = await shell.run(`sess export steers${format}`, { terminal: true })
    // oxlint-disable-next-line no-control-regex
    expect([format, code, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.exec(stdout)]).toEqual([
      format,
      0,
      null,
    ])
    expect(stdout).toContain('next')
  }
})

it('prints a large value in pieces: its JSON may be longer than a string can be', async () => {
  const value = Array.from({ length: 30 }, () => 'x'.repeat(100_000))
  const lengths: number[] = []
  const stdout: OutputStream = {
    write: (chunk, done) => {
      lengths.push(chunk.length)
      done()
      return true
    },
  }
  const platform = new Shell({ samples: false }).platform({}, stdout, stdout)
  const io = new Io(platform, { json: true, color: () => 'never' })
  await io.data(value)
  await io.flush()
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(JSON.stringify(value).length + 1)
  expect(Math.max(...lengths)).toBeLessThan(200_000)
})

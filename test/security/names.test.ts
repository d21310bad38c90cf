import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WRITABLE } from '../../src/formats/writable.ts'
import { plainFileName } from '../../src/model/paths.ts'
import { sessionPath } from '../../src/sources/sessionfolders.ts'
import { sampled } from '../support/amount.ts'
import { ANY_CHARACTER } from '../support/characters.ts'
import { Shell } from '../support/shell.ts'

/** Names that lead elsewhere, end early, hide what they are, or are too long for a file. */
const NAMES = [
  '../../../../etc/passwd',
  '/etc/passwd',
  '..',
  '.',
  'a/../../b',
  '..\\..\\windows',
  'C:\\windows\\system32',
  'nul\u0000.jsonl',
  '\u001b[2J\u001b]0;x\u0007',
  'line\nbreak\r',
  '\u202etxt.exe',
  '-rf',
  '--out=/etc/passwd',
  '$(touch owned)',
  '`touch owned`; touch owned',
  '__proto__',
  'constructor',
  '@',
  '~',
  'HEAD',
  '%2e%2e%2f',
  'half \ud800 pair',
  'x'.repeat(10_000),
  '字'.repeat(3_000),
]

const machine = { home: '/home/ada', variables: {}, cwd: '/home/ada/tides' }

describe('the place of an export', () => {
  const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: ANY_CHARACTER, maxLength: 40 }))

  it.each(sampled(WRITABLE, 6))('lies below the folder of its agent: $name', ({ name: format, writer }) => {
    fc.assert(
      fc.property(name, name, fc.integer({ min: 0, max: 4e12 }), (id, cwd, created) => {
        const place = writer.place({ id, cwd, created }).map(plainFileName)
        for (const part of place) {
          expect(part).not.toMatch(/[/\0]/)
          expect(['', '.', '..']).not.toContain(part)
          expect(Buffer.byteLength(part)).toBeLessThan(256)
        }
        const path = sessionPath(machine, format, place)
        if (path === undefined) return
        expect(path).toBe(resolve(path))
        expect(path.startsWith(`/home/ada${sep}`)).toBe(true)
      }),
    )
  })
})

const session = (id: string): string =>
  [
    { type: 'user', uuid: id, message: { role: 'user', content: id } },
    {
      type: 'assistant',
      uuid: `${id}2`,
      parentUuid: id,
      message: { id, role: 'assistant', content: [{ type: 'tool_use', id, name: id, input: {} }] },
    },
    { type: 'ai-title', aiTitle: id },
    { type: 'custom-title', customTitle: id },
  ]
    .map(
      (line) =>
        `${JSON.stringify({ sessionId: id, cwd: id, timestamp: '2026-01-01T00:00:00.000Z', ...line })}\n`,
    )
    .join('')

describe('a name from a transcript', () => {
  it('is a name and nothing else, whatever it says', async () => {
    const shell = new Shell({ samples: false })
    mkdirSync(shell.path('in'))
    for (const [i, name] of NAMES.entries()) writeFileSync(shell.path('in', `${i}.jsonl`), session(name))
    await shell.run('sess init')
    expect((await shell.run('sess import in')).code).toBe(0)
    const { stdout } = await shell.run('sess ls --json -n 100')
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids.length).toBe(NAMES.length)
    const before = readdirSync(shell.dir).toSorted()
    for (const id of ids) {
      for (const argv of [
        ['label', 'here', '--session', id],
        ['branch', id, 'try'],
        ['rename', '--', id, id],
        ['export', '--format', 'codex', '--to-agent', '--', id],
        ['export', '--to-agent', '--', id],
      ]) {
        const { code, output } = await shell.main(argv)
        expect([argv[0], id.slice(0, 20), code === 70, output.includes('owned') && code > 1]).toEqual([
          argv[0],
          id.slice(0, 20),
          false,
          false,
        ])
      }
    }
    const after = readdirSync(shell.dir).filter((name) => !before.includes(name))
    expect(after.filter((name) => name !== '.codex' && name !== '.claude')).toEqual([])
    for (const place of ['owned', join('in', 'owned'), '../owned', '../etc'])
      expect(existsSync(shell.path(place))).toBe(false)
    expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
  })
})

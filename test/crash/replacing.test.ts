import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALL } from '../support/amount.ts'
import { built, script } from '../support/built.ts'
import { newFolder } from '../support/folder.ts'

const build = built()

const V1 = [
  '{"type":"session","id":"s","timestamp":"2025-12-01T10:00:00.000Z","cwd":"/home/ada"}',
  '{"type":"message","timestamp":"2025-12-01T10:00:01.000Z","message":{"role":"user","content":"Tea."}}',
  '',
].join('\n')

/** Runs a command, killed at a step; tells whether it was. */
function isKilled(at: number, home: string, argv: readonly string[]): boolean {
  const env = { PATH: process.env.PATH, HOME: home, SESS_STORE: join(home, 'store') }
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    [script('killed.mjs'), build, `${at}`, ...argv],
    {
      cwd: home,
      env,
      encoding: 'utf8',
    },
  )
  if (signal === null && status !== 0) throw new Error(stderr)
  return signal === 'SIGKILL'
}

const NEVER = 1e9

/** Kills a command at each step in turn, without volume at every 13th, and expects that it can be repeated. */
function expectRepeated(
  prepare: () => string,
  argv: readonly string[],
  check: (home: string) => void,
): number {
  for (let at = 0; ; at += ALL ? 1 : 13) {
    const home = prepare()
    if (!isKilled(at, home, argv)) return at
    try {
      check(home)
      isKilled(NEVER, home, argv)
      check(home)
      expect(readdirSync(home).filter((name) => name.endsWith('.sess-tmp'))).toEqual([])
    } catch (error) {
      throw new Error(`killed at step ${at}`, { cause: error })
    }
  }
}

describe('a command that is killed at each step while it replaces a file', () => {
  it('migrate --in-place leaves the file or its successor, with a whole copy, and can be repeated', {
    timeout: 300_000,
  }, () => {
    const whole = newFolder()
    writeFileSync(join(whole, 'old.jsonl'), V1)
    isKilled(NEVER, whole, ['migrate', 'old.jsonl', '--to', 'v3', '--in-place'])
    const migrated = readFileSync(join(whole, 'old.jsonl'), 'utf8')
    const prepare = (): string => {
      const home = newFolder()
      writeFileSync(join(home, 'old.jsonl'), V1)
      return home
    }
    const steps = expectRepeated(prepare, ['migrate', 'old.jsonl', '--to', 'v3', '--in-place'], (home) => {
      const now = readFileSync(join(home, 'old.jsonl'), 'utf8')
      expect([V1, migrated]).toContain(now)
      const backup = join(home, 'old.jsonl.bak')
      if (now === migrated || existsSync(backup)) expect(readFileSync(backup, 'utf8')).toBe(V1)
    })
    expect(steps).toBeGreaterThan(8)
  })

  it('export --force leaves the former file or the new one, and can be repeated', {
    timeout: 300_000,
  }, () => {
    const made = newFolder()
    writeFileSync(join(made, 'one.jsonl'), V1)
    isKilled(NEVER, made, ['import', 'one.jsonl'])
    const prepare = (): string => {
      const home = newFolder()
      cpSync(join(made, 'store'), join(home, 'store'), { recursive: true })
      writeFileSync(join(home, 'out.jsonl'), 'former')
      return home
    }
    const argv = ['export', 's', '--out', 'out.jsonl', '--force']
    const whole = prepare()
    isKilled(NEVER, whole, argv)
    const exported = readFileSync(join(whole, 'out.jsonl'), 'utf8')
    expect(exported).toBe(V1)
    expectRepeated(prepare, argv, (home) => {
      expect(['former', exported]).toContain(readFileSync(join(home, 'out.jsonl'), 'utf8'))
    })
  })

  it("never takes a user's own file for a leftover, nor writes through a link", () => {
    const home = newFolder()
    writeFileSync(join(home, 'old.jsonl'), V1)
    writeFileSync(join(home, 'old.jsonl.new'), 'mine')
    writeFileSync(join(home, `old.jsonl.${process.pid}-0123456789abcdef.sess-tmp`), 'of a process that runs')
    isKilled(NEVER, home, ['migrate', 'old.jsonl', '--to', 'v3', '--in-place'])
    expect(readFileSync(join(home, 'old.jsonl.new'), 'utf8')).toBe('mine')
    expect(readdirSync(home)).toContain(`old.jsonl.${process.pid}-0123456789abcdef.sess-tmp`)
    writeFileSync(join(home, 'other.jsonl'), V1)
    for (const make of [
      () => writeFileSync(join(home, 'other.jsonl.bak'), 'mine'),
      () => symlinkSync(join(home, 'nowhere'), join(home, 'third.jsonl.bak')),
    ])
      make()
    writeFileSync(join(home, 'third.jsonl'), V1)
    for (const name of ['other.jsonl', 'third.jsonl'])
      expect(() => isKilled(NEVER, home, ['migrate', name, '--to', 'v3', '--in-place'])).toThrow(
        'exists already',
      )
    symlinkSync('third.jsonl', join(home, 'link.jsonl'))
    expect(() => isKilled(NEVER, home, ['migrate', 'link.jsonl', '--to', 'v3', '--in-place'])).toThrow(
      'it is a symbolic link',
    )
    expect(existsSync(join(home, 'link.jsonl.bak'))).toBe(false)
    expect(readFileSync(join(home, 'other.jsonl.bak'), 'utf8')).toBe('mine')
    expect(existsSync(join(home, 'nowhere'))).toBe(false)
  })
})

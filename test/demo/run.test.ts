import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

it('does the main job on the samples and leaves nothing behind', () => {
  expect(existsSync(join(root, 'dist/bin/sess.cjs')), "type 'npm run build' first").toBe(true)
  const temp = mkdtempSync(join(tmpdir(), 'sess-demo-test-'))
  // The folder of sockets stays: several stores of a user share it.
  const runtime = mkdtempSync(join(tmpdir(), 'sess-demo-runtime-'))
  onTestFinished(() => {
    for (const folder of [temp, runtime]) rmSync(folder, { recursive: true })
  })
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'test/demo/run.mjs')], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temp, XDG_RUNTIME_DIR: runtime, HOME: temp, NO_COLOR: '1' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const commands = [...stdout.matchAll(/^\$ sess ([a-z-]+)/gm)].map(([, command]) => command)
  expect(new Set(commands)).toEqual(
    new Set([
      'import',
      'ls',
      'log',
      'branch',
      'diff',
      'merge-base',
      'fork',
      'context',
      'export',
      'stats',
      'fsck',
    ]),
  )
  expect(stdout).toContain('| sess append')
  expect(stdout).toContain('5 of 5 files come back byte for byte\n')
  expect(stdout).toContain('\nidentical\n')
  expect(stdout).toContain('nothing new')
  expect(stdout).toContain('all is well')
  const [, percent] = stdout.match(/^store .*\((\d+)% of the sources\)$/m) ?? []
  expect(Number(percent)).toBeLessThan(100)
  expect(readdirSync(temp)).toEqual([])
})

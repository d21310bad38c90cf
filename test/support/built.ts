import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Compiles src for child processes, half a second, and gives the folder; it is removed after the tests of the file.
 * Not `dist`, which may be old, or be replaced while the tests run. Below node_modules, so that packages are found.
 */
export function built(): string {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'sess-'))
  const flags = ['--noCheck', '--declaration', 'false', '--outDir', dir]
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', root, ...flags], { stdio: 'inherit' })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Returns the path of a script in this folder. */
export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

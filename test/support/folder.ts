import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

const made: string[] = []

/** Makes an empty folder that is removed after the test. */
export function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sess-test-'))
  made.push(dir)
  return dir
}

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
  // The whole corpus written as files is tens of thousands of them.
}, 600_000)

/** Returns the files below a folder that match, by their paths from there. */
export const filesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name))

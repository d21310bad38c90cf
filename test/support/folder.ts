import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterTest } from './cleanup.ts'

/** Makes an empty folder that is removed after the test. */
export function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sess-test-'))
  afterTest(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Returns the files below a folder that match, by their paths from there. */
export const filesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name))

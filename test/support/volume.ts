import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const run = (program: string, ...words: readonly string[]): boolean => spawnSync(program, words).status === 0

/** Makes a file system of its own in memory, of so many bytes, or gives undefined where this machine allows none. */
export function newVolume(bytes: number): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'sess-volume-'))
  const mounted = run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', dir)
  afterAll(() => {
    if (mounted) run('umount', '-l', dir)
    rmdirSync(dir)
  })
  return mounted ? dir : undefined
}

/** Lets nobody write to a file system of `newVolume` any more, or again. */
export const writable = (volume: string, isWritable: boolean): boolean =>
  run('mount', '-o', `remount,${isWritable ? 'rw' : 'ro'}`, volume)

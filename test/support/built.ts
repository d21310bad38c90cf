import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly build: string
  }
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Compiles src for child processes, once for all tests, and returns what removes it again. Not into `dist`, which may be
 * old, or be replaced while the tests run. Below node_modules, so that packages are found.
 */
export function setup({ provide }: TestProject): () => void {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'sess-'))
  const flags = ['--noCheck', '--declaration', 'false', '--outDir', dir]
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', root, ...flags], { stdio: 'inherit' })
  provide('build', dir)
  return () => rmSync(dir, { recursive: true, force: true })
}

/** Returns the folder with src compiled for child processes. */
export const built = (): string => inject('build')

/** Returns the path of a script in this folder. */
export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

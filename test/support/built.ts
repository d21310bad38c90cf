import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly build: string
  }
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The modules of src that tests name, as files that the compiler would write. */
function modulesInTests(): Record<string, string> {
  const folder = join(root, 'test')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts = files.flatMap((path) =>
    /\.m?[jt]s$/.test(path) ? [readFileSync(join(folder, path), 'utf8')] : [],
  )
  const named = [...texts, readFileSync(join(root, 'package.json'), 'utf8')].flatMap((text) =>
    Array.from(text.matchAll(/[\w-]+(?:\/[\w-]+)*(?=\.js\b)/g), ([name]) => name.replace(/^dist\//, '')),
  )
  const entries = [...new Set(named), ...THREADS].map((name) => [name, join(root, `src/${name}.ts`)] as const)
  return Object.fromEntries(entries.filter(([, path]) => existsSync(path)))
}

/** The modules that src itself starts as threads. */
const THREADS = ['compat/pi/worker']

/** Has a module find files beside it as if it had a file of its own in the folder `dir`. */
const ownUrl = (dir: string): Plugin => ({
  name: 'own-url',
  transform: (code, id) =>
    code.includes('import.meta.url') && id.startsWith(join(root, 'src'))
      ? code.replaceAll(
          'import.meta.url',
          JSON.stringify(pathToFileURL(join(dir, relative(join(root, 'src'), id))).href),
        )
      : undefined,
})

/**
 * Compiles src for child processes, once for all tests, and returns what removes it again. Modules are joined into few
 * files: a child would take half a second to load a thousand. Not into `dist`, which may be old, or be replaced while the
 * tests run. Below node_modules, so that packages are found.
 */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'sess-'))
  const bundle = await rolldown({
    cwd: root,
    input: modulesInTests(),
    platform: 'node',
    external: /^[^./]/,
    plugins: [ownUrl(dir)],
  })
  await bundle.write({ dir, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' })
  await bundle.close()
  provide('build', dir)
  return () => rmSync(dir, { recursive: true, force: true })
}

/** Returns the folder with src compiled for child processes. */
export const built = (): string => inject('build')

/** Returns the path of a script in this folder. */
export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

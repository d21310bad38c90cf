import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { newFolder } from '../support/folder.ts'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** Returns what a module loads when it is loaded: what it imports for more than types, and what that imports. */
function loadedBy(entry: string): Set<string> {
  const found = new Set<string>()
  const open = [entry]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue
    found.add(path)
    if (!path.endsWith('.ts')) continue
    const { staticImports, staticExports } = parseSync(path, readFileSync(src + path, 'utf8')).module
    const names = [
      ...staticImports.filter(({ entries }) => entries.length === 0 || entries.some((e) => !e.isType)),
      ...staticExports.flatMap(({ entries }) => entries.filter((e) => e.moduleRequest && !e.isType)),
    ].map((statement) => statement.moduleRequest?.value ?? '')
    for (const name of names) open.push(name.startsWith('.') ? posix.join(posix.dirname(path), name) : name)
  }
  return found
}

const rooms = (entry: string): string[] => [
  ...new Set(
    [...loadedBy(entry)].map((path) => (path.endsWith('.ts') ? path.split('/')[0] : path) as string),
  ),
]

it('loads no store and no command before one is asked for', () => {
  expect(rooms('cli/main.ts').sort()).toEqual([
    'cli',
    'commander',
    'get-east-asian-width',
    'model',
    'node:crypto',
    'node:fs',
    'node:os',
    'node:path',
    'picocolors',
    'repo',
    'storage',
    'text',
    'verbs',
  ])
  expect(
    [...loadedBy('cli/main.ts')]
      .filter((path) => /^repo|^files|^sources|^storage|commands/.test(path))
      .sort(),
  ).toEqual([
    'cli/commands/index.ts',
    'repo/config.ts',
    'repo/env.ts',
    'repo/environment.ts',
    'repo/location.ts',
    // The files of a store are read with care, whether its settings or its database.
    'storage/directory/files.ts',
    'storage/directory/processname.ts',
    'storage/directory/safefile.ts',
    'storage/ioerrors.ts',
  ])
})

it.each(['branch', 'ls'])('loads no format for %s', (name) => {
  expect([...loadedBy(`cli/commands/${name}.ts`)].filter((path) => path.startsWith('formats/'))).toEqual([])
})

it('sees what is loaded', () => {
  expect(loadedBy('ops/import/import.ts')).toContain('formats/claude-code/read.ts')
})

it('loads no server of Node and no terminal for a command that reads', () => {
  const program = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))
  const probe = `process.on('exit', () => console.error(JSON.stringify(process.moduleLoadList)))
process.argv.splice(1, 0, ${JSON.stringify(program)})
require(process.argv[1])`
  const home = newFolder()
  const { stderr } = spawnSync(process.execPath, ['-e', probe, '--', 'ls'], {
    env: { HOME: home, SESS_STORE: `${home}/store` },
    encoding: 'utf8',
  })
  const parts = JSON.parse(stderr.slice(stderr.lastIndexOf('\n[') + 1)) as string[]
  expect(parts).toContain('NativeModule zlib')
  expect(parts.filter((part) => /^NativeModule (http2?|https|tls|tty)$/.test(part))).toEqual([])
})

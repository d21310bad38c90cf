import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importCycles } from './support/cycles.ts'
import { BESIDE_VERBS, brokenFloors, OPENS } from './support/floors.ts'
import { importsOf } from './support/imports.ts'

const src = fileURLToPath(new URL('../src/', import.meta.url))
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
const read = (path: string): string => readFileSync(src + path, 'utf8')

describe('the floors of src', () => {
  it('hold in every file', () => {
    expect(sources).toContain('model/encoding/sha256.ts')
    expect(sources.flatMap((path) => brokenFloors(path, read(path)))).toEqual([])
  })

  it('are read from real imports', () => {
    expect(
      importsOf('model/encoding/sha256.ts', read('model/encoding/sha256.ts')).map(
        ({ specifier }) => specifier,
      ),
    ).toEqual(['@noble/hashes/sha2.js', './oid.ts', 'node:crypto'])
  })

  it.each([
    ['model/encoding/entry.ts', "import { walk } from '../../graph/walk.ts'", 'model may not import graph'],
    ['model/encoding/entry.ts', "import { readFileSync } from 'node:fs'", 'node:fs does not enter model'],
    ['model/encoding/entry.ts', "import { readFileSync } from 'fs'", 'fs does not enter model'],
    [
      'model/encoding/entry.ts',
      "import { sha256 } from '@noble/hashes/sha2.js'",
      '@noble/hashes enters only model/encoding/sha256.ts',
    ],
    [
      'model/encoding/entry.ts',
      "process.getBuiltinModule?.('node:crypto')",
      'node:crypto enters only model/encoding/sha256.ts',
    ],
    ['model/encoding/sha256.ts', "process['getBuiltinModule']('node:fs')", 'node:fs does not enter model'],
    [
      'model/encoding/sha256.ts',
      "import { encode } from 'cbor-x'",
      'cbor-x enters only model/encoding/canonical.ts',
    ],
    ['graph/walk.ts', "import { open } from '../storage/level.ts'", 'graph may not import storage'],
    ['graph/walk.ts', "import '../repo/repo.ts'", 'graph may not import repo'],
    [
      'formats/pi/read.ts',
      "export { files } from '../../sources/files.ts'",
      'formats may not import sources',
    ],
    ['formats/pi/read.ts', "import type { Walk } from '../../graph/walk.ts'", 'formats may not import graph'],
    ['sources/files.ts', "import { pi } from '../formats/pi.ts'", 'sources may not import formats'],
    ['storage/level.ts', "import * as graph from '../graph/walk.ts'", 'storage may not import graph'],
    ['storage/level.ts', "import { MemoryLevel } from 'memory-level'", 'memory-level does not enter storage'],
    ['repo/repo.ts', "import { Level } from 'level'", 'level does not enter repo'],
    ['repo/repo.ts', "const { Level } = await import('level')", 'level does not enter repo'],
    ['repo/repo.ts', "import { log } from '../ops/log.ts'", 'repo may not import ops'],
    ['ops/log.ts', "export * from '../storage/level.ts'", 'ops may not import storage'],
    ['ops/log.ts', "import { stdout } from 'node:process'", 'node:process does not enter ops'],
    ['ops/log.ts', "type Main = import('../cli/main.ts').Main", 'ops may not import cli'],
    ['ops/log.ts', "type Main = typeof import('../cli/main.ts')", 'ops may not import cli'],
    ['ops/log.ts', "import { openStore } from '../index.ts'", 'nothing inside src imports index.ts'],
    ['ops/log.ts', "import { version } from '../../package.json'", 'it lies outside src'],
    ['ops/log.ts', "import { Store } from '../library/store.ts'", 'ops may not import library'],
    ['library/store.ts', "import { open } from '../storage/level.ts'", 'library may not import storage'],
    ['library/store.ts', "import { dirname } from 'node:path'", 'node:path does not enter library'],
    ['library/store.ts', "import { label } from '../ops/label.ts'", 'library may not import ops'],
    ['library/store.ts', "import type { Repo } from '../repo/repo.ts'", 'library may not import repo'],
    ['library/pages.ts', "import { watch } from '../ops/watch.ts'", 'library may not import ops'],
    ['library/store.ts', "import { scan } from '../ops/secrets/scan.ts'", 'library may not import ops'],
    ['mcp/answer.ts', "import { styled } from '../text/text.ts'", 'mcp may not import text'],
    ['index.ts', "export { log } from './ops/log.ts'", 'index.ts may not import ops'],
    ['compat/pi.ts', "import { render } from '../cli/render.ts'", 'compat may not import cli'],
    ['compat/pi-v4/load.ts', "import { Repo } from '../../repo/repo.ts'", 'compat may not import repo'],
    [
      'compat/pi-v4/load.ts',
      "import { append } from '../../ops/append/append.ts'",
      'compat may not import ops',
    ],
    [
      'compat/dash/file.ts',
      "import { ENTRIES } from '../../formats/pi/entries.ts'",
      'compat may not import formats',
    ],
    [
      'compat/core/tree.ts',
      "import { blocksOf } from '../../formats/core/views.ts'",
      'compat may not import formats',
    ],
    ['cli/commands/log.ts', "import { open } from '../../storage/level.ts'", 'cli may not import storage'],
    ['cli/main.ts', "import { serve } from '../rest/serve.ts'", 'cli may not import rest'],
    ['cli/main.ts', "import { log } from '../ops/log.ts'", 'cli may not import ops'],
    ['cli/main.ts', "import type { Repo } from '../repo/repo.ts'", 'cli may not import repo'],
    ['verbs/log.ts', "import type { Repo } from '../repo/repo.ts'", 'verbs may not import repo'],
    ['verbs/log.ts', "import { styled } from '../text/text.ts'", 'verbs may not import text'],
    ['text/entry.ts', "import { log } from '../ops/log.ts'", 'text may not import ops'],
    ['cli/main.ts', "const chalk = require('chalk')", 'chalk does not enter cli'],
    ['index.ts', "export { main } from './cli/main.ts'", 'index.ts may not import cli'],
    ['web/page.ts', "import { log } from '../ops/log.ts'", 'web may not import ops'],
  ])('refuse in %s: %s', (path, text, reason) => {
    const broken = brokenFloors(path, `\n${text}\n`)
    expect(broken.map((line) => line.replace(/'.*'/, '…'))).toEqual([`${path}:2: imports …, but ${reason}`])
  })

  it('refuse an import that nobody can check, and a folder that is no floor', () => {
    expect(brokenFloors('cli/main.ts', 'await import(`../storage/${name}.ts`)')).toEqual([
      'cli/main.ts:1: a computed import cannot be checked',
    ])
    expect(brokenFloors('utils/misc.ts', '')).toEqual(["utils/misc.ts: 'utils' is no floor"])
  })

  it('have exceptions only where they are needed', () => {
    expect(OPENS.filter((path) => !/'\.\.\/repo\//.test(read(path)))).toEqual([])
    const unused = Object.entries(BESIDE_VERBS).flatMap(([path, modules]) =>
      modules.filter((module) => !read(path).includes(`'../${module}'`)),
    )
    expect(unused).toEqual([])
  })

  it('take only types into the types of the library and of verbs', () => {
    const value = /^(?:import|export) (?!type )[^']*from '/m
    expect("export type { A } from './a.ts'\nexport { b } from './b.ts'").toMatch(value)
    expect(['library/types.ts', 'verbs/types.ts'].filter((path) => value.test(read(path)))).toEqual([])
  })

  it('take only types of verbs into text', () => {
    const text = sources.filter((path) => path.startsWith('text/'))
    expect(text.filter((path) => /^import (?!type )[^']*from '\.\.\/verbs\//m.test(read(path)))).toEqual([])
  })

  it('take only types of verbs into web', () => {
    const web = sources.filter((path) => path.startsWith('web/'))
    expect(web.length).toBeGreaterThan(20)
    expect(web.filter((path) => /^import (?!type )[^']*from '(?:\.\.\/)+verbs\//m.test(read(path)))).toEqual(
      [],
    )
  })

  it('allow what the table allows', () => {
    const text = [
      "import { readFile } from 'node:fs/promises'",
      "import type { Entry } from '../model/entry.ts'",
      'import {',
      '  log, // and more',
      '  type Log,',
      "} from '../verbs/log.ts'",
      "import { Command } from 'commander'",
      "// import { open } from '../storage/level.ts'",
      "const text = `import '../storage/level.ts'`",
      "export { render } from './render.ts'",
    ].join('\n')
    expect(brokenFloors('cli/main.ts', text)).toEqual([])
    expect(importsOf('cli/main.ts', text)).toEqual([
      { line: 1, specifier: 'node:fs/promises' },
      { line: 2, specifier: '../model/entry.ts' },
      { line: 3, specifier: '../verbs/log.ts' },
      { line: 7, specifier: 'commander' },
      { line: 10, specifier: './render.ts' },
    ])
  })
})

/** The names that a file imports from modules whose specifiers match. */
const namesFrom = (text: string, module: RegExp): string[] =>
  [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']*)'/gm)].flatMap(
    ([, names = '', specifier = '']) =>
      module.test(specifier) ? names.split(',').flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []) : [],
  )

/** The modules of src that a file imports. */
const importedBy = (path: string): string[] =>
  importsOf(path, read(path)).flatMap(({ specifier }) =>
    specifier?.startsWith('.') ? posix.join(posix.dirname(path), specifier) : [],
  )

describe('the modules of src', () => {
  const imports = new Map(sources.map((path) => [path, importedBy(path)]))

  it('import no module of storage above repo, types included', () => {
    const above = /^(?:ops|verbs|text|library|compat|cli|rest|tui|web)\/|^index\.ts$/
    const found = sources.filter(
      (path) => above.test(path) && imports.get(path)?.some((target) => target.startsWith('storage/')),
    )
    expect(found).toEqual([])
  })

  it('of compat use of the library only what the package exports', () => {
    const used = sources
      .filter((path) => path.startsWith('compat/'))
      .flatMap((path) => namesFrom(read(path), /\/library\/(?!types\.ts)/))
    expect(used).toContain('SessionStore')
    const index = read('index.ts')
    expect(index).toContain("export type * from './library/types.ts'")
    const exported = new Set(namesFrom(index.replaceAll('export {', 'import {'), /\/library\//))
    expect(used.filter((name) => !exported.has(name))).toEqual([])
  })

  it('re-export nothing of storage from repo', () => {
    const reexport = /^export (?:type )?(?:\*[^'{]*|\{[^}]*\} )from '[^']*\/storage\//m
    expect("export {\n  a,\n} from '../storage/a.ts'").toMatch(reexport)
    expect("export type * as b from '../../storage/b.ts'").toMatch(reexport)
    expect(sources.filter((path) => path.startsWith('repo/') && reexport.test(read(path)))).toEqual([])
  })

  it('name no row of storage above it', () => {
    // The rows of sources are those of databases, the rows of the command line those of a table on the screen.
    const above = /^(?:model|graph|formats|repo|ops|library|compat)\//
    expect(sources.filter((path) => above.test(path) && /\bRow\b/.test(read(path)))).toEqual([])
  })

  it('name no command of the command line outside it', () => {
    // Comments name commands in backticks.
    const command = /'sess (?!itself)[a-z]/
    expect("hint: `type 'sess ls' to see all`").toMatch(command)
    expect(sources.filter((path) => !path.startsWith('cli/') && command.test(read(path)))).toEqual([])
  })

  it('import each other in no cycle, types included', () => {
    expect(importCycles(imports)).toEqual([])
  })

  it('are in a cycle wherever one is', () => {
    const some = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a', 'e']],
      ['d', ['e']],
      ['e', ['f']],
      ['f', ['e']],
    ])
    expect(importCycles(some)).toEqual([
      ['a', 'b', 'c'],
      ['e', 'f'],
    ])
  })
})

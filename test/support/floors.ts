import { posix } from 'node:path'
import { importsOf } from './imports.ts'

/** The imports that are allowed in one folder of `src`, besides its own files. */
interface Floor {
  readonly floors: readonly string[]
  /** Whether `node:` modules enter here. */
  readonly node: boolean
  /** Packages that enter here: in the files named, or in all. */
  readonly packages: Readonly<Record<string, readonly string[] | 'everywhere'>>
}

const BELOW_INTERFACES = ['model', 'graph', 'formats', 'sources', 'files', 'repo', 'ops', 'library', 'compat']

/** The floors of the house: imports go down, rooms side by side have no doors between them. */
export const FLOORS: Readonly<Record<string, Floor>> = {
  model: {
    floors: [],
    node: false,
    packages: {
      '@noble/hashes': ['model/encoding/sha256.ts'],
      'node:crypto': ['model/encoding/sha256.ts'],
      'node:v8': ['model/pattern.ts'],
      'cbor-x': ['model/encoding/canonical.ts'],
    },
  },
  graph: { floors: ['model'], node: false, packages: {} },
  formats: { floors: ['model'], node: false, packages: {} },
  sources: {
    floors: ['model'],
    node: true,
    packages: {
      '@bokuweb/zstd-wasm': ['sources/zstd.ts'],
      '@secretlint/secretlint-rule-preset-recommend': ['sources/secretrules.ts'],
      'node-sqlite3-wasm': ['sources/sqlite.ts'],
    },
  },
  files: { floors: ['model', 'sources'], node: true, packages: {} },
  storage: {
    floors: ['model'],
    node: true,
    packages: { level: 'everywhere' },
  },
  repo: { floors: ['model', 'graph', 'storage'], node: true, packages: {} },
  ops: {
    floors: ['model', 'graph', 'formats', 'sources', 'files', 'repo'],
    node: false,
    packages: { 'node:v8': ['ops/import/readerstate.ts'] },
  },
  library: {
    floors: ['model', 'graph', 'formats', 'sources', 'files', 'repo', 'ops'],
    node: false,
    packages: {},
  },
  compat: {
    floors: ['model', 'graph', 'formats', 'sources', 'files', 'repo', 'ops', 'library'],
    node: true,
    packages: {},
  },
  cli: {
    floors: BELOW_INTERFACES,
    node: true,
    packages: {
      commander: 'everywhere',
      diff: ['cli/render/textdiff.ts'],
      'fastest-levenshtein': ['cli/suggest.ts'],
      'get-east-asian-width': ['cli/render/width.ts'],
      picocolors: ['cli/render/text.ts'],
    },
  },
  rest: { floors: BELOW_INTERFACES, node: true, packages: {} },
  tui: { floors: BELOW_INTERFACES, node: true, packages: {} },
  web: { floors: ['model'], node: false, packages: {} },
}

/** The public names stand above everything but the interfaces. */
const INDEX: Floor = { floors: ['model', 'sources', 'library'], node: false, packages: {} }

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function refusalInside(path: string, own: string, floor: Floor, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  if (target.startsWith('../')) return 'it lies outside src'
  if (target === 'index.ts') return 'nothing inside src imports index.ts'
  const room = target.split('/')[0] as string
  return room === own || floor.floors.includes(room) ? undefined : `${own} may not import ${room}`
}

function refusalOfPackage(path: string, own: string, floor: Floor, specifier: string): string | undefined {
  const builtin = specifier.startsWith('node:')
  if (builtin && floor.node) return undefined
  const name = builtin ? specifier : packageOf(specifier)
  const where = floor.packages[name]
  if (where === undefined) return `${name} does not enter ${own}`
  return where === 'everywhere' || where.includes(path)
    ? undefined
    : `${name} enters only ${where.join(', ')}`
}

/** Returns what is wrong with the imports of one file of `src`, a line for each; its path is relative to `src`. */
export function brokenFloors(path: string, text: string): string[] {
  const own = path === 'index.ts' ? path : (path.split('/')[0] as string)
  const floor = path === 'index.ts' ? INDEX : FLOORS[own]
  if (!floor) return [`${path}: '${own}' is no floor`]
  return importsOf(path, text).flatMap(({ line, specifier }) => {
    if (specifier === null) return [`${path}:${line}: a computed import cannot be checked`]
    const refusal = /^\.\.?\//.test(specifier)
      ? refusalInside(path, own, floor, specifier)
      : refusalOfPackage(path, own, floor, specifier)
    return refusal === undefined ? [] : [`${path}:${line}: imports '${specifier}', but ${refusal}`]
  })
}

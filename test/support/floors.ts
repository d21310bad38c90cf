import { posix } from 'node:path'
import { importsOf } from './imports.ts'

/** The imports that are allowed in one folder of `src`, besides its own files. */
interface Floor {
  readonly floors: readonly string[]
  /** Whether `node:` modules enter here. */
  readonly node: boolean
  /** Packages that enter here: in the files named, or in all. */
  readonly packages: Readonly<Record<string, readonly string[] | 'everywhere'>>
  /** The folder or file of another floor that each of its own folders may import. */
  readonly own?: Readonly<Record<string, string>>
}

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
    floors: ['model', 'graph', 'formats', 'sources', 'files', 'repo', 'page'],
    node: false,
    packages: { 'node:v8': ['ops/import/readerstate.ts'] },
  },
  live: { floors: ['model', 'sources', 'files', 'ops'], node: true, packages: {} },
  verbs: {
    floors: ['model', 'ops', 'live'],
    node: false,
    packages: { 'node:path': ['verbs/open.ts', 'verbs/surroundings.ts'] },
  },
  text: {
    floors: ['model', 'verbs'],
    node: false,
    packages: {
      diff: ['text/textdiff.ts'],
      'get-east-asian-width': ['text/width.ts'],
      picocolors: ['text/text.ts'],
    },
  },
  library: { floors: ['model', 'verbs'], node: false, packages: {} },
  compat: {
    floors: ['model', 'library'],
    node: true,
    packages: {},
    own: {
      dash: 'formats/dash.ts',
      'oh-my-pi': 'formats/oh-my-pi.ts',
      'pi-v4': 'formats/pi/',
      rollouts: 'formats/rollouts/',
    },
  },
  cli: {
    floors: ['model', 'verbs', 'text'],
    node: true,
    packages: {
      commander: 'everywhere',
      'fastest-levenshtein': ['cli/errors/suggest.ts'],
    },
  },
  rest: {
    floors: ['model', 'verbs'],
    node: true,
    packages: { hono: 'everywhere', '@hono/node-server': ['rest/server.ts'] },
  },
  tui: { floors: ['model', 'verbs', 'text'], node: true, packages: {} },
  mcp: {
    floors: ['model', 'verbs'],
    node: true,
    packages: { '@modelcontextprotocol/server': 'everywhere' },
  },
  start: { floors: ['model', 'verbs', 'cli', 'tui', 'mcp', 'rest'], node: true, packages: {} },
  page: { floors: ['model'], node: false, packages: { preact: 'everywhere', diff: 'everywhere' } },
  web: { floors: ['model', 'page', 'verbs'], node: false, packages: { preact: 'everywhere' } },
}

/** The public names stand above everything but the interfaces. */
const INDEX: Floor = { floors: ['model', 'sources', 'library'], node: false, packages: {} }

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** The files of verbs that open stores, and that find them and the settings. */
export const OPENS: readonly string[] = ['verbs/open.ts', 'verbs/surroundings.ts']

/**
 * The modules that the library imports besides verbs: what takes functions, yields bytes or calls handlers, which no verb
 * declares as data, and what a session needs that has no name yet.
 */
export const BESIDE_VERBS: Readonly<Record<string, readonly string[]>> = {
  // A file that is replaced is no part of a store.
  'library/outside.ts': ['files/replacefile.ts'],
  // Handlers of events are functions. A session is held by its id.
  'library/session.ts': ['ops/events.ts', 'ops/list.ts', 'ops/sessionids.ts'],
  // Units of work are functions; an import calls back with each file.
  'library/sessionstore.ts': ['ops/agentposition.ts', 'ops/import/import.ts', 'ops/sessionwork.ts'],
  // Agents are followed for good, and what moved is asked for by a number; the files and sessions of these have no verb.
  'library/store.ts': [
    'ops/append/append.ts',
    'ops/discover.ts',
    'ops/events.ts',
    'ops/export/destinations.ts',
    'ops/operations.ts',
    'ops/sessionids.ts',
    'ops/watch.ts',
  ],
  // The options and results of these.
  'library/types.ts': [
    'ops/agentposition.ts',
    'ops/append/append.ts',
    'ops/append/request.ts',
    'ops/discover.ts',
    'ops/events.ts',
    'ops/export/destinations.ts',
    'ops/import/filter.ts',
    'ops/import/import.ts',
    'ops/import/result.ts',
    'ops/operations.ts',
    'ops/sessionwork.ts',
    'ops/watch.ts',
  ],
}

/** Returns whether a file may import a module besides those of its floor. */
const isException = (path: string, room: string, target: string): boolean =>
  (room === 'repo' && OPENS.includes(path)) || (BESIDE_VERBS[path]?.includes(target) ?? false)

function refusalInside(path: string, own: string, floor: Floor, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  if (target.startsWith('../')) return 'it lies outside src'
  if (target === 'index.ts') return 'nothing inside src imports index.ts'
  const room = target.split('/')[0] as string
  const format = floor.own?.[path.split('/')[1] as string]
  const isAllowed = room === own || floor.floors.includes(room) || isException(path, room, target)
  return isAllowed || (format && target.startsWith(format)) ? undefined : `${own} may not import ${room}`
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

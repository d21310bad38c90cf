// Runs after the compiler: joins the command line and the packages that it uses into one file, and keeps what the engine
// made of that file beside it, for commands that read and for imports. A command then reads two files where it would look
// for 200 modules, and compiles nothing.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Finds the compiled part of LevelDB where it is installed, which need not be beside this package. Node's own resolution
 * takes 1 ms longer than a look into the nearest folders, where another version may be installed.
 */
const NATIVE = `const { dirname } = require('node:path')
const level = dirname(require.resolve('level'))
module.exports = require('node-gyp-build')(dirname(require.resolve('classic-level', { paths: [level] })))`
const native = {
  name: 'native',
  resolveId: (name, from) =>
    name === './binding' && from?.includes('classic-level') ? '\0native' : undefined,
  load: (id) => (id === '\0native' ? NATIVE : undefined),
}

/**
 * Packages that are resolved where they are installed, when a command needs them: they are large, or load a compiled part
 * from their own folder.
 */
const EXTERNAL = new Set([
  '@bokuweb/zstd-wasm',
  '@secretlint/secretlint-rule-preset-recommend',
  'node-sqlite3-wasm',
])
const external = {
  name: 'external',
  resolveId: (name) => (EXTERNAL.has(name) ? `\0external:${name}` : undefined),
  load: (id) =>
    id.startsWith('\0external:')
      ? `const { createRequire } = require('node:module')
module.exports = createRequire(__filename)('${id.slice('\0external:'.length)}')`
      : undefined,
}

/**
 * The package of `sess mcp`, and what is used of its parts: a bundle of its own, with what the engine made of it. Loaded
 * from its modules, it takes most of the time in which an agent waits for its tools.
 */
const MCP = {
  '@modelcontextprotocol/server': [
    'McpServer',
    'ResourceTemplate',
    'ResourceNotFoundError',
    'createMcpHandler',
    'fromJsonSchema',
  ],
  '@modelcontextprotocol/server/stdio': ['StdioServerTransport', 'serveStdio'],
  '@modelcontextprotocol/server/validators/cf-worker': ['CfWorkerJsonSchemaValidator'],
}
const mcpEntry = {
  name: 'mcp-entry',
  resolveId: (name) => (name === 'mcp-entry' ? '\0mcp-entry' : undefined),
  load: (id) =>
    id === '\0mcp-entry'
      ? Object.entries(MCP)
          .map(([name, parts]) => `export { ${parts.join(', ')} } from '${name}'`)
          .join('\n')
      : undefined,
}

/** Has that bundle loaded where the package is imported. The bundles have the `require` of `bin/load.js`. */
const mcp = {
  name: 'mcp',
  resolveId: (name, from) => {
    if (from === '\0mcp') return { id: './load.js', external: true }
    return Object.hasOwn(MCP, name) ? '\0mcp' : undefined
  },
  load: (id) =>
    id === '\0mcp'
      ? `const { load } = require('./load.js')
const file = __filename.replace(/sess.cjs$/, 'mcp.cjs')
module.exports = load(file, file + '.cache').exports`
      : undefined,
}

/**
 * Leaves out what takes milliseconds to load and is never used: what starts processes, of commander, for subcommands that
 * are programs of their own; of cbor-x the search for a compiled part that is not installed.
 */
const lean = {
  name: 'lean',
  resolveId: (name, from) =>
    (name === 'node:child_process' && from?.includes('commander')) || name === 'cbor-extract'
      ? '\0nothing'
      : undefined,
  load: (id) => (id === '\0nothing' ? 'module.exports = null' : undefined),
}

/**
 * Parts of node that take milliseconds to load: few commands use them, or LevelDB opens meanwhile. Packages name them
 * without `node:` too.
 */
const LATE = new Set([
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'http2',
  'module',
  'net',
  'stream',
  'stream/promises',
  'tty',
  'v8',
  'zlib',
])

/** Has such a part loaded when something of it is used: a bundle loads all parts at its beginning. */
const late = {
  name: 'late',
  resolveId: (name) => {
    const part = name.replace(/^node:/, '')
    return LATE.has(part) ? `\0late:${part}` : undefined
  },
  load: (id) => (id.startsWith('\0late:') ? lateModule(id.slice('\0late:'.length)) : undefined),
}

const lateModule = (name) => `let loaded
for (const part of ${JSON.stringify(Object.keys(process.getBuiltinModule(`node:${name}`)))})
  Object.defineProperty(exports, part, {
    enumerable: true,
    get: () => (loaded ??= process.getBuiltinModule('node:${name}'))[part],
  })`

/**
 * Has picocolors loaded when a text is first painted: it looks whether standard output is a terminal, for which Node makes
 * that stream, and a command makes it while LevelDB opens (2 ms).
 */
const latePackage = {
  name: 'late-package',
  resolveId: (name, from) =>
    name === 'picocolors' && from !== '\0late-package' ? '\0late-package' : undefined,
  load: (id) =>
    id === '\0late-package'
      ? "Object.defineProperty(exports, 'createColors', { get: () => require('picocolors').createColors })"
      : undefined,
}

/** The module that names all formats, and what it imports of each file. */
const REGISTRY = join(root, 'src/formats/registry.ts')
const formatParts = new Map(
  Array.from(
    readFileSync(REGISTRY, 'utf8').matchAll(/^import \{ (.*) \} from '([.][/].*)'$/gm),
    ([, parts, file]) => [join(REGISTRY, '..', file), parts.split(', ')],
  ),
)

/** Has the module of a format loaded when an entry of its dialect is first viewed: all of them take milliseconds. */
const lateFormats = {
  name: 'late-formats',
  resolveId: (name, from) =>
    from === REGISTRY && name.startsWith('./') ? `\0format:${join(REGISTRY, '..', name)}` : undefined,
  load: (id) => {
    const file = id.startsWith('\0format:') ? id.slice('\0format:'.length) : undefined
    return formatParts
      .get(file)
      ?.map(
        (part) =>
          `Object.defineProperty(exports, '${part}', { enumerable: true, get: () => require('${file}').${part} })`,
      )
      .join('\n')
  },
}

const bundle = await rolldown({
  input: join(root, 'src/start/main.ts'),
  platform: 'node',
  plugins: [native, external, mcp, lean, late, latePackage, lateFormats],
})

/** How a bundle is written that `bin/load.js` loads. */
const LOADED = {
  format: 'cjs',
  // The function that `bin/load.js` calls: put around the text there, it would have the engine copy all of it.
  postBanner: '(function (exports, require, module, __filename, __dirname) {',
  postFooter: '})',
  codeSplitting: false,
  // A file of other characters takes ten times as long to read.
  charset: 'ascii',
  minify: true,
  comments: { legal: false },
}
const { output } = await bundle.write({ file: join(root, 'dist/bin/sess.cjs'), ...LOADED })

const tools = await rolldown({ input: 'mcp-entry', platform: 'node', plugins: [mcpEntry] })
const { output: toolOutput } = await tools.write({ file: join(root, 'dist/bin/mcp.cjs'), ...LOADED })

/** What agents call and wait for: a file of its own, which loads nothing of the rest. */
const short = await rolldown({ input: join(root, 'src/live/short.ts'), platform: 'node' })
await short.write({ file: join(root, 'dist/bin/short.cjs'), format: 'cjs', minify: true })

// The minifier escapes the characters of all texts but those of raw templates.
for (const { code } of [output[0], toolOutput[0]]) {
  const [, other] = /(.{0,40}[^\0-\x7f])/.exec(code) ?? []
  if (other) throw new Error(`the bundle is read as ASCII, and has another character: ${other}`)
}

/** The messages of an agent that looks for its tools and calls one. */
const ASKED = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
  { id: 3, method: 'tools/call', params: { name: 'sessions', arguments: {} } },
  { id: 4, method: 'tools/call', params: { name: 'search', arguments: { query: 'table' } } },
]
const input = ASKED.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')

for (const commands of ['read', 'import', 'mcp']) {
  const { status, error } = spawnSync(process.execPath, [join(root, '.ci/compile.mjs'), commands], {
    input,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  if (error || status !== 0) throw error ?? new Error('the bundle does not run')
}

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'sess-package-'))
const installed = join(dir, 'node_modules/sess')
const env = { ...process.env, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir, NO_COLOR: '1' }
const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: dir, env, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] })

/** Milliseconds for a build, or for programs that are started, on a slow and busy machine. */
const SLOW = 600_000

/** Whether packing left the manifest of the source as it was. */
let restored = false

/** Packs a fresh build of the package as `npm pack` does, and installs it into a project of its own. */
beforeAll(() => {
  const source = join(dir, 'source')
  mkdirSync(source)
  for (const name of [
    'package.json',
    'README.md',
    'LICENSE',
    'tsconfig.json',
    'src',
    'bin',
    '.ci',
    'test/conformance',
    'test/demo',
  ])
    cpSync(join(root, name), join(source, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  const manifest = readFileSync(join(source, 'package.json'), 'utf8')
  execFileSync('npm', ['pack', '--silent', '--pack-destination', dir], { cwd: source, env, stdio: 'ignore' })
  restored = readFileSync(join(source, 'package.json'), 'utf8') === manifest
  mkdirSync(installed, { recursive: true })
  run('tar', '-xzf', join(dir, 'sess-0.1.0.tgz'), '-C', installed, '--strip-components=1')
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(dir, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name))
  }
  writeFileSync(join(dir, 'package.json'), '{"name":"consumer","type":"module"}')
}, SLOW)

afterAll(() => rmSync(dir, { recursive: true, force: true }))

const PROGRAM = `
import { openStore, type Oid, SessError } from 'sess'
import { conformance, type Open } from 'sess/conformance'
import { SessionTree } from 'sess/dash'
import { SessionManager } from 'sess/oh-my-pi'
import { createSessionRepository } from 'sess/pi-v4'
import { loadMessages } from 'sess/rollouts'
const store = await openStore('store', { create: true })
const session = await store.createSession({ title: 'packed' })
const first: Oid = await session.append({ body: { role: 'user', content: 'hello' } })
const [second] = await session.appendAll([{ body: { role: 'assistant', content: 'hi' } }])
const fork = await store.fork(first, { title: 'other' })
await fork.append({ body: { role: 'assistant', content: 'no' } })
const { base, left, right } = await store.diff('packed', 'other')
const refused = await store.session('nobody').catch((error: unknown) => (error instanceof SessError ? error.code : ''))
const facades = [SessionTree, SessionManager, createSessionRepository, loadMessages].map((facade) => facade.name)
const laws = (open: Open): string[] => conformance(open).map(({ name }) => name)
console.log(JSON.stringify([facades, base === first, left[0]?.oid === second, right[0]?.text, refused, laws(() => Promise.reject(refused)).length > 0]))
await store.close()
`

it('gives a library that is typed and that runs', { timeout: SLOW }, () => {
  writeFileSync(join(dir, 'use.ts'), PROGRAM)
  const flags = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--outDir',
    'out',
  ]
  const types = ['--typeRoots', join(root, 'node_modules/@types')]
  run(join(root, 'node_modules/.bin/tsc'), 'use.ts', '--ignoreConfig', ...flags, ...types)
  expect(JSON.parse(run(process.execPath, 'out/use.js'))).toEqual([
    ['SessionTree', 'SessionManager', 'createSessionRepository', 'loadMessages'],
    true,
    true,
    'no',
    'no-session',
    true,
  ])
})

it('gives a command that runs', { timeout: SLOW }, () => {
  const sess = (...args: string[]): string =>
    run(process.execPath, join(installed, 'bin/sess.js'), '--store', 'cli', ...args)
  sess('init')
  expect(sess('ls', '--json')).toBe('')
  expect(JSON.parse(sess('fsck', '--json'))).toMatchObject({ ok: true })
})

it('finds the decoder of Zstandard where it is installed', { timeout: SLOW }, () => {
  // A frame with one raw block of 14 bytes.
  const frame = Buffer.concat([Buffer.from('28b52ffd200e710000', 'hex'), Buffer.from('{"text":"hi"}\n')])
  writeFileSync(join(dir, 's.jsonl.zst'), frame)
  const out = run(
    process.execPath,
    join(installed, 'bin/sess.js'),
    '--store',
    'zstd',
    'import',
    's.jsonl.zst',
    '--json',
  )
  expect(JSON.parse(out.split('\n')[0] as string)).toMatchObject({ records: 1 })
})

it('holds what is used and nothing of the tests', () => {
  const files = run('tar', '-tzf', 'sess-0.1.0.tgz').split('\n')
  for (const folder of ['test', 'src', 'dist/cli', 'dist/suite'])
    expect(files.filter((file) => file.startsWith(`package/${folder}/`))).toEqual([])
  for (const file of [
    'bin/load.js',
    'bin/sess.js',
    'dist/bin/sess.cjs',
    'dist/bin/sess.cjs.import.cache',
    'dist/bin/sess.cjs.read.cache',
    'dist/index.js',
    'dist/index.d.ts',
    'dist/conformance/index.js',
    'dist/conformance/index.d.ts',
    'LICENSE',
    'README.md',
  ])
    expect(files).toContain(`package/${file}`)
})

// More than half of it are the bundle and that of the MCP package, with their compiled code for reads, imports and tools. The rest
// is the page and the modules of the library and their declarations, of which none can be left out: `Store.perform` takes
// the name of any verb.
it('takes less than 15 MB of disk', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  )
  const sizes = files.map((file) => statSync(join(file.parentPath, file.name)).size)
  const blocks = sizes.map((size) => Math.ceil(size / 4096) * 4096)
  expect(blocks.reduce((total, size) => total + size, 0)).toBeLessThan(15e6)
})

it('has no script, and no setting that concerns the repository only', () => {
  expect(restored).toBe(true)
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object
  expect(Object.keys(manifest).toSorted()).toEqual([
    'bin',
    'dependencies',
    'description',
    'engines',
    'exports',
    'files',
    'keywords',
    'license',
    'name',
    'type',
    'version',
  ])
})

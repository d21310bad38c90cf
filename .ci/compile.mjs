// Runs commands on a store that is thrown away, then keeps what the engine compiled for them beside the bundle:
// `compile.mjs read`, `compile.mjs import`, or `compile.mjs mcp` with the messages of an agent on standard input.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'
import loader from '../bin/load.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundle = join(root, 'dist/bin/sess.cjs')
const samples = join(root, 'test/demo/sessions')

/** A session of each of the most usual agents. */
const SESSIONS = ['3b1f', '019d3f52', '019d4e07']

/** The commands of each cache. What is kept is read at each start: only what is needed often. */
const COMMANDS = {
  read: [
    ...SESSIONS.flatMap((session) => [
      ['log', '-n', '5', session],
      ['show', session],
    ]),
    ['ls'],
    ['completion', 'words', '--', 'log', ''],
    ['-V'],
  ],
  // Most imports find nothing new. Of one that does, starting is a small part.
  import: [['import', samples, '--all', '--json']],
  mcp: [['mcp']],
}

const commands = COMMANDS[process.argv[2]]
const temp = mkdtempSync(join(tmpdir(), 'sess-build-'))
const store = ['--store', join(temp, 'store')]
try {
  spawnSync(process.execPath, [join(root, 'bin/sess.js'), ...store, 'import', samples, '--all'])
  const { cacheOf, load } = loader
  const loaded = []
  // A bundle loads another one.
  loader.load = (file, cache) => {
    const made = load(file, cache)
    loaded.push({ cache, compiled: made.compiled })
    return made
  }
  const { exports } = loader.load(bundle, cacheOf(bundle, commands[0]))
  // The engine drops code that did not run lately, and refuses what was compiled under other flags than its own.
  const { setFlagsFromString } = v8
  setFlagsFromString('--no-flush-bytecode')
  v8.setFlagsFromString = () => undefined
  let failed = 0
  for (const command of commands) failed += await exports.main([...store, ...command])
  setFlagsFromString('--flush-bytecode')
  if (failed === 0) for (const { cache, compiled } of loaded) writeFileSync(cache, compiled())
  process.exitCode = failed
} finally {
  rmSync(temp, { recursive: true })
}

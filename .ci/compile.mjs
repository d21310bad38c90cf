// Reads a store that is thrown away with some commands, then keeps what the engine compiled for them beside the bundle.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from '../bin/load.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundle = join(root, 'dist/bin/sess.cjs')
const samples = join(root, 'test/demo/sessions')

/** A session of each of the most usual agents. */
const SESSIONS = ['3b1f', '019d3f52', '019d4e07']

/** What is kept is read at each start: only what is needed often. */
const READS = [
  ...SESSIONS.flatMap((session) => [
    ['log', '-n', '5', session],
    ['show', session],
  ]),
  ['ls'],
  ['completion', 'words', '--', 'log', ''],
  ['-V'],
]

const temp = mkdtempSync(join(tmpdir(), 'sess-build-'))
const store = ['--store', join(temp, 'store')]
try {
  spawnSync(process.execPath, [join(root, 'bin/sess.js'), ...store, 'import', samples])
  const { exports, compiled } = load(bundle)
  let failed = 0
  for (const command of READS) failed += await exports.main([...store, ...command])
  if (failed === 0) writeFileSync(`${bundle}.cache`, compiled())
  process.exitCode = failed
} finally {
  rmSync(temp, { recursive: true })
}

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const repository = fileURLToPath(new URL('../../', import.meta.url))
let folder: string

/** A folder that holds nothing of the project but the scripts that must explain what is missing. */
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sess-bin-')))
  for (const from of ['bin', '.ci']) mkdirSync(join(folder, from))
  for (const file of ['bin/sess.js', 'bin/load.js', 'bin/package.json', '.ci/prepare.mjs'])
    copyFileSync(join(repository, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})

afterEach(() => rmSync(folder, { recursive: true }))

const node = (...args: string[]): { status: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return { status, stdout, stderr }
}

it('says what to type where nothing is built', () => {
  expect(node('bin/sess.js', 'ls')).toEqual({
    status: 1,
    stdout: '',
    stderr: `sess is not built: type 'npm run build' in ${folder}, or 'npm ci' where the compiler is missing\n`,
  })
})

it('refuses a Node that is too old in one line', () => {
  const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.18.3' })`
  expect(node('--import', old, 'bin/sess.js')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'sess needs Node 20.19 or newer, this is 20.18.3: install a newer Node\n',
  })
})

const MAIN = `(function (exports) {
  exports.main = async (argv) => { await null; console.log(argv, WORD); process.exitCode = 3 }
})`

const built = (word: string): string => {
  mkdirSync(join(folder, 'dist/bin'), { recursive: true })
  const file = join(folder, 'dist/bin/sess.cjs')
  writeFileSync(file, MAIN.replace('WORD', `'${word}'`))
  return file
}

it('hands its arguments to main and waits for it', () => {
  built('one')
  expect(node('bin/sess.js', 'log', '-n', '5')).toEqual({
    status: 3,
    stdout: "[ 'log', '-n', '5' ] one\n",
    stderr: '',
  })
})

it('takes what the engine made of the bundle, and does without where that is damaged', () => {
  const file = built('one')
  const keep = `const { cacheOf, load } = require('./bin/load.js')
    const cache = cacheOf(${JSON.stringify(file)}, ['ls'])
    const { exports, compiled } = load(${JSON.stringify(file)}, cache)
    exports.main([]).then(() => require('node:fs').writeFileSync(cache, compiled()))`
  expect(node('--input-type=commonjs', '-e', keep).status).toBe(3)
  expect(node('bin/sess.js', 'ls').stdout).toBe("[ 'ls' ] one\n")
  for (const damaged of ['', 'nothing of the kind'.repeat(99)]) {
    writeFileSync(`${file}.read.cache`, damaged)
    expect(node('bin/sess.js', 'ls').stdout).toBe("[ 'ls' ] one\n")
  }
})

it('skips the build with a line where the compiler is not installed', () => {
  expect(node('.ci/prepare.mjs')).toEqual({
    status: 0,
    stdout: '',
    stderr: "sess: build skipped, the compiler is not installed: type 'npm ci' to install it and build\n",
  })
})

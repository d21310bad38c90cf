#!/usr/bin/env node
const { existsSync, writeSync } = require('node:fs')
const { join, dirname } = require('node:path')

const [major, minor] = process.versions.node.split('.').map(Number)
const main = join(dirname(__dirname), 'dist/bin/sess.cjs')
const short = join(dirname(__dirname), 'dist/bin/short.cjs')

/** Runs what agents call and wait for; returns false for any other command. */
function ranShort([command, ...words]) {
  if (command !== 'hook' && command !== 'statusline') return false
  const { runShort } = require(short)
  const print = (text) => writeSync(1, text)
  const program = [process.execPath, __filename]
  return runShort({ argv: [command, ...words], variables: process.env, program, print })
}

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`sess needs Node 20.19 or newer, this is ${process.versions.node}: install a newer Node`)
  process.exitCode = 1
} else if (!existsSync(main)) {
  console.error(
    `sess is not built: type 'npm run build' in ${dirname(__dirname)}, or 'npm ci' where the compiler is missing`,
  )
  process.exitCode = 1
} else if (!ranShort(process.argv.slice(2))) {
  const { cacheOf, load } = require('./load.js')
  const argv = process.argv.slice(2)
  const { exports: sess } = load(main, cacheOf(main, argv))
  // Everything is written by then: the engine need not clean up (4 % of `sess ls`).
  void sess.main(argv).then(() => process.exit())
}

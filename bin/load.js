const { readFileSync } = require('node:fs')
const { dirname } = require('node:path')
const { constants, Script } = require('node:vm')

/**
 * Loads a CommonJS file, of ASCII characters alone and already within the function that gives it its names, with what the
 * engine made of it when it was built, kept in another file. An engine of another version refuses that and compiles the
 * file itself. The file gets the `require` of this one, which finds the same packages: making another takes 0.5 ms.
 * Returns the exports, and what the engine has made of it by now.
 */
exports.load = (file, cache) => {
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: read(cache),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  const run = script.runInThisContext()
  run(module.exports, require, module, file, dirname(file))
  return { exports: module.exports, compiled: () => script.createCachedData() }
}

/**
 * Returns the file with what the engine made of the bundle for a command line: an import runs other code than commands
 * that read, and so do tools. The wrong one costs time, nothing else.
 */
exports.cacheOf = (bundle, argv) =>
  `${bundle}.${['import', 'mcp'].find((command) => argv.includes(command)) ?? 'read'}.cache`

function read(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

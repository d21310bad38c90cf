const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { dirname } = require('node:path')
const { constants, Script } = require('node:vm')

/**
 * Loads a CommonJS file, of ASCII characters alone and already within the function that gives it its names, with what the
 * engine made of it when it was built, kept in `<file>.cache`. An engine of another version refuses that and compiles the
 * file itself. Gives the exports, and what the engine has made of it by now.
 */
exports.load = (file) => {
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: read(`${file}.cache`),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  const run = script.runInThisContext()
  run(module.exports, createRequire(file), module, file, dirname(file))
  return { exports: module.exports, compiled: () => script.createCachedData() }
}

function read(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

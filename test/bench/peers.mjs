// The programs that sess is measured against. Packages are installed once, apart from the project, in the user's
// cache; what the machine has is taken as it is. What is missing makes its rows be skipped with a word.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sess-bench')

const PACKAGES = {
  pi: {
    name: '@mariozechner/pi-coding-agent',
    version: '0.73.1',
    module: 'dist/core/session-manager.js',
    compiles: false,
  },
  sqlite: { name: 'better-sqlite3', version: '12.11.1', module: 'lib/index.js', compiles: true },
}

/** Why a row is not measured. */
export class Skipped extends Error {}

/** Returns the URL of a package's module, installing the package where it is not yet; throws `Skipped`. */
export function peerModule(peer, { compile }) {
  const { name, version, module, compiles } = PACKAGES[peer]
  const folder = join(CACHE, `${peer}-${version}-node${process.versions.modules}`)
  const done = join(folder, 'installed')
  if (!existsSync(done)) {
    if (compiles && !compile) throw new Skipped(`${name} compiles, which --quick leaves out`)
    install(folder, name, version, compiles)
    writeFileSync(done, '')
  }
  return pathToFileURL(join(folder, 'node_modules', name, module)).href
}

function install(folder, name, version, scripts) {
  process.stderr.write(`installing ${name}@${version} in ${folder}\n`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const own = { private: true, dependencies: { [name]: version }, allowScripts: { [name]: scripts } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
  const words = ['install', '--no-audit', '--no-fund', ...(scripts ? [] : ['--ignore-scripts'])]
  try {
    execFileSync('npm', words, { cwd: folder, stdio: 'ignore' })
  } catch (error) {
    throw new Skipped(`${name} could not be installed`, { cause: error })
  }
}

/** Returns what a program of the machine says of its version, or throws `Skipped`. */
export function machineHas(program) {
  try {
    return execFileSync(program, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .split('\n')[0]
  } catch (error) {
    throw new Skipped(`${program} is missing`, { cause: error })
  }
}

/** Returns the name and version of each package that sess is measured against. */
export const packageNames = () => Object.values(PACKAGES).map(({ name, version }) => `${name} ${version}`)

/** Returns the version that a package of the project has. */
export const versionOf = (root, name) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version

// Runs after `npm ci` and before `npm pack`: builds dist, or says in one line why it cannot.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const compilerInstalled = () => {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json')
    return true
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return false
    throw error
  }
}

if (compilerInstalled()) {
  const { status, error } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  process.exitCode = status ?? 1
} else {
  console.error("sess: build skipped, the compiler is not installed: type 'npm ci' to install it and build")
}

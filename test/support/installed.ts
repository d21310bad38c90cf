import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The folder that large packages are installed in from the package registry; tests of them are skipped without it. */
export const INSTALLED = process.env.SESS_AGENTS

/** Returns the path of a file of a package, which is installed unless it is there. */
export function installed(wanted: string, file: string): string {
  const prefix = resolve(INSTALLED ?? '', wanted.replaceAll(/[^\w.-]/g, '_'))
  const path = join(prefix, 'node_modules', file)
  if (!existsSync(path)) {
    mkdirSync(prefix, { recursive: true })
    execFileSync('npm', ['install', '--prefix', prefix, '--no-audit', '--no-fund', wanted], {
      stdio: 'inherit',
    })
  }
  return path
}

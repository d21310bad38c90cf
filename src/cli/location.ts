import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { World } from './world.ts'

/** The folder that a store made by `sess init` lies in. */
const LOCAL = '.sess'

/**
 * Gives the folder of the store: `--store`, else `$SESS_STORE`, else the nearest `.sess` upward, else
 * `$XDG_DATA_HOME/sess`, else `~/.local/share/sess`.
 */
export function locateStore(option: string | undefined, world: World): string {
  const { variables, env } = world
  return (
    named(option, world) ??
    nearest(env.cwd) ??
    join(variables.XDG_DATA_HOME || join(variables.HOME || homedir(), '.local/share'), 'sess')
  )
}

/** Gives where `sess init` makes a store: the one that was named, else `.sess` in the folder. */
export const initLocation = (option: string | undefined, world: World): string =>
  named(option, world) ?? join(world.env.cwd, LOCAL)

function named(option: string | undefined, { variables, env }: World): string | undefined {
  const name = option || variables.SESS_STORE
  return name ? resolve(env.cwd, name) : undefined
}

function nearest(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, LOCAL))) return join(at, LOCAL)
    if (dirname(at) === at) return undefined
  }
}

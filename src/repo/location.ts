import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Env } from './env.ts'

/** What says where a store lies: the variables of the environment, and the folder of work. */
export interface Surroundings {
  readonly variables: NodeJS.ProcessEnv
  readonly env: Pick<Env, 'cwd'>
}

/** The folder that a store made by `sess init` lies in. */
const LOCAL = '.sess'

/**
 * Gives the folder of the store: `--store`, else `$SESS_STORE`, else the nearest `.sess` upward, else
 * `$XDG_DATA_HOME/sess`, else `~/.local/share/sess`.
 */
export function locateStore(option: string | undefined, world: Surroundings): string {
  return named(option, world) ?? nearest(world.env.cwd) ?? join(userFolder('data', world), 'sess')
}

/** Gives where `sess init` makes a store: the one that was named, else `.sess` in the folder. */
export const initLocation = (option: string | undefined, world: Surroundings): string =>
  named(option, world) ?? join(world.env.cwd, LOCAL)

function named(option: string | undefined, { variables, env }: Surroundings): string | undefined {
  const name = option ?? variables.SESS_STORE
  return name ? resolve(env.cwd, name) : undefined
}

function nearest(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, LOCAL))) return join(at, LOCAL)
    if (dirname(at) === at) return undefined
  }
}

const FOLDERS = {
  data: { variable: 'XDG_DATA_HOME', usual: '.local/share' },
  config: { variable: 'XDG_CONFIG_HOME', usual: '.config' },
} as const

/** Gives the folder in which programs keep the user's data or settings, by the rules of XDG. */
export function userFolder(kind: keyof typeof FOLDERS, world: Surroundings): string {
  const { variable, usual } = FOLDERS[kind]
  return world.variables[variable] || join(homeOf(world), usual)
}

/** Gives the user's home. */
export const homeOf = ({ variables }: Surroundings): string => variables.HOME || homedir()

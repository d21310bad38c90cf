import { resolve } from 'node:path'
import type { Command } from 'commander'
import { FORMATS } from '../formats/registry.ts'
import { SessError } from '../model/errors.ts'
import type { DiscoverOptions } from '../ops/discover.ts'
import type { Wanted } from '../ops/import/wanted.ts'
import { homeOf } from '../repo/location.ts'
import type { Call } from './call.ts'
import { guessing } from './guessing.ts'
import { nearest } from './near.ts'
import { timeOf } from './timeof.ts'

/** The options by which files to take in are chosen. */
export interface Choosing {
  readonly agent?: string
  readonly format?: string
  readonly since?: string
  readonly cwd?: string
}

/** Declares them. */
export const choosingOptions = (command: Command): Command =>
  command
    .option('--agent <agent>', 'only sessions of this agent on this machine: claude, codex, pi, …')
    .option('--format <format>', 'only files of this format')
    .option('--since <time>', 'only files modified since: 12h, 3d, 2w, yesterday, 2026-04-01')
    .option('--cwd <dir>', 'only sessions of this folder and its subfolders')

/** Returns which files are wanted. Throws `bad-usage`. */
export function wantedBy(call: Call, { format, since, cwd }: Choosing): Wanted {
  if (format !== undefined && !NAMES.includes(format))
    throw new SessError('bad-usage', `no format is called '${format}'`, {
      hint: `${guessing(nearest(format, NAMES))}sess knows ${NAMES.join(', ')}`,
    })
  return {
    ...(format !== undefined && { format }),
    ...(since !== undefined && { since: timeOf(call, since) }),
    ...(cwd !== undefined && { cwd: resolve(call.world.env.cwd, cwd) }),
  }
}

const NAMES = [...new Set(FORMATS.flatMap(({ name, dialect }) => [dialect, name]))]

/** Returns where to look for what agents left. Throws `bad-usage` where paths are named too. */
export function machineOf({ world }: Call, { agent }: Choosing, paths: readonly string[]): DiscoverOptions {
  if (agent !== undefined && paths.length > 0)
    throw new SessError('bad-usage', '--agent says where to look, and so do paths', {
      hint: 'leave one of them out, or choose among the paths with --format',
    })
  return { home: homeOf(world), variables: world.variables, ...(agent !== undefined && { agent }) }
}

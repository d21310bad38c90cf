import { FORMAT_NAMES } from '../formats/registry.ts'
import { defined } from '../model/json.ts'
import type { DiscoverOptions } from '../ops/discover.ts'
import type { ImportFilter } from '../ops/import/filter.ts'
import { homeOf } from '../repo/environment.ts'
import { unknownFormat } from './errors/suggest.ts'
import type { Invocation } from './invocation.ts'
import { agent, folder, type InputOf, option, sourceFormat, time } from './parameters.ts'

/** The options by which files to import are chosen. */
export const CHOOSING_OPTIONS = {
  agent: option(agent(), 'only sessions of this agent on this machine: claude, codex, pi, …', {
    excludes: ['path'],
  }),
  format: option(sourceFormat(), 'only files of this format'),
  since: option(time(), 'only files modified since: 12h, 3d, 2w, yesterday, 2026-04-01'),
  cwd: option(folder(), 'only sessions of this folder and its subfolders'),
}

type Choosing = InputOf<typeof CHOOSING_OPTIONS>

/** Returns which files are wanted. Throws `bad-usage`. */
export function wantedBy({ format, since, cwd }: Choosing): ImportFilter {
  if (format !== undefined && !FORMAT_NAMES.includes(format))
    throw unknownFormat('format', format, FORMAT_NAMES)
  return defined({ format, since, cwd })
}

/** Returns where to look for the sessions of agents. */
export const machineOf = ({ platform }: Invocation, { agent: name }: Choosing): DiscoverOptions => ({
  home: homeOf(platform),
  variables: platform.variables,
  ...defined({ agent: name }),
})

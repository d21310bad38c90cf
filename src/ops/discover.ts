import { SessError } from '../model/errors.ts'
import type { Repo } from '../repo/repo.ts'
import {
  type DiscoveredFiles,
  discover,
  type Machine,
  type SessionFolder,
  sessionFolders,
} from '../sources/sessionfolders.ts'

export type { DiscoveredFiles } from '../sources/sessionfolders.ts'

/** The machine to search for session files, and the agent. */
export interface DiscoverOptions extends Omit<Machine, 'cwd'> {
  /** The name of an agent, or its first word: `claude` for `claude-code`. */
  readonly agent?: string
}

/** Returns the folders in which agents keep their sessions. Throws `bad-usage` for an unknown agent. */
export function agentPlaces({ env }: Repo, { agent, ...machine }: DiscoverOptions): readonly SessionFolder[] {
  const all = sessionFolders({ ...machine, cwd: env.cwd })
  const places = all.filter(({ agent: name }) => !agent || name === agent || name.startsWith(`${agent}-`))
  if (places.length > 0) return places
  const known = [...new Set(all.map((place) => place.agent))]
  throw new SessError('bad-usage', `sess knows no place of an agent '${agent}'`, {
    typed: agent,
    choices: known,
    hint: `it knows those of ${known.join(', ')}`,
  })
}

/** Returns the session files of agents on this machine, by folder. Throws `bad-usage` for an unknown agent. */
export const discoverSessions = (repo: Repo, options: DiscoverOptions): readonly DiscoveredFiles[] =>
  discover(agentPlaces(repo, options), options.home)

import { SessError } from '../model/errors.ts'
import type { Repo } from '../repo/repo.ts'
import {
  type DiscoveredFiles,
  discover,
  type Machine,
  type SessionFolder,
  sessionFolders,
} from '../sources/sessionfolders.ts'

/** Where to look for what agents left, and of which. */
export interface DiscoverOptions extends Omit<Machine, 'cwd'> {
  /** The name of one, or its first word: `claude` for `claude-code`. */
  readonly agent?: string
}

/** Gives the documented places of agents. Throws `bad-usage` for an agent that is none. */
export function agentPlaces({ env }: Repo, { agent, ...machine }: DiscoverOptions): readonly SessionFolder[] {
  const all = sessionFolders({ ...machine, cwd: env.cwd })
  const places = all.filter(({ agent: name }) => !agent || name === agent || name.startsWith(`${agent}-`))
  if (places.length > 0) return places
  const known = [...new Set(all.map((place) => place.agent))]
  throw new SessError('bad-usage', `sess knows no place of an agent '${agent}'`, {
    choices: known,
    hint: `it knows those of ${known.join(', ')}`,
  })
}

/** Gives the session files that agents have on this machine, by place. Throws `bad-usage` for an agent that is none. */
export const discoverSessions = (repo: Repo, options: DiscoverOptions): readonly DiscoveredFiles[] =>
  discover(agentPlaces(repo, options))

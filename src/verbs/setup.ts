import { otherAgents } from '../live/agents.ts'
import { thisProgram } from '../live/launcher.ts'
import { type AgentChange, type SetupPlace, setUp } from '../live/setup.ts'
import { flag, optional, several } from './input.ts'
import { type FolderContext, machineOf } from './open.ts'
import { arrayOf, boolean, described, object, oneOf, string } from './schema.ts'
import { liveFolderOf } from './settle.ts'
import { agent, folder } from './values.ts'
import { folderVerb, sentAs } from './verb.ts'

export type { FileChange } from '../live/setup.ts'

/** Returns where the agents of the caller's machine are set up. */
export function setupPlace(context: FolderContext): SetupPlace {
  const { home, variables } = machineOf(context)
  return { home, variables, cwd: context.env.cwd, folder: liveFolderOf(context) }
}

/** The agents that were set up or taken down. */
export interface ChangedSetup {
  readonly agents: readonly AgentChange[]
  /** The agents that keep sessions here and cannot be set up. */
  readonly others: readonly string[]
}

/** The schema of an agent that may be set up. */
export const agentFacts = { agent: string, title: string, installed: boolean }

export const changedSetup = sentAs(
  object({
    agents: arrayOf(
      object({
        ...agentFacts,
        files: arrayOf(object({ path: string, change: oneOf('create', 'change', 'remove', 'none') })),
      }),
    ),
    others: described('agents that keep sessions here and are followed by watching alone', arrayOf(string)),
  }),
  ({ agents, others }: ChangedSetup) => ({
    others,
    agents: agents.map(({ files, ...one }) => ({
      ...one,
      files: files.map(({ path, before, after }) => ({ path, change: changeOf(before, after) })),
    })),
  }),
)

const changeOf = (before: string | null, after: string | null): 'create' | 'change' | 'remove' | 'none' => {
  if (before === after) return 'none'
  if (after === null) return 'remove'
  return before === null ? 'create' : 'change'
}

export const namedAgents = several(agent(), 'only these agents; by default, those on this machine')

export const setup = folderVerb({
  name: 'setup',
  summary: 'have agents keep their sessions in the store while they work',
  effect: 'write',
  input: {
    agent: namedAgents,
    statusline: flag('show the session in the statusline of Claude Code'),
    into: optional(folder(), "keep all sessions in this store; by default, in that of each session's folder"),
  },
  output: changedSetup,
  run: (context, { agent: agents, statusline, into }) => {
    const place = setupPlace(context)
    const { dryRun } = context
    const changed = setUp(place, thisProgram(), { agents, statusline, store: into, dryRun })
    return Promise.resolve({ agents: changed, others: otherAgents(place) })
  },
})

import { isUuid } from '../ids.ts'

/** Whose file it is, as its folders tell. */
export interface Place {
  /** The session whose agents it is one of. */
  readonly session: string
  /** Its own id; that of the session where it is the main agent's. */
  readonly id: string
  /** The session that started it, of an agent that is not the main one. */
  readonly parent?: string
  /** From the folder of the file, the one that is its alone; undefined where another file there stands for the agent. */
  readonly folder?: string
}

/** The folder of a session of Kimi Code. */
const SESSION = /^session_[\w-]+$/
/** The context of an agent of Kimi CLI, and what it was before it was reverted. */
const CONTEXT = /^context(?:_\d+)?\.jsonl$/

/**
 * Gives whose a file is: Kimi Code keeps `<session>/agents/<agent>/wire.jsonl`; Kimi CLI the context of a session, and
 * its events, in a folder that has its id, those of its agents in `subagents/<agent>/` there.
 */
export function placeOf(
  name: string,
  folder: string,
  [within, above = '']: readonly string[],
): Place | undefined {
  if (name === 'wire.jsonl' && within === 'agents' && SESSION.test(above))
    return folder === 'main'
      ? { session: above, id: above, folder: '../..' }
      : { session: above, id: agentId(above, folder), parent: above, folder: '' }
  const isAgent = within === 'subagents' && isUuid(above)
  const session = isAgent ? above : folder
  if (!isAgent && !isUuid(folder)) return undefined
  const id = isAgent ? agentId(above, folder) : folder
  if (!CONTEXT.test(name)) return { session, id: `${id}-${name.replace(/\.jsonl$/, '')}` }
  return { session, id, ...(isAgent && { parent: session }), ...(name === 'context.jsonl' && { folder: '' }) }
}

/** Gives the id of an agent's session: its own is one among those of the session that started it. */
export const agentId = (session: string, agent: string): string => `${session}-${agent}`

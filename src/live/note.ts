/** A note that an agent wrote to a session: what a hook leaves in the spool for the settler. */
export interface Note {
  /** The name of the agent's format. */
  readonly agent: string
  /** The file of the session; null where the agent names none: then the places of the agent are searched. */
  readonly path: string | null
  /** The id that the agent gave the session, where it tells one. */
  readonly session: string | null
  /** The file of the sub-agent that has ended, where there is one. */
  readonly subagent: string | null
  /** The working folder of the session, from which the store is found. */
  readonly cwd: string | null
  /** The folder of the store, where the agent runs with a store of its own. */
  readonly store: string | null
  /** Milliseconds since 1970. */
  readonly time: number
}

/** The most characters of a path: those of systems are shorter. */
const MAX_PATH = 4096

/** Returns an absolute path; null for anything else. */
const pathIn = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('/') && value.length <= MAX_PATH && !value.includes('\0')
    ? value
    : null

/** Returns an id of a session; null for anything else. */
const idIn = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w-]{1,128}$/.test(value) ? value : null

/** Returns what a hook was told about a session. What is malformed is left out: the settler searches then. */
export function noteOf(
  agent: string,
  told: string,
  { cwd, store, time }: { readonly cwd: string; readonly store: string | undefined; readonly time: number },
): Note {
  const facts = objectIn(told)
  return {
    agent,
    path: pathIn(facts.transcript_path),
    session: idIn(facts.session_id ?? facts['thread-id']),
    subagent: pathIn(facts.agent_transcript_path),
    cwd: pathIn(facts.cwd) ?? cwd,
    store: pathIn(store),
    time,
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** Returns the note in a file of the spool; undefined where it is none. */
export function readNote(text: string): Note | undefined {
  const { agent, path, session, subagent, cwd, store, time } = objectIn(text)
  if (typeof agent !== 'string' || !/^[a-z][\w-]{0,63}$/.test(agent)) return undefined
  return {
    agent,
    path: pathIn(path),
    session: idIn(session),
    subagent: pathIn(subagent),
    cwd: pathIn(cwd),
    store: pathIn(store),
    time: typeof time === 'number' ? time : 0,
  }
}

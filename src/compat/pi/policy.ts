/** The differences between versions of pi. */
export interface Policy {
  /** The roles of the messages of which the first brings the file into being. */
  readonly startsFile: ReadonlySet<string>
  /** Whether a file that has begun takes entries although no such message is among them. */
  readonly appendsSetup: boolean
  /** Whether `fromId` of a summary names the leaf that was left, not the entry that it was left for. */
  readonly fromOldLeaf: boolean
  /** Whether a file that is no session is rewritten, not refused. */
  readonly rewritesInvalid: boolean
  /** Whether a branched session is chained again past the labels that it leaves out. */
  readonly rechains: boolean
  /** Whether contexts know edits, checkpoints of the prompt and messages without content. */
  readonly projects: boolean
  /** Whether paths are resolved, `~` among them. */
  readonly resolves: boolean
  /** Whether input is checked: ids of sessions, line breaks in names. */
  readonly checks: boolean
  /** Whether lists are of one working directory where sessions of several are in one folder. */
  readonly listsByCwd: boolean
}

/** pi 1.5.2. */
export const PI: Policy = {
  startsFile: new Set(['user', 'assistant']),
  appendsSetup: true,
  fromOldLeaf: true,
  rewritesInvalid: false,
  rechains: true,
  projects: true,
  resolves: true,
  checks: true,
  listsByCwd: true,
}

/** pi 0.73.1. */
export const PI_073: Policy = {
  startsFile: new Set(['assistant']),
  appendsSetup: false,
  fromOldLeaf: false,
  rewritesInvalid: true,
  rechains: false,
  projects: false,
  resolves: false,
  checks: false,
  listsByCwd: false,
}

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** Throws if an id cannot be that of a session. */
export function assertValidSessionId(id: string): void {
  if (SESSION_ID.test(id)) return
  throw new Error(
    "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
  )
}

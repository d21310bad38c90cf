import { short } from '../../model/encoding/oid.ts'
import type { EntryPlace, PlannedChange, State } from './state.ts'

/** Names an entry for the command line and for verbs. */
const revisionOf = ({ oid }: EntryPlace): string => oid

const sess = (...words: readonly string[]): readonly string[] => ['sess', ...words]

/** Returns the change that starts a session at an entry; of a prompt, before it. */
export const forkChange = (at: EntryPlace, isPrompt: boolean): PlannedChange => ({
  verb: 'fork',
  input: { revision: revisionOf(at), before: isPrompt },
  does: `start a session ${isPrompt ? 'before' : 'at'} ${short(at.oid)}`,
  words: sess('fork', short(at.oid), ...(isPrompt ? ['--before'] : [])),
})

/** Returns the change that creates a branch at an entry. */
export const branchChange = (at: EntryPlace, name: string): PlannedChange => ({
  verb: 'branch',
  input: { session: at.session, name, start: revisionOf(at) },
  does: `create the branch '${name}' at ${short(at.oid)}`,
  words: sess('branch', at.session, name, short(at.oid)),
})

/** Returns the change that labels an entry; without a name, the one that removes its label. */
export const labelChange = (
  at: EntryPlace,
  name: string,
  before: string | undefined,
): PlannedChange | undefined => {
  const { session } = at
  if (name !== '')
    return {
      verb: 'label',
      input: { label: name, revision: revisionOf(at), session, force: true },
      does: `label ${short(at.oid)} '${name}'`,
      words: sess('label', name, short(at.oid), '--session', session, '--force'),
    }
  return before === undefined
    ? undefined
    : {
        verb: 'label-delete',
        input: { label: before, session },
        does: `remove the label '${before}'`,
        words: sess('label', '--delete', before, '--session', session),
      }
}

/** Returns the change that moves a session to an entry, and stays on it. */
export const switchChange = (at: EntryPlace): PlannedChange => ({
  verb: 'switch',
  input: { revision: revisionOf(at), session: at.session, root: false },
  does: `switch the session to ${short(at.oid)}`,
  words: sess('switch', '--session', at.session, short(at.oid)),
})

/** Returns the change that chooses an entry: a prompt moves the session before it, another entry to it. */
export const navigateChange = (at: EntryPlace): PlannedChange => ({
  verb: 'navigate',
  input: { revision: revisionOf(at), session: at.session, root: false, digest: false },
  does: `go to ${short(at.oid)}`,
  words: sess('navigate', short(at.oid), '--session', at.session),
})

/** Returns the same choice, which leaves a digest of the path that is left. */
export const withDigest = (change: PlannedChange): PlannedChange => ({
  ...change,
  input: { ...change.input, digest: true },
  words: [...change.words, '--digest'],
})

/** Returns the change that goes back to an entry and leaves a summary. */
export const popChange = (at: EntryPlace): PlannedChange => ({
  verb: 'pop',
  input: { revision: revisionOf(at), session: at.session, root: false },
  does: `go back to ${short(at.oid)}, leaving a summary`,
  words: sess('pop', short(at.oid), '--session', at.session),
})

/** Returns the change that appends entries to the current branch of a session. */
export const pickChange = (session: string, entries: readonly EntryPlace[]): PlannedChange => ({
  verb: 'cherry-pick',
  input: { revision: entries.map(revisionOf), session, skipPresent: true },
  does: `append ${entries.map(({ oid }) => short(oid)).join(', ')} to the current branch`,
  words: sess('cherry-pick', ...entries.map(({ oid }) => short(oid)), '--session', session, '--skip-present'),
})

/** Returns the change that merges an entry into the current branch of a session. */
export const mergeChange = (session: string, at: EntryPlace): PlannedChange => ({
  verb: 'merge',
  input: { revision: revisionOf(at), session, forward: 'auto' },
  does: `merge ${short(at.oid)} into the current branch`,
  words: sess('merge', short(at.oid), '--session', session),
})

/** Returns the change that undoes an operation: the last one of a person, unless one is named. */
export const undoChange = (operation?: number): PlannedChange => ({
  verb: 'undo',
  input: { any: false, ...(operation !== undefined && { operation: `${operation}` }) },
  does: operation === undefined ? 'undo the last operation' : `undo operation ${operation}`,
  words: sess('undo', ...(operation === undefined ? [] : [`${operation}`])),
})

export const REDO: PlannedChange = {
  verb: 'redo',
  input: {},
  does: 'redo what was undone',
  words: sess('redo'),
}

/** Returns the change that writes a session to a file. */
export const exportChange = (session: string, out: string): PlannedChange => ({
  verb: 'export-file',
  input: { session, out, bare: false, redact: false, force: false },
  does: `export the session to '${out}'`,
  words: sess('export', session, '--out', out),
})

/** Returns the change that gives a session to an agent, in which it is resumed then. */
export const agentChange = (session: string, format: string): PlannedChange => ({
  verb: 'export-agent',
  input: { session, format, bare: false, redact: false, force: false },
  does: `write the session for ${format} and resume it there`,
  words: sess('export', session, '--format', format, '--to-agent'),
  resumeIn: format,
})

/** Returns a change decided on the tip that a session had when its tree was read: it is refused if that moved. */
export function decided(state: State, session: string, change: PlannedChange): PlannedChange {
  const { main } = state
  return main?.kind === 'tree' && main.session === session
    ? { ...change, expected: { [session]: main.tip } }
    : change
}

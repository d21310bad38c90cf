/**
 * The party that must act, or the event:
 * - `user`: an error in the user's data or names;
 * - `usage`: a wrong call, by a command line or a program;
 * - `conflict`: something changed meanwhile, and the caller decides whether to repeat;
 * - `busy`: another process has the store, and the same call may succeed later;
 * - `corrupt`: the store is damaged and must be repaired;
 * - `stopped`: the user or a handler ended it;
 * - `bug`: an error of sess itself.
 */
export type ErrorKind = 'user' | 'usage' | 'conflict' | 'busy' | 'corrupt' | 'bug' | 'stopped'

/** The wording of errors of a code. */
export interface Wording {
  readonly kind: ErrorKind
  /** The failure, with `%` for the subject. */
  readonly message: string
  /** The failure where nobody typed the subject. */
  readonly untyped?: string
}

/**
 * The messages of all errors. The codes are API and never change; the words may. Lower case, no full stop, what failed
 * first, the subject in single quotes. Hints that name commands are the command line's.
 */
export const WORDINGS = {
  'no-store': { kind: 'user', message: "no store at '%'" },
  'not-a-store': { kind: 'user', message: "'%' is not a sess store" },
  'not-owned': { kind: 'user', message: "'%' belongs to another user" },
  'newer-store': { kind: 'user', message: "the store '%' was written by a newer sess" },
  'older-store': { kind: 'user', message: "the store '%' was written by an older sess" },
  'no-revision': { kind: 'user', message: "no session or entry is called '%'" },
  'ambiguous-revision': { kind: 'user', message: "'%' is ambiguous" },
  'no-session': {
    kind: 'user',
    message: "no session is called '%'",
    untyped: "no session is current in '%'",
  },
  'unnamed-session': { kind: 'user', message: "no session was named, and none was made current in '%'" },
  'no-branch': { kind: 'user', message: "no branch is called '%'" },
  'no-folder': { kind: 'user', message: "no session belongs to the folder '%'" },
  'no-label': { kind: 'user', message: "no label is called '%'" },
  'no-swarm': { kind: 'user', message: "no swarm is called '%'" },
  'current-branch': { kind: 'user', message: "'%' is the current branch of its session" },
  'no-entry': { kind: 'user', message: "there is no entry '%'" },
  'empty-session': { kind: 'user', message: "the session '%' has no entries" },
  'before-first': { kind: 'user', message: "the session '%' is before its first entry" },
  'no-format': { kind: 'user', message: "sessions cannot be written as '%'" },
  'no-agent': { kind: 'user', message: "no known agent resumes '%'" },
  'not-at-agent': { kind: 'user', message: "'%' is not in the folder of its agent" },
  'no-path': { kind: 'user', message: "there is no file or folder '%'" },
  'unreadable-path': { kind: 'user', message: "'%' could not be read" },
  'not-imported': { kind: 'user', message: "'%' was not imported" },
  'no-operation': { kind: 'user', message: "there is no operation '%'" },
  'ambiguous-operation': {
    kind: 'user',
    message: "'%' is ambiguous: several operations have ids that begin with it",
  },
  'nothing-to-undo': { kind: 'user', message: 'there is nothing to undo' },
  'no-prompt': { kind: 'user', message: "'%' is not a message of the user" },
  'nothing-to-pop': { kind: 'user', message: "the path of '%' has no message of the user" },
  'nothing-to-redo': { kind: 'user', message: 'there is nothing to redo' },
  'no-secret': { kind: 'user', message: "no secret '%' was found" },
  'has-secrets': { kind: 'user', message: "'%' holds what looks like keys or tokens" },
  'guessable-secret': { kind: 'user', message: "'%' could be guessed from the digests that remain" },
  expunged: { kind: 'user', message: 'operation % removed content permanently and cannot be undone' },
  'read-only': { kind: 'user', message: "the store is open as it was at '%' and cannot be changed" },
  diverged: {
    kind: 'user',
    message: "'%' has entries that the other side lacks: it cannot be fast-forwarded",
  },
  exists: { kind: 'user', message: "'%' exists already" },
  'bad-name': { kind: 'user', message: "'%' cannot be a name" },
  'bad-ref': { kind: 'user', message: "'%' is not a ref that can be moved" },
  /** Only for values that are too long: the code says less than the message, and codes never change. */
  'bad-value': { kind: 'user', message: "'%' is too long", untyped: '% is too long' },
  'bad-entry': { kind: 'user', message: 'invalid entry: %' },
  'bad-summary': { kind: 'user', message: 'no summary was made: %' },
  'nothing-to-compact': { kind: 'user', message: "there is nothing to compact in '%'" },
  'cannot-keep': { kind: 'user', message: "nothing can be kept from '%' on" },
  'bad-config': { kind: 'user', message: "the settings in '%' cannot be used" },
  'no-setting': { kind: 'user', message: "there is no setting '%'" },
  'bad-expression': { kind: 'usage', message: 'cannot read the expression: %' },
  'bad-template': { kind: 'usage', message: 'cannot read the template: %' },
  'bad-query': { kind: 'usage', message: 'cannot read the query: %' },
  'bad-plan': { kind: 'usage', message: 'cannot follow the plan: %' },
  'not-started': { kind: 'user', message: "the program '%' could not be started" },
  'no-editor': { kind: 'user', message: "the editor '%' wrote no plan" },
  'bad-usage': { kind: 'usage', message: '%' },
  conflict: { kind: 'conflict', message: "'%' changed meanwhile" },
  fenced: { kind: 'conflict', message: "another process took over the store '%'" },
  uncertain: { kind: 'user', message: "the outcome of a write to the store '%' is unknown" },
  busy: { kind: 'busy', message: "the store '%' is in use" },
  corrupt: { kind: 'corrupt', message: 'the store is damaged: %' },
  'no-space': { kind: 'user', message: "no space left to write '%'" },
  'cannot-write': { kind: 'user', message: "'%' could not be written" },
  stopped: { kind: 'stopped', message: 'stopped: %' },
  cancelled: { kind: 'stopped', message: 'a handler cancelled this %' },
  closed: { kind: 'usage', message: "the store '%' is closed" },
  bug: { kind: 'bug', message: 'internal error: %' },
} as const satisfies Record<string, Wording>

/** The code of an error. Codes are API. */
export type ErrorCode = keyof typeof WORDINGS

/**
 * A way out of an error, as data: each interface words it in its own terms. Ids and names are as the store has them and
 * may come from a hostile file.
 */
export type Remedy =
  | { readonly kind: 'append-or-name-branch'; readonly session: string; readonly branch: string }
  | { readonly kind: 'begin-branch'; readonly session: string; readonly branch: string }
  | { readonly kind: 'check-disk' }
  | { readonly kind: 'check-syntax' }
  | { readonly kind: 'choose-current-session' }
  | { readonly kind: 'compact-earlier'; readonly session: string }
  | {
      readonly kind: 'export-to-agent'
      readonly session: string
      readonly format: string
      /** Whether a file there is to be replaced. */
      readonly force?: boolean
    }
  | { readonly kind: 'keep-from'; readonly entry: string }
  | { readonly kind: 'make-new-branch' }
  | { readonly kind: 'move-project' }
  | { readonly kind: 'name-conversion' }
  | { readonly kind: 'name-empty-folder'; readonly hasStore: boolean }
  | { readonly kind: 'name-session' }
  | { readonly kind: 'name-session-of-branch' }
  | { readonly kind: 'name-session-of-label'; readonly label: string; readonly revision: string }
  | { readonly kind: 'name-session-or-all' }
  | { readonly kind: 'name-store' }
  | { readonly kind: 'name-two-revisions' }
  | { readonly kind: 'navigate'; readonly revision: string }
  | { readonly kind: 'rename-session' }
  | { readonly kind: 'repair-database' }
  | { readonly kind: 'repair-file' }
  | { readonly kind: 'repair-identity' }
  | { readonly kind: 'repair-refs'; readonly ref: string }
  | { readonly kind: 'replace-label' }
  | { readonly kind: 'restore-backup' }
  | { readonly kind: 'restore-here' }
  | { readonly kind: 'set-own-setting'; readonly setting: string }
  | { readonly kind: 'switch-branch'; readonly session: string }
  | { readonly kind: 'trust-store'; readonly setting: string; readonly value: string }
  | { readonly kind: 'undo-any' }
  | { readonly kind: 'undo-first'; readonly operation: number }
  | { readonly kind: 'unset-setting'; readonly setting: string; readonly owner: string }
  | { readonly kind: 'use-other-backup' }

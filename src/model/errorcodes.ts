/** The party that must act: the user, the caller (usage), another writer, nobody yet (busy), the store, nobody (stopped). */
export type ErrorKind = 'user' | 'usage' | 'conflict' | 'busy' | 'corrupt' | 'bug' | 'stopped'

/** The wording of errors of a code. */
export interface Wording {
  readonly kind: ErrorKind
  /** The failure, with `%` for the subject. */
  readonly says: string
  /** The party that must act, and the command to type next. */
  readonly hint: string
}

/**
 * All wording of errors. The codes are API and never change; the words may. Lower case, no full stop, what failed
 * first, the subject in single quotes.
 */
export const WORDINGS = {
  'no-store': {
    kind: 'user',
    says: "no store at '%'",
    hint: "type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store",
  },
  'not-a-store': {
    kind: 'user',
    says: "'%' is not a sess store",
    hint: 'name another folder with --store; nothing was changed',
  },
  'not-owned': { kind: 'user', says: "'%' belongs to another user", hint: 'nothing was changed' },
  'newer-store': {
    kind: 'user',
    says: "the store '%' was written by a newer sess",
    hint: 'install the newest sess; nothing was changed',
  },
  'no-revision': {
    kind: 'user',
    says: "no session or entry is called '%'",
    hint: "type 'sess ls' to see the sessions",
  },
  'ambiguous-revision': {
    kind: 'user',
    says: "'%' names more than one thing",
    hint: 'use more of the id, or the id of the one that you mean',
  },
  'no-session': {
    kind: 'user',
    says: "no session is called '%'",
    hint: "type 'sess ls' to see the sessions",
  },
  'unnamed-session': {
    kind: 'user',
    says: "no session was named, and none was made current in '%'",
    hint: 'name the session; nothing was changed',
  },
  'no-branch': {
    kind: 'user',
    says: "no branch is called '%'",
    hint: "type 'sess branch SESSION' to see its branches",
  },
  'no-folder': {
    kind: 'user',
    says: "no session belongs to the folder '%'",
    hint: "type 'sess ls --json' to see the folder of each; nothing was changed",
  },
  'no-label': {
    kind: 'user',
    says: "no label is called '%'",
    hint: "type 'sess label --session SESSION' to see its labels",
  },
  'current-branch': {
    kind: 'user',
    says: "'%' is the current branch of its session",
    hint: "switch to another branch first: 'sess switch SESSION/BRANCH'",
  },
  'no-entry': {
    kind: 'user',
    says: "there is no entry '%'",
    hint: "type 'sess log SESSION' to see a session's entries",
  },
  'empty-session': {
    kind: 'user',
    says: "the session '%' has no entries",
    hint: "type 'sess append SESSION' to add one",
  },
  'before-first': {
    kind: 'user',
    says: "the session '%' is before its first entry",
    hint: "type 'sess append SESSION' to go on there, or name one of its branches: SESSION/BRANCH",
  },
  'no-format': {
    kind: 'user',
    says: "sessions cannot be written as '%'",
    hint: "type 'sess help export' to see the formats",
  },
  'no-agent': {
    kind: 'user',
    says: "no known agent resumes '%'",
    hint: "write it for one that does: 'sess export SESSION --format claude-code --to-agent'",
  },
  'not-at-agent': {
    kind: 'user',
    says: "'%' is not in the folder of its agent",
    hint: "put it there with 'sess export SESSION --to-agent'",
  },
  'no-path': {
    kind: 'user',
    says: "there is no file or folder '%'",
    hint: 'check the path',
  },
  'unreadable-path': {
    kind: 'user',
    says: "'%' could not be read",
    hint: 'check its permissions',
  },
  'no-operation': {
    kind: 'user',
    says: "there is no operation '%'",
    hint: "type 'sess op log' to see the operations",
  },
  'ambiguous-operation': {
    kind: 'user',
    says: "'%' is ambiguous: several operations have ids that begin with it",
    hint: 'use more of the id, or the number',
  },
  'nothing-to-undo': {
    kind: 'user',
    says: 'there is nothing to undo',
    hint: "type 'sess op log' to see the operations",
  },
  'no-prompt': {
    kind: 'user',
    says: "'%' is not a message of the user",
    hint: "type 'sess log SESSION' to see them, or leave out --before to fork after the entry",
  },
  'nothing-to-pop': {
    kind: 'user',
    says: "the path of '%' has no message of the user",
    hint: "name an entry to go back to: 'sess pop REV', or 'sess pop --root' for before the first",
  },
  'nothing-to-redo': {
    kind: 'user',
    says: 'there is nothing to redo',
    hint: "type 'sess op log' to see the operations; 'sess op restore OP' goes back to any of them",
  },
  'no-secret': {
    kind: 'user',
    says: "no secret '%' was found",
    hint: "type 'sess scan' to list the secrets",
  },
  'guessable-secret': {
    kind: 'user',
    says: "'%' could be guessed from the digests that remain",
    hint: "copy its sessions with 'sess redact SESSION --secret -', remove them with 'sess rm', name the copies with 'sess rename', then type 'sess gc --operations now --grace now'; or remove what can be removed with --force",
  },
  expunged: {
    kind: 'user',
    says: 'operation % removed content permanently and cannot be undone',
    hint: "type 'sess undo NUMBER' to undo an earlier one, of those that 'sess op log' lists",
  },
  'read-only': {
    kind: 'user',
    says: "the store is open as it was at '%' and cannot be changed",
    hint: "leave out --at-op to change it as it is now, or go back for good with 'sess op restore OP'",
  },
  diverged: {
    kind: 'user',
    says: "'%' has entries that the other side lacks: it cannot be fast-forwarded",
    hint: 'leave out --ff-only to make an entry that merges both, or rebase one of them first',
  },
  exists: { kind: 'user', says: "'%' exists already", hint: 'choose another name; nothing was changed' },
  'bad-name': {
    kind: 'user',
    says: "'%' cannot be a name",
    hint: 'use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters',
  },
  'bad-ref': {
    kind: 'user',
    says: "'%' is not a ref that can be moved",
    hint: "those of kind branch, label and HEAD can: type 'sess for-each-ref' to see their names",
  },
  'bad-value': {
    kind: 'user',
    says: "'%' is too long",
    hint: 'use at most 1,000 characters; nothing was changed',
  },
  'bad-entry': {
    kind: 'user',
    says: 'invalid entry: %',
    hint: 'each line is {"type":"sess/message","body":{"role":"user","content":"…"}}',
  },
  'bad-summary': {
    kind: 'user',
    says: 'no summary was made: %',
    hint: 'nothing was changed; give another with --summary TEXT, or none to have a digest made without a model',
  },
  'nothing-to-compact': {
    kind: 'user',
    says: "there is nothing to compact in '%'",
    hint: 'keep less with --keep-tokens N, or name the first entry to keep with --keep-from REVISION',
  },
  'cannot-keep': {
    kind: 'user',
    says: "nothing can be kept from '%' on",
    hint: "type 'sess context SESSION' to see the entries of which one can be named",
  },
  'bad-config': {
    kind: 'user',
    says: "the settings in '%' cannot be used",
    hint: 'correct the file, or remove it to use the defaults',
  },
  'no-setting': {
    kind: 'user',
    says: "there is no setting '%'",
    hint: "type 'sess config --list' to see the settings",
  },
  'bad-expression': {
    kind: 'usage',
    says: 'cannot read the expression: %',
    hint: "type 'sess help revsets' for the language",
  },
  'bad-template': {
    kind: 'usage',
    says: 'cannot read the template: %',
    hint: "type 'sess help templates' for the language",
  },
  'bad-query': {
    kind: 'usage',
    says: 'cannot read the query: %',
    hint: "type 'sess help search' for what a query may hold",
  },
  'bad-plan': {
    kind: 'usage',
    says: 'cannot follow the plan: %',
    hint: "correct it and repeat the command; 'sess edit --print-plan' prints a plan that changes nothing",
  },
  'not-started': {
    kind: 'user',
    says: "the program '%' could not be started",
    hint: 'check that it is installed',
  },
  'no-editor': {
    kind: 'user',
    says: "the editor '%' did not give a plan",
    hint: 'set VISUAL or EDITOR to your editor, or give a plan with --plan FILE; nothing was changed',
  },
  'bad-usage': { kind: 'usage', says: '%', hint: "type 'sess help' to see the commands" },
  conflict: {
    kind: 'conflict',
    says: "'%' changed meanwhile",
    hint: 'check it, then repeat the command',
  },
  fenced: {
    kind: 'conflict',
    says: "another process took over the store '%'",
    hint: 'repeat the command; nothing was written',
  },
  uncertain: {
    kind: 'user',
    says: "the outcome of a write to the store '%' is unknown",
    hint: 'check whether it was written before you repeat the command',
  },
  busy: {
    kind: 'busy',
    says: "the store '%' is in use",
    hint: 'repeat the command later, or wait longer with --lock-timeout SECONDS',
  },
  corrupt: { kind: 'corrupt', says: 'the store is damaged: %', hint: "type 'sess fsck' to see the damage" },
  'no-space': {
    kind: 'user',
    says: "no space left to write '%'",
    hint: 'free some space and repeat the command; nothing acknowledged is lost',
  },
  'cannot-write': {
    kind: 'user',
    says: "'%' could not be written",
    hint: 'check the folder and its permissions; nothing acknowledged is lost',
  },
  stopped: { kind: 'stopped', says: 'stopped: %', hint: 'repeat the command to continue' },
  cancelled: {
    kind: 'stopped',
    says: 'a handler cancelled this %',
    hint: 'nothing was changed; the handler was set by store.on',
  },
  closed: { kind: 'usage', says: "the store '%' is closed", hint: 'open it again with openStore' },
  bug: {
    kind: 'bug',
    says: 'internal error: %',
    hint: 'report this with the command that you typed',
  },
} as const satisfies Record<string, Wording>

/** The code of an error. Codes are API. */
export type ErrorCode = keyof typeof WORDINGS

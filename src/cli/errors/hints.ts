import type { ErrorCode, ErrorData, Remedy, SessError } from '../../model/errors.ts'
import { typable } from '../../model/shellword.ts'

const HINTS: { readonly [code in ErrorCode]: string } = {
  'no-store':
    "type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store",
  'not-a-store': 'name another folder with --store; nothing was changed',
  'not-owned': 'nothing was changed',
  'newer-store': 'install the newest sess; nothing was changed',
  'older-store':
    "name a new folder with --store and type 'sess import'; what was only appended, the older sess exports; nothing was changed",
  'no-revision': "type 'sess ls' to see the sessions",
  'ambiguous-revision': 'use more of the id, or the id of the one that you mean',
  'no-session': "type 'sess ls' to see the sessions",
  'unnamed-session': 'name the session; nothing was changed',
  'no-branch': "type 'sess branch SESSION' to see its branches",
  'no-folder': "type 'sess ls --json' to see the folder of each; nothing was changed",
  'no-swarm': "type 'sess swarm list' to see the swarms",
  'no-label': "type 'sess label --session SESSION' to see its labels",
  'current-branch': "switch to another branch first: 'sess switch SESSION/BRANCH'",
  'no-entry': "type 'sess log SESSION' to see a session's entries",
  'empty-session': "type 'sess append SESSION' to add one",
  'before-first': "type 'sess append SESSION' to continue there, or name one of its branches: SESSION/BRANCH",
  'no-format': "type 'sess help export' to see the formats",
  'no-agent': "export it to one that does: 'sess export SESSION --format claude-code --to-agent'",
  'not-at-agent': "export it: 'sess export SESSION --to-agent'",
  'no-path': 'check the path',
  'not-imported': 'repeat the command once the reason is gone',
  'unreadable-path': 'check its permissions',
  'no-operation': "type 'sess op log' to see the operations",
  'ambiguous-operation': 'use more of the id, or the number',
  'nothing-to-undo': "type 'sess op log' to see the operations, or 'sess redo' to take the last undo back",
  'no-prompt':
    "type 'sess log SESSION' to see the user's messages, or leave out --before to fork after the entry",
  'nothing-to-pop':
    "name an entry to return to: 'sess pop REVISION', or 'sess pop --root' for the position before the first",
  'nothing-to-redo':
    "type 'sess op log' to see the operations; 'sess op restore OP' goes back to any of them",
  'no-secret': "type 'sess scan' to list the secrets",
  'has-secrets':
    "mask them with --redact, look at them with 'sess scan SESSION', or write them with --allow-secrets",
  'guessable-secret':
    "copy its sessions with 'sess redact SESSION --secret -', remove them with 'sess rm', name the copies with 'sess rename', then type 'sess gc --operations now --grace now'; or remove what can be removed with --force",
  expunged: "type 'sess undo NUMBER' to undo an earlier one, of those that 'sess op log' lists",
  'read-only':
    "leave out --at-op to change the current state, or restore that state first: 'sess op restore OP'",
  diverged: 'leave out --ff-only to make an entry that merges both, or rebase one of them first',
  exists: 'choose another name; nothing was changed',
  'bad-name': 'use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters',
  'bad-ref': "those of kind branch, label and HEAD can: type 'sess for-each-ref' to see their names",
  'bad-value': 'use at most 1,000 characters; nothing was changed',
  'bad-entry': 'each line is {"type":"sess/message","body":{"role":"user","content":"…"}}',
  'bad-summary':
    'nothing was changed; give another with --summary TEXT, or none to have a digest made without a model',
  'nothing-to-compact':
    'keep less with --keep-tokens N, or name the first entry to keep with --keep-from REVISION',
  'cannot-keep': "type 'sess context SESSION' to see the entries that can be named",
  'bad-config': 'correct the file, or remove it to use the defaults',
  'no-setting': "type 'sess config --list' to see the settings",
  'bad-expression': "type 'sess help revsets' for the language",
  'bad-template': "type 'sess help templates' for the language",
  'bad-query': "type 'sess help search' for what a query may hold",
  'bad-plan': "correct it and repeat the command; 'sess edit --print-plan' prints a valid plan",
  'not-started': 'check that it is installed',
  'no-editor': 'set VISUAL or EDITOR to your editor, or give a plan with --plan FILE; nothing was changed',
  'bad-usage': "type 'sess help' to see the commands",
  conflict: 'check it, then repeat the command',
  fenced: 'repeat the command; nothing was written',
  uncertain: 'check whether it was written before you repeat the command',
  busy: 'repeat the command later, or wait longer with --lock-timeout SECONDS',
  corrupt: "type 'sess fsck' to see the damage",
  'no-space': 'free some space and repeat the command; nothing acknowledged is lost',
  'cannot-write': 'check the folder and its permissions; nothing acknowledged is lost',
  stopped: 'repeat the command to continue',
  cancelled: 'nothing was changed',
  closed: 'open it again',
  bug: 'report this with the command that you typed',
}

/** Returns a remedy as a hint that names commands. */
function remedyHint(remedy: Remedy): string {
  switch (remedy.kind) {
    case 'append-or-name-branch':
      return `type 'sess append ${typable(remedy.session, 'SESSION')}' to continue there, or name one of its branches: '${typable(remedy.session, 'SESSION')}/${typable(remedy.branch, 'BRANCH')}'`
    case 'begin-branch':
      return `say where: 'sess branch ${typable(remedy.session, 'SESSION')} ${typable(remedy.branch, 'NAME')} START', or begin it with 'sess switch --root -c ${typable(remedy.branch, 'NAME')} ${typable(remedy.session, 'SESSION')}'`
    case 'check-disk':
      return "check the disk and repeat the command; if it fails, restore a backup on another disk: 'sess backup --restore BACKUP --store DIR'"
    case 'check-syntax':
      return "type 'sess help revsets' for the language"
    case 'choose-current-session':
      return "type 'sess ls' to see all sessions, and 'sess switch SESSION' to make one current here"
    case 'compact-earlier':
      return `compact the entries before it: 'sess compact ${typable(remedy.session, 'SESSION')}~1 --branch NAME'`
    case 'export-to-agent':
      return remedy.force
        ? `put it back: 'sess export ${typable(remedy.session, 'SESSION')} --to-agent --force'`
        : `export it: 'sess export ${typable(remedy.session, 'SESSION')} --format ${remedy.format} --to-agent'`
    case 'keep-from':
      return `keep from an entry before it: --keep-from ${remedy.entry}`
    case 'make-new-branch':
      return 'leave out --move to make a new branch'
    case 'move-project':
      return "say where the folder is now: 'sess mv OLD NEW', or write to a file: --out FILE"
    case 'name-conversion':
      return "type 'sess help migrate' to see what becomes what, or 'sess export --format' to write any session"
    case 'name-empty-folder':
      return remedy.hasStore
        ? "there is a store: name another folder with --store, or repair it with 'sess fsck --repair --from DIR'"
        : 'name a folder that is empty or not there with --store; nothing was changed'
    case 'name-session':
      return 'name the session too, with --session SESSION'
    case 'name-session-of-branch':
      return 'name its session: SESSION/BRANCH, or --session SESSION'
    case 'name-session-of-label':
      return `name the session too: 'sess label --session SESSION ${typable(remedy.label, 'NAME')} ${typable(remedy.revision, 'REVISION')}'`
    case 'name-session-or-all':
      return "name a session, as in 'sess log SESSION -r …', or look --everywhere"
    case 'name-store':
      return `${NAME_STORE}; nothing was read or written`
    case 'name-two-revisions':
      return "name them: 'sess compare SESSION/BRANCH SESSION/OTHER'"
    case 'navigate':
      return `go there with 'sess navigate --digest ${typable(remedy.revision, 'REVISION')}'; nothing was changed`
    case 'rename-session':
      return "change it with 'sess rename SESSION TITLE'"
    case 'repair-database':
      return "type 'sess fsck' to see what is damaged, then 'sess fsck --repair'"
    case 'repair-file':
      return "type 'sess fsck --repair' to move it to broken/ in the store; nothing else is changed"
    case 'repair-identity':
      return "type 'sess fsck --repair' to write it again; nothing else is changed"
    case 'repair-refs':
      return "type 'sess fsck' to see the damage, 'sess fsck --repair' to repair it"
    case 'replace-label':
      return 'move it with -f, or choose another name; nothing was changed'
    case 'restore-backup':
      return "restore a backup: 'sess backup --restore BACKUP --store DIR'"
    case 'restore-here':
      return "restore it first: 'sess backup --restore BACKUP --store DIR'"
    case 'set-own-setting':
      return `a store may come from elsewhere; set it with: sess config ${remedy.setting} VALUE`
    case 'switch-branch':
      return `switch to another branch first: 'sess switch ${typable(remedy.session, 'SESSION')}/BRANCH'`
    case 'trust-store':
      return `to trust it type 'sess config ${remedy.setting} ${typable(remedy.value, 'FOLDER')}', or ${NAME_STORE}; nothing was read or written`
    case 'undo-any':
      return "type 'sess undo --any' to undo what programs changed"
    case 'undo-first':
      return `undo that one first with 'sess undo ${remedy.operation}', or look at it with 'sess op show ${remedy.operation}'; nothing was changed`
    case 'unset-setting':
      return `type 'sess config --for ${remedy.owner} --unset ${remedy.setting}', or correct the file`
    case 'use-other-backup':
      return "use another backup, or repair the store as far as possible: 'sess fsck --repair --from DIR'"
  }
}

const NAME_STORE = 'name it with --store or $SESS_STORE'

/** Returns the hint of an error: its own words and its remedy, or the usual hint of its code. */
export function hintOf({ code, hint, remedy }: SessError): string {
  // A process of another version may have sent a remedy that is not known here.
  const how = remedy && (remedyHint(remedy) as string | undefined)
  if (how === undefined) return hint || HINTS[code]
  return hint === '' ? how : `${hint}${hint.endsWith('?') ? '' : ';'} ${how}`
}

/** Returns an error as `--json` prints it. */
export const errorData = (error: SessError): ErrorData => ({ ...error.data(), hint: hintOf(error) })

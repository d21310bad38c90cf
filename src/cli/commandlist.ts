import type { Define } from './call.ts'

/** A command, of which only its name and what it does is known before its module is loaded. */
export interface Listed {
  readonly name: string
  readonly does: string
  readonly load: () => Promise<{ readonly define: Define }>
}

interface Group {
  readonly title: string
  readonly commands: readonly Listed[]
}

/** All commands, as help lists them: what a newcomer needs first comes first. */
export const GROUPS: readonly Group[] = [
  {
    title: 'Start:',
    commands: [
      { name: 'init', does: 'create a store in this folder', load: () => import('./commands/init.ts') },
      {
        name: 'import',
        does: 'import session files of agents',
        load: () => import('./commands/import.ts'),
      },
      {
        name: 'watch',
        does: 'import continuously what agents write',
        load: () => import('./commands/watch.ts'),
      },
      {
        name: 'export',
        does: 'export a session, byte for byte or in another format',
        load: () => import('./commands/export.ts'),
      },
      {
        name: 'migrate',
        does: 'convert a session file to another version of its format',
        load: () => import('./commands/migrate.ts'),
      },
    ],
  },
  {
    title: 'Inspect:',
    commands: [
      { name: 'ls', does: 'list the sessions', load: () => import('./commands/ls.ts') },
      {
        name: 'log',
        does: 'show the entries of a session, newest first',
        load: () => import('./commands/log.ts'),
      },
      { name: 'tree', does: 'draw sessions as trees', load: () => import('./commands/tree.ts') },
      { name: 'show', does: 'show entries in full', load: () => import('./commands/show.ts') },
      {
        name: 'diff',
        does: 'show where two branches diverge and what each side added',
        load: () => import('./commands/diff.ts'),
      },
      {
        name: 'compare',
        does: 'compare branches by tokens, cost, time, tools and errors',
        load: () => import('./commands/compare.ts'),
      },
      {
        name: 'context',
        does: 'show the context that the model sees',
        load: () => import('./commands/context.ts'),
      },
      {
        name: 'handoff',
        does: 'write a briefing for a new session',
        load: () => import('./commands/handoff.ts'),
      },
      {
        name: 'resume',
        does: 'show or run the command that resumes a session in its agent',
        load: () => import('./commands/resume.ts'),
      },
    ],
  },
  {
    title: 'Search:',
    commands: [
      { name: 'search', does: 'search the text of all sessions', load: () => import('./commands/search.ts') },
    ],
  },
  {
    title: 'Change:',
    commands: [
      {
        name: 'append',
        does: 'add entries to a session from standard input',
        load: () => import('./commands/append.ts'),
      },
      {
        name: 'compact',
        does: 'replace the start of a path by a summary',
        load: () => import('./commands/compact.ts'),
      },
      {
        name: 'fork',
        does: 'start a session from any entry, sharing its history',
        load: () => import('./commands/fork.ts'),
      },
      {
        name: 'branch',
        does: 'list, create, delete or rename branches',
        load: () => import('./commands/branch.ts'),
      },
      {
        name: 'switch',
        does: 'switch a session to another branch or entry',
        load: () => import('./commands/switch.ts'),
      },
      {
        name: 'navigate',
        does: 'go to an entry; for a user message, to before it',
        load: () => import('./commands/navigate.ts'),
      },
      {
        name: 'pop',
        does: 'go back on the path, leaving a summary of what follows',
        load: () => import('./commands/pop.ts'),
      },
      {
        name: 'label',
        does: 'label an entry, or list the labels',
        load: () => import('./commands/label.ts'),
      },
      {
        name: 'rename',
        does: 'change the title of a session',
        load: () => import('./commands/rename.ts'),
      },
      {
        name: 'set',
        does: 'set properties of a session',
        load: () => import('./commands/set.ts'),
      },
      {
        name: 'mv',
        does: 'record that a project folder moved',
        load: () => import('./commands/mv.ts'),
      },
      {
        name: 'rm',
        does: 'remove sessions from the list',
        load: () => import('./commands/rm.ts'),
      },
    ],
  },
  {
    title: 'Combine and edit:',
    commands: [
      {
        name: 'cherry-pick',
        does: 'append entries of another branch to a branch',
        load: () => import('./commands/cherry-pick.ts'),
      },
      {
        name: 'rebase',
        does: 'move a branch onto another entry',
        load: () => import('./commands/rebase.ts'),
      },
      {
        name: 'merge',
        does: 'merge another branch into a branch',
        load: () => import('./commands/merge.ts'),
      },
      {
        name: 'edit',
        does: 'drop, reword, squash or reorder entries on a new branch',
        load: () => import('./commands/edit.ts'),
      },
    ],
  },
  {
    title: 'Undo:',
    commands: [
      {
        name: 'undo',
        does: 'undo the last command, or another one',
        load: () => import('./commands/undo.ts'),
      },
      { name: 'redo', does: 'redo what was undone', load: () => import('./commands/redo.ts') },
      {
        name: 'op',
        does: 'list, show and restore operations',
        load: () => import('./commands/op.ts'),
      },
      {
        name: 'reflog',
        does: 'show former values of a branch, label or HEAD',
        load: () => import('./commands/reflog.ts'),
      },
    ],
  },
  {
    title: 'The store:',
    commands: [
      { name: 'stats', does: 'show statistics of the store', load: () => import('./commands/stats.ts') },
      { name: 'fsck', does: 'check the store, and repair it', load: () => import('./commands/fsck.ts') },
      {
        name: 'backup',
        does: 'back up the store, verify or restore a backup',
        load: () => import('./commands/backup.ts'),
      },
      {
        name: 'gc',
        does: 'remove unreachable data, and pack the rest',
        load: () => import('./commands/gc.ts'),
      },
      { name: 'config', does: 'show and change settings', load: () => import('./commands/config.ts') },
    ],
  },
  {
    title: 'Secrets:',
    commands: [
      {
        name: 'scan',
        does: 'find keys and tokens in the store',
        load: () => import('./commands/scan.ts'),
      },
      {
        name: 'redact',
        does: 'copy a session with its secrets masked',
        load: () => import('./commands/redact.ts'),
      },
      {
        name: 'expunge',
        does: 'remove content from the store permanently',
        load: () => import('./commands/expunge.ts'),
      },
    ],
  },
  {
    title: 'For scripts:',
    commands: [
      {
        name: 'rev-parse',
        does: 'print the oids of revisions',
        load: () => import('./commands/rev-parse.ts'),
      },
      {
        name: 'rev-list',
        does: 'print the oids that revisions reach',
        load: () => import('./commands/rev-list.ts'),
      },
      {
        name: 'merge-base',
        does: 'print the best common ancestor of two revisions',
        load: () => import('./commands/merge-base.ts'),
      },
      {
        name: 'hash-object',
        does: 'compute the oids of entries, or store the entries',
        load: () => import('./commands/hash-object.ts'),
      },
      { name: 'cat-file', does: 'print entries as JSON', load: () => import('./commands/cat-file.ts') },
      { name: 'for-each-ref', does: 'list refs', load: () => import('./commands/for-each-ref.ts') },
      {
        name: 'update-ref',
        does: 'update refs atomically',
        load: () => import('./commands/update-ref.ts'),
      },
      {
        name: 'ls-objects',
        does: 'list every entry, reachable or not',
        load: () => import('./commands/ls-objects.ts'),
      },
    ],
  },
  {
    title: 'Help:',
    commands: [
      { name: 'help', does: 'show help on a command or a topic', load: () => import('./commands/help.ts') },
      {
        name: 'completion',
        does: 'print the completion script of a shell',
        load: () => import('./commands/completion.ts'),
      },
    ],
  },
]

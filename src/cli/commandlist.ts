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
      { name: 'init', does: 'make a store in this folder', load: () => import('./commands/init.ts') },
      {
        name: 'import',
        does: 'take session files of agents into the store',
        load: () => import('./commands/import.ts'),
      },
      {
        name: 'watch',
        does: 'keep taking in what agents write',
        load: () => import('./commands/watch.ts'),
      },
      {
        name: 'export',
        does: "give a session's file back, byte for byte",
        load: () => import('./commands/export.ts'),
      },
      {
        name: 'migrate',
        does: 'turn a session file into another version of its format',
        load: () => import('./commands/migrate.ts'),
      },
    ],
  },
  {
    title: 'Look:',
    commands: [
      { name: 'ls', does: 'list the sessions', load: () => import('./commands/ls.ts') },
      { name: 'log', does: 'show what was said, newest first', load: () => import('./commands/log.ts') },
      { name: 'tree', does: 'draw sessions as trees', load: () => import('./commands/tree.ts') },
      { name: 'show', does: 'show entries in full', load: () => import('./commands/show.ts') },
      {
        name: 'diff',
        does: 'show where two branches part and what each side said',
        load: () => import('./commands/diff.ts'),
      },
      {
        name: 'compare',
        does: 'show what branches took: tokens, cost, time, tools, errors',
        load: () => import('./commands/compare.ts'),
      },
      { name: 'context', does: 'show what the model sees', load: () => import('./commands/context.ts') },
      {
        name: 'handoff',
        does: 'tell a new session what to go on with',
        load: () => import('./commands/handoff.ts'),
      },
      {
        name: 'resume',
        does: 'tell how a session is gone on with in its agent, or do it',
        load: () => import('./commands/resume.ts'),
      },
    ],
  },
  {
    title: 'Find:',
    commands: [{ name: 'search', does: 'find what was said', load: () => import('./commands/search.ts') }],
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
        does: 'let a summary stand for the beginning of a path',
        load: () => import('./commands/compact.ts'),
      },
      {
        name: 'fork',
        does: 'begin a session that shares the path of an entry',
        load: () => import('./commands/fork.ts'),
      },
      {
        name: 'branch',
        does: 'list, make, remove or rename the branches of a session',
        load: () => import('./commands/branch.ts'),
      },
      {
        name: 'switch',
        does: 'make a session stand on another branch or entry',
        load: () => import('./commands/switch.ts'),
      },
      {
        name: 'navigate',
        does: 'go to any entry, before it where that is a message to edit',
        load: () => import('./commands/navigate.ts'),
      },
      {
        name: 'pop',
        does: 'go back on the path, leaving a summary of what was said',
        load: () => import('./commands/pop.ts'),
      },
      {
        name: 'label',
        does: 'name an entry, or list the entries that have names',
        load: () => import('./commands/label.ts'),
      },
      {
        name: 'rename',
        does: 'give a session another title',
        load: () => import('./commands/rename.ts'),
      },
      {
        name: 'set',
        does: 'note something on a session, as key and value',
        load: () => import('./commands/set.ts'),
      },
      {
        name: 'mv',
        does: 'say that the folder of a project moved',
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
    title: 'Bring back:',
    commands: [
      {
        name: 'cherry-pick',
        does: 'say entries of elsewhere again at the end of a branch',
        load: () => import('./commands/cherry-pick.ts'),
      },
      {
        name: 'rebase',
        does: 'let a branch continue another entry',
        load: () => import('./commands/rebase.ts'),
      },
      {
        name: 'merge',
        does: 'bring all that another branch has said to a branch',
        load: () => import('./commands/merge.ts'),
      },
      {
        name: 'edit',
        does: 'leave out, reword, join or reorder entries on a new branch',
        load: () => import('./commands/edit.ts'),
      },
    ],
  },
  {
    title: 'Undo:',
    commands: [
      {
        name: 'undo',
        does: 'take the last command back, or another one',
        load: () => import('./commands/undo.ts'),
      },
      { name: 'redo', does: 'do again what was undone', load: () => import('./commands/redo.ts') },
      {
        name: 'op',
        does: 'list and show operations, go back to one',
        load: () => import('./commands/op.ts'),
      },
      {
        name: 'reflog',
        does: 'show where a branch, label or HEAD was before',
        load: () => import('./commands/reflog.ts'),
      },
    ],
  },
  {
    title: 'The store:',
    commands: [
      { name: 'stats', does: 'count what the store holds', load: () => import('./commands/stats.ts') },
      { name: 'fsck', does: 'check all of the store, and mend it', load: () => import('./commands/fsck.ts') },
      {
        name: 'backup',
        does: 'copy the store, check a copy, restore it',
        load: () => import('./commands/backup.ts'),
      },
      {
        name: 'gc',
        does: 'remove what nothing names any more, and pack the rest',
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
        does: 'find keys and tokens in what the store holds',
        load: () => import('./commands/scan.ts'),
      },
      {
        name: 'redact',
        does: 'copy a session without its secrets',
        load: () => import('./commands/redact.ts'),
      },
      {
        name: 'expunge',
        does: 'remove something from the store for good',
        load: () => import('./commands/expunge.ts'),
      },
    ],
  },
  {
    title: 'For scripts:',
    commands: [
      {
        name: 'rev-parse',
        does: 'give the oids of revisions',
        load: () => import('./commands/rev-parse.ts'),
      },
      {
        name: 'rev-list',
        does: 'give the oids that revisions reach',
        load: () => import('./commands/rev-list.ts'),
      },
      {
        name: 'merge-base',
        does: 'give the best common ancestor of two revisions',
        load: () => import('./commands/merge-base.ts'),
      },
      {
        name: 'hash-object',
        does: 'give the oids of entries, or store them',
        load: () => import('./commands/hash-object.ts'),
      },
      { name: 'cat-file', does: 'give entries as JSON', load: () => import('./commands/cat-file.ts') },
      { name: 'for-each-ref', does: 'list refs', load: () => import('./commands/for-each-ref.ts') },
      {
        name: 'update-ref',
        does: 'move refs, all together or none',
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
        does: 'print what completes sess in a shell',
        load: () => import('./commands/completion.ts'),
      },
    ],
  },
]

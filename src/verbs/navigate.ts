import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import type { LogEntry } from '../ops/entries.ts'
import { abandoned, navigate as navigateTo } from '../ops/navigate.ts'
import { flag, optional } from './input.ts'
import type { Store } from './open.ts'
import { summaryOf } from './summary.ts'
import { label, revision, session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { treeMoveSchema } from './wire.ts'

export const navigate = verb({
  name: 'navigate',
  summary: 'go to an entry; for a user message, to before it',
  effect: 'write',
  input: {
    revision: optional(revision(), 'the entry to go to'),
    session: optional(session(), 'the session, if the revision names none'),
    root: flag('go to before the first entry', { excludes: ['revision'] }),
    digest: flag('leave a digest of the path left, made without a model'),
    label: optional(label(), 'a label for the summary or the entry'),
    summary: optional(text('text'), 'the summary'),
  },
  output: output(treeMoveSchema),
  run: (context, { revision: name, session: owner, root, digest, label: named, summary }) => {
    if (!root && name === undefined) throw new SessError('bad-usage', 'no revision was named')
    return navigateTo(context.repo, name ?? null, {
      ...defined({ session: owner, label: named }),
      ...(digest && { wantsSummary: true }),
      ...summaryOf(context, summary),
    })
  },
})

/** Yields the entries that the move would leave, the oldest first; null is the place before the first entry. Throws as it. */
export const entriesLeft = (repo: Store, at: string | null, owner: string): AsyncIterable<LogEntry> =>
  abandoned(repo, at, owner)

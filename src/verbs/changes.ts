import { defined } from '../model/json.ts'
import { changes as changesOf, presentCursor, type StoreChange } from '../ops/changes.ts'
import { optional } from './input.ts'
import { anything, arrayOf, boolean, described, integer, object, string } from './schema.ts'
import { stream } from './stream.ts'
import { text } from './values.ts'
import { sentAs } from './verb.ts'

export const changes = stream({
  name: 'changes',
  summary: 'follow what moves in the store, from any process',
  effect: 'read',
  input: {
    since: optional(text('cursor'), 'what moved after the change with this cursor; from now on by default'),
  },
  item: sentAs(
    object({
      cursor: described('names the state after it, for since', string),
      operation: described('the newest operation', integer),
      commit: described('the number of the newest commit', integer),
      refs: described(
        'the refs that moved, with their new values, null where one was removed',
        arrayOf(object({ name: string, value: anything })),
      ),
      sessions: described(
        'the sessions of which refs moved; grew: whether records were added to it',
        arrayOf(object({ id: string, grew: boolean })),
      ),
      swarms: described('the swarms whose members changed, or which of them is current', arrayOf(string)),
    }),
    (change: StoreChange) => change,
  ),
  cursors: {
    begin: async ({ repo }, { since }) => ({ since: since ?? (await presentCursor(repo)) }),
    of: ({ cursor }) => cursor,
  },
  events: ({ repo, signal }, { since }) => changesOf(repo, defined({ since, signal })),
})

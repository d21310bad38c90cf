import { collected } from '../../model/async.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { revCount, revList } from '../../ops/revlist.ts'
import { anyOf, arrayOf, integer, object } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { count, flag, option, revision, several } from '../parameters.ts'

/** `sess rev-list`: prints the oids that revisions reach. */
export const command = defineCommand({
  effect: 'read',
  arguments: {
    revision: several(revision(), 'sessions, entries, ranges A..B or A...B, and ^A to exclude'),
  },
  options: {
    all: flag('start at every branch, label and HEAD of every session'),
    count: flag('print only the number'),
    reverse: flag('print oldest first'),
    maxCount: option(count(), 'print at most N, newest first', { short: 'n' }),
    firstParent: flag('follow only the first parent of a merge'),
    parents: flag('print the oids of the parents, too'),
    z: flag('end lines with NUL'),
  },
  help: 'Children are listed before their parents. Bodies are not read.',
  examples: [
    ['sess rev-list 3b1f', 'the oids of the path of a session'],
    ['sess rev-list 3b1f..c7d0', 'entries of a fork that its origin lacks'],
    ['sess rev-list --all --count', 'count the reachable entries'],
  ],
  output: output(
    'A line for each entry, with --parents with its parents; with --count one object.',
    anyOf(object({ oid: oidSchema }, { parents: arrayOf(oidSchema) }), object({ count: integer })),
  ),
  run: async (
    call,
    { revision: revisions, all, count: counts, reverse, maxCount, firstParent, parents: wide, z },
    out,
  ) => {
    if (revisions.length === 0 && !all)
      throw new SessError('bad-usage', 'no revision was named', {
        hint: "type 'sess rev-list SESSION', or 'sess rev-list --all'",
      })
    const how = { all, firstParent, ...defined({ limit: maxCount }) }
    const repo = await call.repo()
    if (counts) {
      const number = await revCount(repo, revisions, how)
      await out.record(String(number), { count: number }, z)
      return
    }
    const places = revList(repo, revisions, how)
    for await (const { oid: one, parents } of reverse ? (await collected(places)).reverse() : places)
      await (wide
        ? out.record([one, ...parents].join(' '), { oid: one, parents }, z)
        : out.record(one, { oid: one }, z))
  },
})

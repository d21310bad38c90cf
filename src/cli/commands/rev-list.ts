import { collected } from '../../model/async.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { revList } from '../../verbs/rev-list.ts'
import { revListCount } from '../../verbs/rev-list-count.ts'
import { anyOf, arrayOf, object } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag } from '../parameters.ts'

const { revision, all, limit, firstParent } = revList.input

/** `sess rev-list`: prints the oids that revisions reach. */
export const command = defineCommand({
  effect: revList.effect,
  arguments: { revision },
  options: {
    all,
    count: flag('print only the number'),
    reverse: flag('print oldest first'),
    maxCount: { ...limit, short: 'n' },
    firstParent,
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
    anyOf(object({ oid: oidSchema }, { parents: arrayOf(oidSchema) }), revListCount.output.schema),
  ),
  run: async (call, { count: counts, reverse, maxCount, parents: wide, z, ...named }, out) => {
    if (named.revision.length === 0 && !named.all)
      throw new SessError('bad-usage', 'no revision was named', {
        hint: "type 'sess rev-list SESSION', or 'sess rev-list --all'",
      })
    const input = { ...named, ...defined({ limit: maxCount }) }
    const context = await call.context()
    if (counts) {
      const counted = await revListCount.run(context, input)
      await out.record(String(counted.count), counted, z)
      return
    }
    const places = revList.items(context, input)
    for await (const { oid: one, parents } of reverse ? (await collected(places)).reverse() : places)
      await (wide
        ? out.record([one, ...parents].join(' '), { oid: one, parents }, z)
        : out.record(one, { oid: one }, z))
  },
})

import { short } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import { lookOf, summaryOf } from '../../text/entry.ts'
import { quoted } from '../../text/shellwords.ts'
import { did, firstLine, type Line, styled } from '../../text/text.ts'
import { cut, pad, widthOf } from '../../text/width.ts'
import { label } from '../../verbs/label.ts'
import { labelDelete } from '../../verbs/label-delete.ts'
import { labels } from '../../verbs/labels.ts'
import { anyOf } from '../../verbs/schema.ts'
import type { ListedLabel } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { label as labelName, option, optional } from '../parameters.ts'
import { answerOf, schemaOfEach } from '../present.ts'

const { revision, session, force } = label.input
const { all, find } = labels.input

/** `sess label`: labels an entry, lists and deletes labels. */
export const command = defineCommand({
  effect: label.effect,
  paged: true,
  arguments: { label: optional(labelName(), 'the label; without it, list the labels'), revision },
  options: {
    session,
    all,
    find,
    force: { ...force, short: 'f' },
    delete: option(labelName(), labelDelete.summary, { short: 'd', excludes: ['label'] }),
  },
  help: `A label names an entry until you move it; SESSION/LABEL is a revision. Labels set by agents are imported too.
A fork keeps the labels on the path that it shares.`,
  examples: [
    ['sess label good 3b1f~7', 'label an entry'],
    ['sess label -f good 3b1f~2', 'move the label to another entry'],
    ['sess label before-refactor --session 3b1f', 'label the current entry of a session'],
    ['sess label --session 3b1f', 'list the labels of a session'],
    ['sess label --find clock --all', 'find labels in all sessions'],
    ['sess label -d good --session 3b1f', 'delete a label'],
  ],
  output: output(
    'A line for each label; one object where one is set or deleted.',
    anyOf(schemaOfEach(labels), label.output.schema, labelDelete.output.schema),
  ),
  run: async (
    call,
    { label: name, revision: at, session: owner, all: inAll, find: sought, force: moves, ...rest },
  ) => {
    const context = await call.context()
    const within = defined({ session: owner })
    if (rest.delete !== undefined) {
      const gone = await labelDelete.run(context, { label: rest.delete, ...within })
      const { session: id, name: deleted, oid: was } = gone
      return answerOf(labelDelete, gone, {
        render: () => [[`${did(call, 'Deleted')} label ${deleted} of session ${id} (was ${short(was)})`]],
        back: `sess label --session ${quoted(id)} ${quoted(deleted)} ${short(was)}`,
      })
    }
    if (name !== undefined) {
      const made = await label.run(context, {
        label: name,
        force: moves,
        ...within,
        ...defined({ revision: at }),
      })
      const { before, oid: entry, session: id } = made
      const moved = before !== null && before !== entry
      const was = moved ? ` (was ${short(before)})` : ''
      return answerOf(label, made, {
        render: () => [[`${did(call, 'Labelled')} ${short(entry)} of session ${id} as ${name}${was}`]],
        back: moved ? `sess label -f --session ${quoted(id)} ${quoted(name)} ${short(before)}` : undefined,
      })
    }
    const found = await labels.run(context, { all: inAll, ...within, ...defined({ find: sought }) })
    const none =
      sought === undefined ? "no labels: type 'sess label NAME' to set one" : `no label has '${sought}'`
    return answerOf(labels, found, {
      render: () => (found.length === 0 ? [] : labelLines(found, inAll, call.io.columns)),
      notes: found.length > 0 ? [] : [none],
    })
  },
})

/** Returns labels as lines: name, oid, role and summary; with `isOfAll`, names that are revisions. */
function labelLines(listed: readonly ListedLabel[], isOfAll: boolean, columns: number): Line[] {
  const names = listed.map((one) => firstLine(isOfAll ? `${one.session}/${one.name}` : one.name))
  const width = Math.max(...names.map(widthOf))
  const left = Math.max(10, columns - width - 10 - 9 - 6)
  return listed.map(({ oid, entry: { role, view, type } }, i) => [
    styled('cyan', pad(names[i] ?? '', width)),
    '  ',
    styled('yellow', short(oid)),
    '  ',
    styled(lookOf(role), pad(role ?? '-', 9)),
    `  ${cut(summaryOf(view, type), left)}`,
  ])
}

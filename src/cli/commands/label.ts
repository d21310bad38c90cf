import { short } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import { type ListedLabel, listLabels, removeLabel, setLabel } from '../../ops/label.ts'
import { lookOf, summaryOf } from '../../text/entry.ts'
import { did, firstLine, type Line, styled } from '../../text/text.ts'
import { cut, pad, widthOf } from '../../text/width.ts'
import { anyOf, nullable, object, string } from '../../verbs/schema.ts'
import { oidSchema, roleSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag, label, option, optional, revision, session, text } from '../parameters.ts'
import { quoted } from '../shellwords.ts'

/** `sess label`: labels an entry, lists and deletes labels. */
export const command = defineCommand({
  effect: 'write',
  paged: true,
  arguments: {
    label: optional(label(), 'the label; without it, list the labels'),
    revision: optional(revision(), 'the entry to label; the current entry by default'),
  },
  options: {
    session: option(session(), 'the session of the label (@)'),
    all: flag('list the labels of all sessions'),
    find: option(text('text'), 'list labels with this text in their name or entry'),
    force: flag('move an existing label', { short: 'f' }),
    delete: option(label(), 'delete a label; its entry stays', { short: 'd', excludes: ['label'] }),
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
    anyOf(
      object({
        session: string,
        name: string,
        oid: oidSchema,
        role: nullable(roleSchema),
        text: nullable(string),
      }),
      object({ session: string, name: string, oid: oidSchema, before: nullable(oidSchema) }),
      object({ session: string, deleted: string, oid: oidSchema }),
    ),
  ),
  run: async (call, { label: name, revision: at, session: owner, all, find, force, delete: gone }) => {
    const repo = await call.repo()
    if (gone !== undefined) {
      const { session: id, name: deleted, oid: was } = await removeLabel(repo, gone, owner)
      return {
        data: { session: id, deleted, oid: was },
        render: () => [[`${did(call, 'Deleted')} label ${deleted} of session ${id} (was ${short(was)})`]],
        back: `sess label --session ${quoted(id)} ${quoted(deleted)} ${short(was)}`,
      }
    }
    if (name !== undefined) {
      const made = await setLabel(repo, name, at, { force, ...defined({ session: owner }) })
      const { before, oid: entry, session: id } = made
      const moved = before !== null && before !== entry
      return {
        data: made,
        render: () => [
          [
            `${did(call, 'Labelled')} ${short(entry)} of session ${id} as ${name}${moved ? ` (was ${short(before)})` : ''}`,
          ],
        ],
        back: moved ? `sess label -f --session ${quoted(id)} ${quoted(name)} ${short(before)}` : undefined,
      }
    }
    const labels = await listLabels(repo, all ? undefined : (owner ?? '@'), find)
    return {
      data: labels.map(({ entry, ...one }) => ({ ...one, role: entry.role, text: entry.text })),
      render: () => (labels.length === 0 ? [] : labelLines(labels, all, call.io.columns)),
      notes:
        labels.length > 0
          ? []
          : [find === undefined ? "no labels: type 'sess label NAME' to set one" : `no label has '${find}'`],
    }
  },
})

/** Returns labels as lines: name, oid, role and summary; with `all`, names that are revisions. */
function labelLines(labels: readonly ListedLabel[], all: boolean, columns: number): Line[] {
  const names = labels.map((one) => firstLine(all ? `${one.session}/${one.name}` : one.name))
  const width = Math.max(...names.map(widthOf))
  const left = Math.max(10, columns - width - 10 - 9 - 6)
  return labels.map(({ oid, entry: { role, view, type } }, i) => [
    styled('cyan', pad(names[i] ?? '', width)),
    '  ',
    styled('yellow', short(oid)),
    '  ',
    styled(lookOf(role), pad(role ?? '-', 9)),
    `  ${cut(summaryOf(view, type), left)}`,
  ])
}

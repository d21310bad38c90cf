import { short } from '../../model/encoding/oid.ts'
import { asString, field } from '../../model/json.ts'
import { type Merged, merge, type SettingConflict } from '../../ops/merge.ts'
import { counted, did, firstLine } from '../../text/text.ts'
import { anything, arrayOf, described, integer, nullable, object, oneOf } from '../../verbs/schema.ts'
import { BRANCH_MOVE, oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { branch, flag, flagOff, option, required, revision, session, text } from '../parameters.ts'
import { branchMove } from '../render/moves.ts'

/** `sess merge`: merges another branch into a branch. */
export const command = defineCommand({
  effect: 'write',
  arguments: { revision: required(revision(), 'a branch or an entry') },
  options: {
    into: option(branch(), 'the target branch: SESSION/BRANCH, or a branch of the session'),
    session: option(session(), 'the session (@)'),
    summary: option(text('text'), 'a summary that the model sees instead of the entries'),
    ffOnly: flag('fast-forward, or fail', { excludes: ['ff', 'summary'] }),
    ff: flagOff('create a merge entry even if a fast-forward is possible'),
  },
  help: `A branch without entries of its own is fast-forwarded. Otherwise a merge entry with both parents is added: the model
sees the path of the branch, followed by what only the other side has. Model, thinking level and mode do not change.
A bare name is first looked up among the branches of the session.`,
  examples: [
    ['sess merge --session 3b1f at-1d9fca05', 'merge a branch'],
    ["sess merge --session 3b1f at-1d9fca05 --summary 'luxon works too'", 'merge a summary of it'],
  ],
  output: output(
    'One object.',
    object({
      ...BRANCH_MOVE,
      change: oneOf('merged', 'fast-forward', 'up-to-date'),
      other: oidSchema,
      base: described('the newest entry of the other path that this branch has', nullable(oidSchema)),
      entries: described('how many entries of the other path it lacked', integer),
      settled: described(
        'settings that differ: those of the branch stay',
        arrayOf(object({ setting: oneOf('model', 'thinking', 'mode'), kept: anything, other: anything })),
      ),
    }),
  ),
  run: async (call, { revision: name, ff, ffOnly, ...options }) => {
    const forward = ffOnly ? 'only' : ff ? 'auto' : 'never'
    const done = await merge(await call.repo(), name, { ...options, forward })
    return {
      data: done,
      render: () => [
        [`${doneText(call, done)}: `, ...branchMove(done)],
        ...done.settled.map((one) => [`  ${settledText(one)}`]),
      ],
      back: done.change === 'up-to-date' ? undefined : 'sess undo',
    }
  },
})

function doneText(call: Invocation, { change, other, entries }: Merged): string {
  const of = counted(entries, 'entry')
  switch (change) {
    case 'up-to-date':
      return `Up to date with ${short(other)}`
    case 'fast-forward':
      return `${did(call, 'Fast-forwarded')} by ${of}`
    case 'merged':
      return `${did(call, 'Merged')} ${of} of ${short(other)}`
  }
}

const settledText = ({ setting, kept, other }: SettingConflict): string =>
  `${setting === 'thinking' ? 'thinking level' : setting} stays ${valueText(kept)} (there: ${valueText(other)})`

const valueText = (value: SettingConflict['kept']): string =>
  firstLine(asString(value) ?? asString(field(value, 'id')) ?? 'unset')

import { short } from '../../model/encoding/oid.ts'
import { asString, field } from '../../model/json.ts'
import { counted, did, firstLine } from '../../text/text.ts'
import { merge } from '../../verbs/merge.ts'
import type { Merged, SettingConflict } from '../../verbs/types.ts'
import { defineCommand } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { flag, flagOff } from '../parameters.ts'
import { answerOf, outputOf } from '../present.ts'
import { branchMove } from '../render/moves.ts'

const { revision, into, session, summary } = merge.input

/** `sess merge`: merges another branch into a branch. */
export const command = defineCommand({
  effect: merge.effect,
  arguments: { revision },
  options: {
    into,
    session,
    summary,
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
  output: outputOf('One object.', merge.output),
  run: async (call, { ff, ffOnly, ...input }) => {
    const forward = ffOnly ? 'only' : ff ? 'auto' : 'never'
    const done = await merge.run(await call.context(), { ...input, forward })
    return answerOf(merge, done, {
      render: () => [
        [`${doneText(call, done)}: `, ...branchMove(done)],
        ...done.settled.map((one) => [`  ${settledText(one)}`]),
      ],
      back: done.change === 'up-to-date' ? undefined : 'sess undo',
    })
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

import { short } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import { quoted, typed } from '../../text/shellwords.ts'
import { counted, did } from '../../text/text.ts'
import { compact } from '../../verbs/compact.ts'
import { defineCommand } from '../define.ts'
import { answerOf, outputOf } from '../present.ts'
import { SUMMARIES, SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

const { revision, keepTokens, keepFrom, branch, session } = compact.input

/** `sess compact`: replaces the start of a path by a summary. */
export const command = defineCommand({
  effect: compact.effect,
  arguments: { revision },
  options: { keepTokens, keepFrom, branch, session, ...SUMMARY_OPTIONS },
  help: `The branch continues after the compaction entry; the entries replaced stay reachable, and sess undo reverts it.
An entry that is not the tip of a branch is compacted on a new branch, so the same entry can be compacted again with
another summary. A tool call is never separated from its result.

${SUMMARIES}`,
  examples: [
    ['sess compact 3b1f --keep-tokens 20', 'keep the end, and a digest of the rest'],
    [
      'sess compact 3b1f~1 --branch short --keep-tokens 0 --summary "Test it."',
      'the same with another summary',
    ],
    ['sess compact 019d3f52 --keep-from 019d3f52 --summarize "tail -n 9"', 'let a program summarize'],
  ],
  output: outputOf('One object.', compact.output),
  run: async (call, input) => {
    const context = await call.context()
    const { summary, ...how } = await summaryFrom(call, input)
    const done = await compact.run({ ...context, ...how }, { ...input, ...defined({ summary }) })
    const { session: id, branch: where, created, oid: made, before, summarized, kept } = done
    const place = quoted(where === null ? id : `${id}/${where}`)
    return answerOf(compact, done, {
      render: () => [
        [
          `${did(call, 'Compacted')} ${place}${created ? ' (a new branch)' : ''}: ${short(before)} -> ${short(made)}, ` +
            `${counted(summarized, 'message')} summarized, ${kept} kept`,
        ],
        [`about ${counted(done.tokensBefore, 'token')} before, ${counted(done.tokensAfter, 'token')} after`],
      ],
      notes: [
        `the original: sess context ${short(before)}`,
        ...(created && !call.dryRun
          ? [`continue there with: sess switch ${typed(`${id}/${where ?? ''}`)}`]
          : []),
      ],
      back: created ? undefined : 'sess undo',
    })
  },
})

import { short } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import { compact } from '../../ops/compact.ts'
import { counted, did } from '../../text/text.ts'
import { boolean, integer, nullable, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { count, current, option, revision, session, text } from '../parameters.ts'
import { quoted, typed } from '../shellwords.ts'
import { SUMMARIES, SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

/** `sess compact`: replaces the start of a path by a summary. */
export const command = defineCommand({
  effect: 'write',
  arguments: { revision: current(revision(), 'a session, a branch or an entry') },
  options: {
    keepTokens: option(count(), 'how many tokens to keep, estimated (20000); 0 for none'),
    keepFrom: option(revision(), 'the first entry to keep'),
    branch: option(text('name'), 'create a branch for it and leave the current one as it is'),
    session: option(session(), 'the session, if the revision names none'),
    ...SUMMARY_OPTIONS,
  },
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
  output: output(
    'One object.',
    object({
      session: string,
      branch: nullable(string),
      created: boolean,
      oid: oidSchema,
      before: oidSchema,
      firstKept: nullable(oidSchema),
      summarized: integer,
      kept: integer,
      tokensBefore: integer,
      tokensAfter: integer,
      summary: string,
    }),
  ),
  run: async (call, { revision: name, keepTokens, keepFrom, branch: onto, session: owner, ...from }) => {
    const done = await compact(await call.repo(), name, {
      ...defined({ keepTokens, keepFrom, branch: onto, session: owner }),
      ...(await summaryFrom(call, from)),
    })
    const { session: id, branch: where, created, oid: made, before, summarized, kept } = done
    const place = quoted(where === null ? id : `${id}/${where}`)
    return {
      data: done,
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
    }
  },
})

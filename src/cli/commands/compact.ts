import { short } from '../../model/oid.ts'
import { type Compacted, compact } from '../../ops/compact.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count } from '../options.ts'
import { quoted, typed } from '../quoted.ts'
import { counted } from '../render/text.ts'
import { SUMMARIES, type Summarizing, summaryFrom, withSummaries } from '../summarizing.ts'

interface Options extends Summarizing {
  readonly session?: string
  readonly keepTokens?: number
  readonly keepFrom?: string
  readonly branch?: string
}

/** `sess compact`: replaces the start of a path by a summary. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session, a branch or an entry', '@')
    .option('--keep-tokens <n>', 'how many tokens to keep, estimated (20000); 0 for none', count)
    .option('--keep-from <revision>', 'the first entry to keep')
    .option('--branch <name>', 'create a branch for it and leave the current one as it is')
    .option('--session <session>', 'the session, if the revision names none')
  withSummaries(command)
    .addHelpText(
      'after',
      `
The branch continues after the compaction entry; the entries replaced stay reachable, and sess undo reverts it.
An entry that is not the tip of a branch is compacted on a new branch, so the same entry can be compacted again with
another summary. A tool call is never separated from its result.

${SUMMARIES}`,
    )
    .action(
      act(async (call, revision: string, { session, keepTokens, keepFrom, branch, ...from }: Options) => {
        const { io } = call
        const options = {
          ...(await summaryFrom(call, from)),
          ...(session !== undefined && { session }),
          ...(keepTokens !== undefined && { keepTokens }),
          ...(keepFrom !== undefined && { keepFrom }),
          ...(branch !== undefined && { branch }),
        }
        const done = await compact(await call.repo(), revision, options)
        if (io.json) {
          await io.data(done)
          return
        }
        await io.print(told(done))
        const { tokensBefore: before, tokensAfter: after } = done
        await io.print(`About ${counted(before, 'token')} before, ${counted(after, 'token')} after`)
        await io.note(`the original: sess context ${short(done.before)}`)
        if (done.created)
          await io.note(`go on there with: sess switch ${typed(`${done.session}/${done.branch ?? ''}`)}`)
        else await io.note('take it back with: sess undo')
      }),
    )
  examples(command, [
    ['sess compact 3b1f --keep-tokens 20', 'keep the end, and a digest of the rest'],
    [
      'sess compact 3b1f~1 --branch short --keep-tokens 0 --summary "Test it."',
      'the same with another summary',
    ],
    ['sess compact 019d3f52 --keep-from 019d3f52 --summarize "tail -n 9"', 'let a program summarize'],
  ])
}

function told({ session, branch, created, oid, before, summarized, kept }: Compacted): string {
  const where = branch === null ? quoted(session) : quoted(`${session}/${branch}`)
  const how = created ? ' (a new branch)' : ''
  return `Compacted ${where}${how}: ${short(before)} -> ${short(oid)}, ${counted(summarized, 'message')} summarised, ${kept} kept`
}

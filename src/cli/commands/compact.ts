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

/** `sess compact`: lets a summary stand for the beginning of a path. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session, a branch or an entry', '@')
    .option('--keep-tokens <n>', 'how many tokens to keep, estimated (20000); 0 keeps nothing', count)
    .option('--keep-from <revision>', 'the entry from which on all is kept')
    .option('--branch <name>', 'make a branch for it; the one that is compacted stays')
    .option('--session <session>', 'the session, where the revision names none')
  withSummaries(command)
    .addHelpText(
      'after',
      '\nThe branch goes on behind a compaction; what it stands for stays reachable, and sess undo takes it back.\n' +
        'An entry that is no tip of a branch is compacted on a new branch: so the same place can be compacted again\n' +
        `with another summary. Calls are not parted from their results.\n\n${SUMMARIES}`,
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
      'the same again, said otherwise',
    ],
    ['sess compact 019d3f52 --keep-from 019d3f52 --summarize "tail -n 9"', 'have a program say it'],
  ])
}

function told({ session, branch, created, oid, before, summarized, kept }: Compacted): string {
  const where = branch === null ? quoted(session) : quoted(`${session}/${branch}`)
  const how = created ? ' (a new branch)' : ''
  return `Compacted ${where}${how}: ${short(before)} -> ${short(oid)}, ${counted(summarized, 'message')} summarised, ${kept} kept`
}

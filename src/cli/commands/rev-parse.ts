import { revParse, shortOid } from '../../ops/revparse.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly short?: boolean
  readonly z?: boolean
}

/** `sess rev-parse`: gives the oids of revisions. */
export const define: Define = (command, act) => {
  command
    .argument('<revision...>', 'sessions or entries')
    .option('--short', 'print the shortest unique prefix, at least 10 digits')
    .option('-z', 'end lines with NUL')
    .action(
      act(async (call, revisions: string[], { short = false, z }: Options) => {
        const repo = await call.repo()
        for (const revision of revisions) {
          const oid = await revParse(repo, revision)
          const digits = short ? await shortOid(repo, oid) : oid
          await call.io.record(digits, { oid, ...(short ? { short: digits } : {}) }, z)
        }
      }),
    )
  examples(command, [
    ['sess rev-parse 3b1f', 'the oid of the current entry of a session'],
    ['sess rev-parse --short 3b1f/main 3b1f~2', 'several, in short'],
  ])
}

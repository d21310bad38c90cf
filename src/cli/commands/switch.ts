import { SessError } from '../../model/errors.ts'
import { short } from '../../model/oid.ts'
import { createBranch } from '../../ops/branch.ts'
import { log } from '../../ops/log.ts'
import { switchTo } from '../../ops/switch.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Head } from '../../repo/session.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { quoted, typed } from '../quoted.ts'

interface Options {
  readonly session?: string
  readonly create?: string
}

/** `sess switch`: makes a session stand on another branch or entry. */
export const define: Define = (command, act) => {
  command
    .argument('<revision>', 'session/branch, an entry, or with --session a branch of it')
    .option('--session <session>', 'the session, where the revision names none')
    .option('-c, --create <name>', 'make a branch at the revision and switch to it')
    .addHelpText('after', '\nThe next append continues from there. Nothing that was said is lost.')
    .action(
      act(async (call, revision: string, { session, create }: Options) => {
        const { io } = call
        const repo = await call.repo()
        const owner = create === undefined ? session : (session ?? (await sessionOf(repo, revision)))
        if (owner !== undefined && create !== undefined) await createBranch(repo, owner, create, revision)
        const done = await switchTo(repo, create ?? revision, owner)
        if (io.json) {
          await io.data(done)
          return
        }
        await io.print(`Session ${done.session} stands on ${told(done.head)} (${short(done.tip)}) now`)
        const back = 'branch' in done.before ? done.before.branch : done.before.oid
        if (JSON.stringify(done.head) !== JSON.stringify(done.before))
          await io.note(
            `go back with: sess switch --session ${quoted(done.session)} ${back === null ? '--root' : typed(back)}`,
          )
        if (!('branch' in done.head))
          call.hint(
            'detached',
            `what is appended here is on no branch; make one with: sess switch -c NAME ${typed(done.session)}`,
          )
      }),
    )
  examples(command, [
    ['sess switch 3b1f/at-4aa71938', 'go on with another branch'],
    ['sess switch -c try 3b1f/main~2', 'make a branch at an earlier entry and go on there'],
  ])
}

const told = (head: Head): string => ('branch' in head ? `branch ${head.branch}` : 'an entry of no branch')

/** Gives the session through which a revision names its entry. */
async function sessionOf(repo: Repo, revision: string): Promise<string> {
  for await (const { session } of log(repo, revision, { limit: 1 })) if (session !== null) return session
  throw new SessError('bad-usage', `'${revision}' names an entry and no session`, {
    hint: 'name the session too, with --session SESSION',
  })
}

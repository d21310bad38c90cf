import { SessError } from '../../model/errors.ts'
import { createBranch } from '../../ops/branch.ts'
import type { Switched } from '../../ops/events.ts'
import { log } from '../../ops/log.ts'
import { switchTo, switchToRoot } from '../../ops/switch.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { typed } from '../quoted.ts'
import { placeText, wayBack } from '../render/standing.ts'

interface Options {
  readonly session?: string
  readonly create?: string
  readonly root?: boolean
}

const HOW = { hint: "type 'sess help switch' to see how it is used" }

/** `sess switch`: switches a session to another branch or entry, or to before its first one. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'SESSION/BRANCH, an entry, or with --session a branch of it')
    .option('--session <session>', 'the session, if the revision names none')
    .option('-c, --create <name>', 'create a branch at the revision, and switch to it')
    .option('--root', 'go to before the first entry: the next append starts a new conversation')
    .addHelpText('after', '\nThe next append continues from there. No entry is lost.')
    .action(
      act(async (call, revision: string | undefined, options: Options) => {
        const { io } = call
        const done = await moved(await call.repo(), revision, options)
        if (io.json) {
          await io.data(done)
          return
        }
        const { session, head, tip, before } = done
        await io.print(`Session ${session} stands ${placeText(head, tip)} now`)
        if (JSON.stringify(head) !== JSON.stringify(before)) await io.note(`go back with: ${wayBack(done)}`)
        if (!('branch' in head))
          call.hint(
            'detached',
            `what is appended here is on no branch; make one with: sess switch -c NAME ${head.oid === null ? '--root ' : ''}${typed(session)}`,
          )
      }),
    )
  examples(command, [
    ['sess switch 3b1f/at-1d9fca05', 'switch to another branch'],
    ['sess switch -c try 3b1f/main~2', 'create a branch at an earlier entry, and switch to it'],
    ['sess switch --root 3b1f', 'start another conversation in the same session'],
  ])
}

async function moved(
  repo: Repo,
  revision: string | undefined,
  { session, create, root = false }: Options,
): Promise<Switched> {
  if (root) {
    if (session !== undefined && revision !== undefined)
      throw new SessError('bad-usage', '--root takes one session', HOW)
    return switchToRoot(repo, session ?? revision ?? '@', create, { makeCurrent: true })
  }
  if (revision === undefined) throw new SessError('bad-usage', 'no revision was named', HOW)
  const owner = create === undefined ? session : (session ?? (await sessionOf(repo, revision)))
  if (owner !== undefined && create !== undefined) await createBranch(repo, owner, create, revision)
  return switchTo(repo, create ?? revision, owner, { makeCurrent: true })
}

/** Returns the session through which a revision names its entry. */
async function sessionOf(repo: Repo, revision: string): Promise<string> {
  for await (const { session } of log(repo, revision, { limit: 1 })) if (session !== null) return session
  throw new SessError('bad-usage', `'${revision}' names an entry and no session`, {
    hint: 'name the session too, with --session SESSION',
  })
}

import { SessError } from '../../model/errors.ts'
import { createBranch } from '../../ops/branch.ts'
import type { Switched } from '../../ops/events.ts'
import { log } from '../../ops/log.ts'
import { switchTo, switchToRoot } from '../../ops/switch.ts'
import type { Repo } from '../../repo/repo.ts'
import { did } from '../../text/text.ts'
import { described, nullable, object, string } from '../../verbs/schema.ts'
import { headSchema, oidSchema } from '../../verbs/wire.ts'
import { defineCommand, misuse, output } from '../define.ts'
import { flag, option, optional, revision, session, text } from '../parameters.ts'
import { placeText, wayBack } from '../render/moves.ts'
import { typed } from '../shellwords.ts'

/** `sess switch`: switches a session to another branch or entry, or to before its first one. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    revision: optional(revision(), 'SESSION/BRANCH, an entry, or with --session a branch of it'),
  },
  options: {
    session: option(session(), 'the session, if the revision names none'),
    create: option(text('name'), 'create a branch at the revision, and switch to it', { short: 'c' }),
    root: flag('go to before the first entry: the next append starts a new conversation'),
  },
  help: 'The next append continues from there. No entry is lost.',
  examples: [
    ['sess switch 3b1f/at-1d9fca05', 'switch to another branch'],
    ['sess switch -c try 3b1f/main~2', 'create a branch at an earlier entry, and switch to it'],
    ['sess switch --root 3b1f', 'start another conversation in the same session'],
  ],
  output: output(
    'One object.',
    object(
      {
        session: string,
        head: headSchema,
        tip: nullable(oidSchema),
        before: headSchema,
        beforeTip: nullable(oidSchema),
      },
      { folder: described('the folder in which the session is current now', string) },
    ),
  ),
  run: async (call, { revision: name, ...options }) => {
    const done = await moved(await call.repo(), name, options)
    const { session: id, head, tip, before } = done
    if (!('branch' in head) && !call.dryRun)
      call.hint(
        'detached',
        `entries appended here are on no branch; create one with: sess switch -c NAME ${head.oid === null ? '--root ' : ''}${typed(id)}`,
      )
    return {
      data: done,
      render: () => [[`${did(call, 'Switched')} session ${id} to ${placeText(head, tip)}`]],
      back: JSON.stringify(head) === JSON.stringify(before) ? undefined : wayBack(done),
    }
  },
})

async function moved(
  repo: Repo,
  name: string | undefined,
  {
    session: owner,
    create,
    root,
  }: { readonly session?: string; readonly create?: string; readonly root: boolean },
): Promise<Switched> {
  if (root) {
    if (owner !== undefined && name !== undefined) throw misuse('switch', '--root takes one session')
    return switchToRoot(repo, owner ?? name ?? '@', create, { makeCurrent: true })
  }
  if (name === undefined) throw misuse('switch', 'no revision was named')
  if (create === undefined) return switchTo(repo, name, owner, { makeCurrent: true })
  const id = owner ?? (await sessionOf(repo, name))
  await createBranch(repo, id, create, name)
  return switchTo(repo, create, id, { makeCurrent: true })
}

/** Returns the session through which a revision names its entry. */
async function sessionOf(repo: Repo, name: string): Promise<string> {
  for await (const { session: id } of log(repo, name, { limit: 1 })) if (id !== null) return id
  throw new SessError('bad-usage', `'${name}' names an entry and no session`, {
    hint: 'name the session too, with --session SESSION',
  })
}

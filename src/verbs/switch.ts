import { SessError } from '../model/errors.ts'
import { createBranch } from '../ops/branch.ts'
import type { Switched } from '../ops/events.ts'
import { log } from '../ops/log.ts'
import { type SwitchOptions, switchTo, switchToRoot } from '../ops/switch.ts'
import { flag, type GivenInput, optional } from './input.ts'
import type { Store } from './open.ts'
import { described, nullable, object, string } from './schema.ts'
import { revision, session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { headSchema, oidSchema } from './wire.ts'

const input = {
  revision: optional(revision(), 'SESSION/BRANCH, an entry, or with --session a branch of it'),
  session: optional(session(), 'the session, if the revision names none'),
  create: optional(text('name'), 'create a branch at the revision, and switch to it'),
  root: flag('go to before the first entry: the next append starts a new conversation'),
}

export const switchHead = verb({
  name: 'switch',
  summary: 'switch a session to another branch or entry',
  effect: 'write',
  input,
  output: output(
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
  run: ({ repo }, asked) => switchSession(repo, asked, { makeCurrent: true }),
})

/** Switches a session; with `makeCurrent` it becomes the current one of the folder. Throws as the verb. */
export async function switchSession(
  repo: Store,
  { revision: name, session: owner, create, root = false }: GivenInput<typeof input>,
  how: SwitchOptions = {},
): Promise<Switched> {
  if (root) {
    if (owner !== undefined && name !== undefined)
      throw new SessError('bad-usage', 'before its first entry goes one session')
    return switchToRoot(repo, owner ?? name ?? '@', create, how)
  }
  if (name === undefined) throw new SessError('bad-usage', 'no revision was named')
  if (create === undefined) return switchTo(repo, name, owner, how)
  const id = owner ?? (await sessionOf(repo, name))
  await createBranch(repo, id, create, name)
  return switchTo(repo, create, id, how)
}

/** Returns the session through which a revision names its entry. */
async function sessionOf(repo: Store, name: string): Promise<string> {
  for await (const { session: id } of log(repo, name, { limit: 1 })) if (id !== null) return id
  throw new SessError('bad-usage', `'${name}' names an entry and no session`, {
    remedy: { kind: 'name-session' },
  })
}

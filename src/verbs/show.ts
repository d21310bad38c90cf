import type { Shown } from '../ops/show.ts'
import { current, optional } from './input.ts'
import { revision, session } from './values.ts'
import { type Output, verb } from './verb.ts'
import { entryData, fullEntrySchema } from './wire.ts'

/** Returns an entry with everything that is known of it as JSON. */
export const shownData = (shown: Shown): object => {
  const {
    digest,
    branches,
    moreBranches,
    labels,
    set,
    git,
    pullRequests,
    agents,
    continuedIn,
    outputs,
    body,
    record,
    around,
    reportedCost,
  } = shown
  return {
    ...entryData(shown),
    branches,
    ...(moreBranches && { moreBranches }),
    labels,
    set,
    git,
    pullRequests,
    agents,
    continuedIn,
    digest,
    body,
    record,
    ...(outputs.length > 0 && { outputs }),
    answers: [...around.counterparts].map(([id, { oid }]) => ({ id, oid })),
    after: around.after?.oid ?? null,
    reportedCost,
  }
}

/** An entry in full: its JSON leaves the view out. */
const fullEntry: Output<Shown> = { schema: fullEntrySchema, wire: shownData }

export const show = verb({
  name: 'show',
  summary: 'show an entry in full',
  effect: 'read',
  input: {
    revision: current(revision(), 'a session or an entry'),
    session: optional(session(), 'the session that an oid is shown in: it has its time, and what follows it'),
  },
  output: fullEntry,
  run: async ({ repo }, { revision: name, session: owner }) => {
    // Loaded while the database opens.
    const { show: entryOf } = await import('../ops/show.ts')
    return entryOf(repo, name, owner)
  },
})

import { type ListedBranch, listBranches } from '../ops/branch.ts'
import type { BranchList } from '../ops/branchlist.ts'
import { current, flag } from './input.ts'
import type { VerbContext } from './open.ts'
import { arrayOf, boolean, described, integer, nullable, object, string } from './schema.ts'
import { session } from './values.ts'
import { listOf, type Output, output, verb } from './verb.ts'
import { oidSchema, timestamp, USAGE_TOTALS } from './wire.ts'

const branchSchema = object(
  {
    name: string,
    oid: oidSchema,
    current: boolean,
    labels: arrayOf(string),
    forkPoint: described(
      'where it parts from another branch, null if it begins at a root',
      nullable(oidSchema),
    ),
    entries: described('its own entries since then, like the following counts', integer),
    calls: integer,
    estimated: described('tokens', integer),
  },
  {
    figures: described(
      'with -v',
      object({
        messages: integer,
        ...USAGE_TOTALS,
        lastActivity: nullable(timestamp),
      }),
    ),
  },
)

const all = listOf(output(branchSchema))

/** The branches; the position of the session is for interfaces in the same process. */
const listed: Output<BranchList> = { ...all, wire: ({ branches }) => all.wire(branches) }

export const branches = verb({
  name: 'branches',
  summary: 'list the branches of a session',
  effect: 'read',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    verbose: flag('list with fork points, messages, tokens, cost and last activity'),
  },
  output: listed,
  run: async ({ repo, priceOf }, { session: owner, verbose }) => {
    // Loaded on use: the other verbs of branches read no body.
    const { branchList } = await import('../ops/branchlist.ts')
    return branchList(repo, owner, { figures: verbose, priceOf })
  },
})

/** Returns the branches by name, without counting their entries. Throws `no-session`. */
export const branchNames = ({ repo }: Pick<VerbContext, 'repo'>, owner: string): Promise<ListedBranch[]> =>
  listBranches(repo, owner)

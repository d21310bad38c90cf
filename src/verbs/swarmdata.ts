import type { Swarm, SwarmBranch } from '../ops/swarm.ts'
import { required } from './input.ts'
import { arrayOf, boolean, described, integer, nullable, object, string } from './schema.ts'
import { text } from './values.ts'
import { type Output, sentAs } from './verb.ts'
import { oidSchema, timestamp } from './wire.ts'

/** The input that names a swarm. */
export const swarmName = required(text('swarm'), 'the name of the swarm')

const branchSchema = object({
  name: described('its name in the swarm', string),
  session: string,
  branch: described('null for the current branch of its session', nullable(string)),
  about: described('what is tried there', nullable(string)),
  oid: described('its tip; null without entries', nullable(oidSchema)),
  entries: described('how many entries its path has', integer),
  current: boolean,
})

/** A member of a swarm. */
export const swarmBranchOutput: Output<SwarmBranch> = sentAs(branchSchema, (branch: SwarmBranch) => ({
  ...branch,
}))

/** A swarm with its members. */
export const swarmOutput: Output<Swarm> = sentAs(
  object({
    name: string,
    task: nullable(string),
    session: described('in which branches are made for it', string),
    created: nullable(timestamp),
    branches: arrayOf(branchSchema),
  }),
  (swarm: Swarm) => ({ ...swarm, branches: swarm.branches.map((branch) => ({ ...branch })) }),
)

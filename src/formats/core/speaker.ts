import { asString, type Json } from '../../model/json.ts'
import { type Block, ROLES, type Role } from '../../model/view.ts'

/**
 * Returns who speaks, by the role that a message names and its blocks: what tools gave comes in the user's name where the
 * API has no role for it. Null where the role is none.
 */
export function speakerOf(named: Json | undefined, blocks: readonly Block[]): Role | null {
  const role = ROLES.find((known) => known === asString(named)) ?? null
  const results = blocks.some((block) => block.kind === 'toolResult')
  const only = blocks.every((block) => block.kind === 'toolResult' || block.kind === 'image')
  return role === 'user' && results && only ? 'tool' : role
}

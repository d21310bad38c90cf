import type { Format } from '../../formats/core/format.ts'
import type { Reader } from '../../repo/reader.ts'
import {
  findExporter,
  findTrunk,
  type SessionState,
  type SourceHead,
  type StoredClaim,
  wholeSession,
} from '../../repo/session.ts'
import type { Ingester } from './ingester.ts'

/** A session that was imported from a file. */
export type ImportedSession = SessionState & { readonly source: SourceHead }

/** Returns what is kept of a file's claim to its id. `inherits` is whether it refers to its history. */
export function storedClaim(
  { conversational }: Pick<Format, 'conversational'>,
  { facts, sourceEntries }: Pick<Ingester, 'facts' | 'sourceEntries'>,
  inherits: boolean,
): Pick<SourceHead, 'claim'> {
  const claim: StoredClaim = {
    ...(conversational && !sourceEntries.speaks && !inherits && { silent: true }),
    ...(facts.subagent && { subagent: true }),
  }
  return Object.keys(claim).length > 0 ? { claim } : {}
}

/** Returns whether a session was imported from a file in which somebody speaks. */
export const isConversation = (session: SessionState | undefined): session is ImportedSession =>
  session?.source !== undefined && session.source.claim?.silent !== true && session.source.entries > 0

/** Returns the conversation that has an id here, or that was exported to another agent under it. */
export async function conversationOf(reader: Reader, id: string): Promise<ImportedSession | undefined> {
  const found = (await findTrunk(reader, id)) ?? (await findExporter(reader, id))
  const session = found && (await wholeSession(reader, found))
  return isConversation(session) ? session : undefined
}

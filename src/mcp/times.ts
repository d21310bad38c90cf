import { holders } from '../verbs/holders.ts'
import { log } from '../verbs/log.ts'
import type { VerbContext } from '../verbs/open.ts'
import { perform } from '../verbs/verb.ts'

/** Returns the id of a session that has the entry of a revision: the one that the revision names, if it names one. */
export const sessionOf = async (context: VerbContext, revision: string): Promise<string | null> =>
  (await perform(holders, context, { revision })).result?.[0]?.session ?? null

/** Returns when each of some entries was said in a session, as far as that is known. */
export async function timesOf(
  context: VerbContext,
  session: string | null,
  oids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (session === null || oids.length === 0) return new Map()
  const { result } = await perform(log, context, {
    ...{ revision: session, revset: oids.map((oid) => `present("${oid}")`).join(' | '), limit: oids.length },
    ...{ path: [], all: false, everywhere: false, whole: false, usage: false, reverse: false },
  })
  return new Map((result?.items ?? []).map(({ oid, time }) => [oid, time]))
}

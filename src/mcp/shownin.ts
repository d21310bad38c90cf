import type { VerbContext } from '../verbs/open.ts'
import { show } from '../verbs/show.ts'
import type { Shown } from '../verbs/types.ts'
import { perform } from '../verbs/verb.ts'
import { sessionOf } from './times.ts'

/** Returns an entry in the session that is named, in that of the revision, or in one that has the entry. */
export async function shownIn(context: VerbContext, name: string, owner?: string): Promise<Shown | null> {
  const inside = (of?: string) =>
    perform(show, context, { revision: name, ...(of !== undefined && { session: of }) })
  const { result } = await inside(owner)
  if (!result || result.session !== null) return result
  const holder = await sessionOf(context, name)
  return holder === null ? result : (await inside(holder)).result
}

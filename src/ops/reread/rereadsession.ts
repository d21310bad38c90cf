import type { Base, Format } from '../../formats/core/format.ts'
import { defined } from '../../model/json.ts'
import { awaitedRef } from '../../model/refname.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import type { SessionState, SourceHead } from '../../repo/session.ts'
import { type BaseSearch, originOf, sharedWith, standingOf } from '../import/base.ts'
import { Indexer } from '../indexing.ts'
import { moveRefs, type Replacements, type RereadSession } from './carryrefs.ts'
import { Rereading } from './parseagain.ts'

/** A session with a source that is to be read again. */
export interface SessionToReread {
  readonly session: SessionState
  readonly source: SourceHead
  readonly format: Format
  /** The base that the source names, if its place is to be determined again. */
  readonly base?: { readonly named: Base; readonly found: BaseSearch }
}

/**
 * Parses the stored bytes of a session's source again, and moves the refs of the session. The former entries and those that
 * take their place are added to `replacements`. The caller moves what refers to the session.
 */
export async function rereadSession(
  repo: Repo,
  change: Change,
  { session, source, format, base }: SessionToReread,
  replacements: Replacements,
): Promise<RereadSession> {
  const { reader, writer } = change
  const origin = base ? await originOf(reader, base.named, base.found) : source.origin
  const found = typeof base?.found === 'object' ? base.found : undefined
  const indexer = new Indexer(reader, writer)
  const rereading = new Rereading(
    change,
    indexer,
    format,
    { ...session, source },
    await standingOf(reader, defined({ origin })),
  )
  await rereading.read(() => repo.checkStop())
  await indexer.end()
  if (found?.entry !== undefined)
    change.cover(session.id, { session: { id: found.session, upTo: found.entry } })
  if (origin) await noteAwaited(change, session.id, origin.session, origin.entry === undefined)
  const fork = found ? await sharedWith(reader, found) : session.meta.fork
  const again: RereadSession = { session, source, format, rereading, ...defined({ origin, fork }) }
  await moveRefs(change, again, replacements)
  return again
}

/** Notes that a session waits for its base, or no longer. */
async function noteAwaited(
  { reader, move }: Change,
  session: string,
  base: string,
  waits: boolean,
): Promise<void> {
  const ref = awaitedRef(base, session)
  const before = await reader.ref(ref)
  if (waits !== (before !== undefined)) move(ref, before, waits ? {} : undefined)
}

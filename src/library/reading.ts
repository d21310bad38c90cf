import { withUsual } from '../verbs/input.ts'
import { contextOf, type Store } from '../verbs/open.ts'
import type { Page } from '../verbs/page.ts'
import type { CallParts } from './perform.ts'
import type { LogEntry, LogOptions, LogPageOptions, SelectOptions } from './types.ts'

/** The number of items of a page whose size is not asked for. */
export const PAGE_SIZE = 50

/** Yields the entries that a revision or a range reaches. Throws as the verb. */
export async function* logOf(
  store: Store,
  revision: string,
  { touches, ...options }: LogOptions = {},
): AsyncGenerator<LogEntry> {
  const { log } = await import('../verbs/log.ts')
  yield* log.items(contextOf(store), withUsual(log.input, { ...options, revision, path: touches ?? [] }))
}

/** Returns a page of the entries that a revision or a range reaches. Throws as the verb. */
export async function logPageOf(
  store: Store,
  revision: string,
  { touches, ...options }: LogPageOptions = {},
): Promise<Page<LogEntry>> {
  const { log } = await import('../verbs/log.ts')
  const input = { limit: PAGE_SIZE, ...options, revision, path: touches ?? [] }
  return log.run(contextOf(store), withUsual(log.input, input))
}

/** Yields the entries that an expression selects. Throws as the verb. */
export async function* selected(
  store: Store,
  revset: string,
  { session, everywhere, limit, usage, zone, priceOf }: SelectOptions = {},
): AsyncGenerator<LogEntry> {
  const { log } = await import('../verbs/log.ts')
  const scope = everywhere ? { everywhere } : { revision: session }
  const parts: CallParts = { ...(zone && { zone }), ...(priceOf && { priceOf }) }
  yield* log.items(
    contextOf(store, parts),
    withUsual(log.input, { ...scope, revset, limit, ...(usage !== undefined && { usage }) }),
  )
}

import { defined } from '../model/json.ts'
import { withUsual } from '../verbs/input.ts'
import { contextOf, type Store } from '../verbs/open.ts'
import type { Page } from '../verbs/page.ts'
import type { CallParts } from './perform.ts'
import type {
  ExportOptions,
  FoundSecret,
  LogEntry,
  LogOptions,
  LogPageOptions,
  ScanOptions,
  SelectOptions,
} from './types.ts'

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

/** Yields the bytes of a session. Throws as the verb. */
export async function* exportOf(
  store: Store,
  session: string,
  { redact: find, secrets: secret = [], onLoss = () => undefined, ...chosen }: ExportOptions,
): AsyncGenerator<Uint8Array> {
  const { exported, exportVerb } = await import('../verbs/export.ts')
  const given = { ...chosen, session, redact: find !== undefined, secret }
  yield* exported(
    contextOf(store, defined({ findSecrets: find })),
    withUsual(exportVerb.input, given),
    onLoss,
  )
}

/** Yields the secrets of a store, or of revisions. Throws as the verb. */
export async function* secretsOf(
  store: Store,
  { find: findSecrets, revisions = [], onProgress }: ScanOptions,
): AsyncGenerator<FoundSecret> {
  const { scan } = await import('../verbs/scan.ts')
  yield* scan.items(contextOf(store, defined({ findSecrets, onProgress })), { revision: revisions })
}

import { reachable } from '../../graph/walk.ts'
import { collected } from '../../model/async.ts'
import { joined } from '../../model/bytes.ts'
import { isOid, type Oid, oidOf } from '../../model/encoding/oid.ts'
import { hasher } from '../../model/encoding/sha256.ts'
import type { EntrySet } from '../../model/entryset.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogId, LogRecord } from '../../model/record.ts'
import type { CoveredSession } from '../../model/search/searchindex.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { bytesOfRecord, readHeaders, readRecords } from '../../repo/records.ts'
import {
  allSessions,
  type ExportHead,
  type LogHead,
  type LogPrefixes,
  nativeLogs,
  recordsOf,
  type SessionState,
  type SourceHead,
} from '../../repo/session.ts'
import { decompressed } from '../../sources/compressed.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import { NO_HASH, nextHash } from '../import/logtarget.ts'
import { attempt, type FindingPlace, type Report } from './finding.ts'
import { entryRefs, handleOf, unlessDamaged } from './impact.ts'
import { isUsageRight } from './usage.ts'

interface SessionsCheck {
  /** Entries that are known to have no usage. */
  readonly unused: EntrySet
  readonly onCheck: (done: number) => void
}

/** Checks the refs and logs of all sessions. Returns the number of sessions and of their records. */
export async function checkSessions(
  reader: Reader,
  report: Report,
  { unused, onCheck }: SessionsCheck,
): Promise<{ sessions: number; records: number }> {
  let [sessions, records] = [0, 0]
  let covered: ReadonlyMap<string, CoveredSession> = new Map()
  const forkBases = new ForkBases(reader, report)
  await attempt(report, 'index', 'the extents', async () => {
    covered = new Map((await reader.index.sessions()).map((session) => [session.id, session]))
  })
  await attempt(report, 'ref', 'the refs', async () => {
    for await (const session of allSessions(reader)) {
      onCheck(++sessions)
      const tips: EntryHandle[] = []
      for (const [name, ref, oid] of entryRefs(session)) {
        const subject = `${session.id}/${name}`
        const handle = isOid(oid) ? await handleOf(reader, oid) : undefined
        if (handle === undefined)
          report('missing', subject, `the entry ${oid} that it names is missing`, { refs: [subject], ref })
        else tips.push(handle)
      }
      await checkCoverage(reader, session.id, tips, covered.get(session.id), report)
      await checkLogs(reader, session, report)
      if (!(await isUsageRight(reader, session, unused)))
        report('index', session.id, 'the usage that is kept with its logs is not that of its records')
      await forkBases.check(session)
      records += recordsOf(session)
    }
  })
  return { sessions, records }
}

/** Checks that a search of a session looks at all entries that its refs reach, unless one of them is damaged. */
async function checkCoverage(
  reader: Reader,
  session: string,
  tips: readonly EntryHandle[],
  covered: CoveredSession | undefined,
  report: Report,
): Promise<void> {
  let missed = 0
  const reached = await unlessDamaged(() => reachable(tips, lookIn(reader)))
  for (const entry of reached ?? []) if (!covered?.mayReach(entry)) missed++
  if (missed > 0)
    report('index', session, `a search would not find ${missed} of its entries`, { refs: [session] })
}

/** Checks that the logs whose records serve the shared paths of forks have them all. Reads each log once. */
class ForkBases {
  readonly #reader: Reader
  readonly #report: Report
  /** By log, how many of its first records were found, and the error of the one that follows them. */
  readonly #found = new Map<LogId, { readonly count: number; readonly error?: unknown }>()

  constructor(reader: Reader, report: Report) {
    this.#reader = reader
    this.#report = report
  }

  async check({ id, meta }: SessionState): Promise<void> {
    for (const [log, count] of meta.fork?.base ?? [])
      await attempt(
        this.#report,
        'log',
        id,
        () => this.#read(log, count),
        () => ({ refs: [id] }),
      )
  }

  async #read(log: LogId, wanted: number): Promise<void> {
    let { count, error } = this.#found.get(log) ?? { count: 0 }
    if (error === undefined)
      try {
        for await (const _ of readHeaders(this.#reader, log, count, wanted)) count++
      } catch (thrown) {
        error = thrown
      }
    this.#found.set(log, { count, error })
    if (count < wanted) throw error
  }
}

/** A log of a session that is being checked. */
interface CheckedLog {
  readonly session: string
  /** The ref that names it, as `SESSION/NAME`. */
  readonly ref: string
  /** The tip after the last record that was read. */
  tip: EntryHandle | undefined
}

async function checkLogs(reader: Reader, session: SessionState, report: Report): Promise<void> {
  const { id, source, natives, exports, files } = session
  const check = async (ref: string, work: (log: CheckedLog) => Promise<void>): Promise<void> => {
    const log: CheckedLog = { session: id, ref: `${id}/${ref}`, tip: undefined }
    await attempt(
      report,
      'log',
      id,
      () => work(log),
      () => placeOf(reader, log),
    )
  }
  for (const [writer, head] of natives)
    await check(`natives/${writer}`, (log) =>
      checkLog(reader, log, { ...hashOf(head), logs: nativeLogs(head) }, report),
    )
  if (source) await check('source', (log) => checkSource(reader, log, source, report))
  for (const [name, head] of exports)
    await check(`exports/${name}`, (log) => checkSource(reader, log, head, report))
  for (const [name, head] of files)
    await check(`files/${name}`, (log) => checkSource(reader, log, head, report))
}

/** Returns the location of a finding in an incomplete log. */
const placeOf = async (reader: Reader, { ref, tip }: CheckedLog): Promise<FindingPlace> => ({
  refs: [ref],
  lastGood: tip === undefined ? null : await reader.oid(tip),
})

async function checkSource(
  reader: Reader,
  log: CheckedLog,
  source: SourceHead | ExportHead,
  report: Report,
): Promise<void> {
  const hash = hasher()
  let bytes = 0
  for await (const chunk of sourceBytes(reader, source, Number.POSITIVE_INFINITY)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (source.expunged) {
    // The original bytes are gone, so there is nothing to compare; the checksum of each value still guards it.
  } else if (bytes !== source.bytes)
    report('source', log.session, `its log gives ${bytes} bytes, not ${source.bytes}`, { refs: [log.ref] })
  else if (oidOf(hash.digest()) !== source.sha256)
    report('source', log.session, 'its log does not give back the bytes that were read', { refs: [log.ref] })
  if (source.packed && !source.expunged) await checkPacked(reader, log, source.packed, source, report)
  const written = 'written' in source ? [source.written] : []
  const logs = [[source.log, source.count] as const, ...written]
  await checkLog(reader, log, { ...hashOf(source), logs }, report)
}

/** Checks that the kept compressed file of a source decompresses to the bytes that were read. */
async function checkPacked(
  reader: Reader,
  log: CheckedLog,
  packed: NonNullable<SourceHead['packed']>,
  source: SourceHead,
  report: Report,
): Promise<void> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (const blob of packed) yield await reader.readBlob(blob)
  }
  const hash = hasher()
  const damage = { refs: [log.ref] }
  const [first] = packed
  const head = first && (await reader.readBlob(first))
  try {
    for await (const part of decompressed(head?.[0] === GZIP ? 'gzip' : 'zstd', chunks())) hash.update(part)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return report('source', log.session, `its compressed file cannot be unpacked: ${message}`, damage)
  }
  if (oidOf(hash.digest()) !== source.sha256)
    report('source', log.session, 'its compressed file does not unpack to the bytes that were read', damage)
}

/** The first byte of a gzip file. */
const GZIP = 0x1f

/** Returns the running hash over a log's records; none where some of them were expunged. */
const hashOf = ({ hash, expunged }: LogHead): { readonly hash?: string } => (expunged ? {} : { hash })

/** Reads a log record by record, and compares the running hash over its records with that of its head. */
async function checkLog(
  reader: Reader,
  checked: CheckedLog,
  head: { readonly logs: LogPrefixes; readonly hash?: string },
  report: Report,
): Promise<void> {
  let hash = NO_HASH
  for (const [log, count] of head.logs.toReversed()) {
    for await (const [, record] of readRecords(reader, log, 0, count)) {
      const oid: Oid | null = record.entry === undefined ? null : await reader.oid(record.entry)
      hash = nextHash(hash, oid, record, await wholeBytes(reader, record))
      checked.tip = record.tip
    }
  }
  if (head.hash !== undefined && hash !== head.hash)
    report('log', checked.session, 'its log is not what its running hash says', { refs: [checked.ref] })
}

async function wholeBytes(reader: Reader, record: LogRecord): Promise<Uint8Array> {
  const chunks = await collected(bytesOfRecord(reader, record))
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : joined(chunks)
}

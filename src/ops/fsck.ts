import { viewOf } from '../formats/registry.ts'
import { joined } from '../model/bytes.ts'
import { encode } from '../model/canonical.ts'
import { digestOfBytes } from '../model/entry.ts'
import { asSessError } from '../model/errors.ts'
import type { Tombstones } from '../model/expunged.ts'
import { hasher } from '../model/hash.ts'
import { isOid, type Oid, oidOf } from '../model/oid.ts'
import { graftRef } from '../model/refname.ts'
import { traitsOf } from '../model/view.ts'
import { minus, NO_WEIGHT, weightOf } from '../model/weight.ts'
import { type Backend, type Extent, NEAR, NO_ROW, type Row, type StoredRecord } from '../repo/backend.ts'
import { graftsIn } from '../repo/grafts.ts'
import { isExpunged, tombstonesOf } from '../repo/guard.ts'
import { Joints } from '../repo/joints.ts'
import { type Journal, journalProblems, readJournal } from '../repo/journal.ts'
import { listProblems } from '../repo/listing.ts'
import { folderProblems } from '../repo/mendfolder.ts'
import { isSound } from '../repo/operation.ts'
import { fileDamages } from '../repo/rebuild.ts'
import { bytesOfRecord } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import {
  allSessions,
  type Base,
  type ExportHead,
  type LogHead,
  piecesOf,
  recordsOf,
  type Session,
  type SourceHead,
} from '../repo/session.ts'
import { sourceBytes } from './export.ts'
import { type Finding, type Found, hintOf, type Report, told } from './finding.ts'
import { checkContexts } from './fsckcontexts.ts'
import { nameOf, tellHurt } from './hurt.ts'
import { type LackingSession, lackingSessions } from './relink.ts'
import { NO_HASH, nextHash } from './target.ts'

/** What a check of a store found; `ok` where that is nothing. */
export interface Fsck {
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** The sessions whose sources name parents that they lack: nothing is wrong with the store for that. */
  readonly lacking: readonly LackingSession[]
  /** What was looked at. */
  readonly checked: {
    readonly entries: number
    readonly sessions: number
    readonly records: number
    readonly operations: number
  }
}

/** How much a check looks at, and what it tells while it runs. */
export interface FsckOptions {
  /** Look too for paths that no API of a model would take as they are. */
  readonly contexts?: boolean
  /** Called with the entries, then the sessions, that were checked so far. */
  readonly onProgress?: (entries: number, sessions: number) => void
}

/**
 * Checks all of a store: that every entry has its body and its hash, that every ref names what is there, that every
 * log gives back the bytes it was read from, that the operation log is whole and agrees with the journal beside it.
 */
export async function fsck(repo: Repo, { onProgress, contexts = false }: FsckOptions = {}): Promise<Fsck> {
  const findings: Found[] = []
  const report: Report = (code, subject, message, row) =>
    findings.push({ code, subject, message, hint: hintOf(code), ...(row === undefined ? {} : { row }) })
  for (const { file, problem } of folderProblems(repo.dir)) report('folder', file, problem)
  if (findings.length === 0 && repo.atOperation === undefined)
    for (const { file, problem } of fileDamages(repo.dir)) report('file', file, problem)
  // What LevelDB makes of damaged files may be the end of this process.
  if (findings.length > 0) return { ...UNREAD, ok: false, findings }
  const lacking: LackingSession[] = []
  let { checked } = UNREAD
  const journal = repo.atOperation === undefined ? readJournal(repo.dir) : undefined
  await attempt(report, 'database', 'the database', async () => {
    const check = async (backend: Backend): Promise<Fsck['checked']> => {
      const seen = await checkAll(journal, backend, report, onProgress)
      await attempt(report, 'ref', 'the grafts', async () => {
        await checkGrafts(backend, report)
        for await (const session of lackingSessions(backend)) lacking.push(session)
      })
      await tellHurt(backend, findings)
      return seen
    }
    checked = await repo.read(check, { plain: true })
  })
  if (contexts && checked !== UNREAD.checked) await checkContexts(repo, report)
  return {
    // What a context mends is no damage.
    ok: findings.every(({ code }) => code === 'context'),
    findings: findings.map(told),
    lacking,
    checked,
  }
}

async function checkAll(
  journal: Journal | undefined,
  backend: Backend,
  report: Report,
  onProgress: FsckOptions['onProgress'],
): Promise<Fsck['checked']> {
  await attempt(report, 'index', 'the index', async () => {
    for await (const message of backend.verify()) report('index', 'the index', message)
    for (const id of await listProblems(backend)) report('index', id, 'a list says something else of it')
  })
  const entries = await checkEntries(backend, report, (done) => onProgress?.(done, 0))
  const { sessions, records } = await checkSessions(backend, report, (done) => onProgress?.(entries, done))
  const operations = await checkOperations(backend, report)
  if (journal)
    await attempt(report, 'journal', 'refs.journal', async () => {
      for (const message of await journalProblems(journal, backend))
        report('journal', 'refs.journal', message)
    })
  return { entries, sessions, records, operations }
}

const NONE = { entries: 0, sessions: 0, records: 0, operations: 0 }

/** What a check says that looked at nothing. */
export const UNREAD: Fsck = { ok: true, findings: [], lacking: [], checked: NONE }

/** Runs a check; what it throws is a finding. */
async function attempt(
  report: Report,
  code: string,
  subject: string,
  check: () => Promise<void>,
  row?: Row,
): Promise<void> {
  try {
    await check()
  } catch (error) {
    report(code, subject, asSessError(error).message, row)
  }
}

async function checkEntries(
  backend: Backend,
  report: Report,
  onCheck: (done: number) => void,
): Promise<number> {
  let count = 0
  const tombstones = await tombstonesOf(backend)
  await attempt(report, 'entry', 'the entries', async () => {
    for await (const row of backend.rows()) {
      onCheck(++count)
      const name = await nameOf(backend, row)
      await attempt(report, 'entry', name, () => checkEntry(backend, row, tombstones, report), row)
    }
  })
  return count
}

async function checkEntry(backend: Backend, row: Row, tombstones: Tombstones, report: Report): Promise<void> {
  const node = await backend.node(row)
  const oid = await backend.oid(row)
  const body = await backend.body(row)
  const isSame = digestOfBytes(encode(body)) === node.digest
  const isRemoved = !isSame && isExpunged(tombstones, node.digest, body)
  if (!isSame && !isRemoved) report('body', oid, 'its body is not what its digest says', row)
  const view = viewOf(node.type, body)
  if (!isRemoved && traitsOf(view) !== node.traits)
    report('traits', oid, 'its traits are not those of its body')
  if ((await backend.find(oid)) === undefined) report('index', oid, 'the index does not find it')
  for (const parent of node.parents) if (parent >= row) report('order', oid, 'a parent stands behind it')
  const first = node.parents[0]
  const parent = first === undefined ? undefined : await backend.node(first)
  if (node.depth !== (parent ? parent.depth + 1 : 0))
    report('depth', oid, 'its depth is not one more than that of its parent')
  const [own, said] = [minus(node.weight, parent?.weight ?? NO_WEIGHT), weightOf(view)]
  if (!isRemoved && (own.calls !== said.calls || own.tokens !== said.tokens))
    report('weight', oid, 'its weight is not that of its parent and its body')
  const near = NEAR.map((trait, i) => (node.traits & trait ? row : (parent?.near[i] ?? NO_ROW)))
  const merge = node.parents.length > 1 ? row : (parent?.merge ?? NO_ROW)
  if (node.merge !== merge || near.some((value, i) => value !== node.near[i]))
    report('near', oid, 'it points to a wrong ancestor')
  if (node.jump > row || (parent && node.jump === row)) report('jump', oid, 'it jumps to no ancestor')
}

async function checkSessions(
  backend: Backend,
  report: Report,
  onCheck: (done: number) => void,
): Promise<{ sessions: number; records: number }> {
  let [sessions, records] = [0, 0]
  let extents: ReadonlyMap<string, Extent> = new Map()
  await attempt(report, 'index', 'the extents', async () => {
    extents = await backend.extents()
  })
  await attempt(report, 'ref', 'the refs', async () => {
    for await (const session of allSessions(backend)) {
      onCheck(++sessions)
      const detached =
        'oid' in session.head && session.head.oid !== null ? [['HEAD', session.head.oid] as const] : []
      for (const [name, oid] of [...session.branches, ...session.labels, ...detached]) {
        const row = isOid(oid) ? await backend.find(oid) : undefined
        if (row === undefined)
          report('missing', `${session.id}/${name}`, `the entry ${oid} that it names is missing`)
        else if (!extents.get(session.id)?.ranges.some(([from, to]) => row >= from && row < to))
          report('index', `${session.id}/${name}`, 'a search would not find what it names')
      }
      await attempt(report, 'log', session.id, () => checkLogs(backend, session, report))
      records += recordsOf(session)
    }
  })
  return { sessions, records }
}

async function checkLogs(backend: Backend, session: Session, report: Report): Promise<void> {
  const { source, native, exports, files } = session
  if (native) await checkLog(backend, session.id, { ...hashOf(native), pieces: piecesOf(native) }, report)
  if (source) await checkSource(backend, session.id, source, report)
  for (const head of [...exports.values(), ...files.values()])
    await checkSource(backend, session.id, head, report)
}

async function checkSource(
  backend: Backend,
  session: string,
  source: SourceHead | ExportHead,
  report: Report,
): Promise<void> {
  const hash = hasher()
  let bytes = 0
  for await (const piece of sourceBytes(backend, source, Number.POSITIVE_INFINITY)) {
    hash.update(piece)
    bytes += piece.length
  }
  if (source.expunged) {
    // What was read is no longer there to be compared: that each value is as it was written, its checksum says.
  } else if (bytes !== source.bytes)
    report('source', session, `its log gives ${bytes} bytes, not ${source.bytes}`)
  else if (oidOf(hash.digest()) !== source.sha256)
    report('source', session, 'its log does not give back the bytes that were read')
  const written = 'written' in source ? [source.written] : []
  const pieces = [[source.log, source.count] as const, ...written]
  await checkLog(backend, session, { ...hashOf(source), pieces }, report)
}

/** Gives the running hash that a log's records have; none where some were removed for good. */
const hashOf = ({ hash, expunged }: LogHead): { readonly hash?: string } => (expunged ? {} : { hash })

/** Follows a log record by record, and compares the running hash over them with that of its head. */
async function checkLog(
  backend: Backend,
  session: string,
  head: { readonly pieces: Base; readonly hash?: string },
  report: Report,
): Promise<void> {
  let hash = NO_HASH
  for (const [log, count] of head.pieces.toReversed()) {
    let position = 0
    for await (const [at, record] of backend.records(log, 0, count)) {
      if (at !== position) break
      position++
      const oid: Oid | null = record.row === NO_ROW ? null : await backend.oid(record.row)
      hash = nextHash(hash, oid, record, await wholeBytes(backend, record))
    }
    if (position !== count)
      return report('log', session, `its log ends after ${position} of ${count} records`)
  }
  if (head.hash !== undefined && hash !== head.hash)
    report('log', session, 'its log is not what its running hash says')
}

async function wholeBytes(backend: Backend, record: StoredRecord): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytesOfRecord(backend, record)) pieces.push(piece)
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : joined(pieces)
}

async function checkGrafts(backend: Backend, report: Report): Promise<void> {
  for await (const { root, parent } of graftsIn(backend))
    for (const oid of [root, parent])
      if ((await backend.find(oid)) === undefined)
        report('missing', graftRef(root), `the entry ${oid} that it joins is missing`)
  for (const row of (await Joints.read(backend)).circular)
    report('graft', graftRef(await backend.oid(row)), 'it closes a circle and joins nothing')
}

async function checkOperations(backend: Backend, report: Report): Promise<number> {
  const [last, forgotten] = [await backend.lastOperation(), await backend.forgotten()]
  let previous = forgotten.id
  await attempt(report, 'operation', 'the operation log', async () => {
    for (let number = forgotten.operation + 1; number <= last; number++) {
      const operation = await backend.operation(number)
      if (!operation) report('operation', `operation ${number}`, 'it is missing')
      else if (!isSound(operation, previous))
        report('operation', `operation ${number}`, 'it is not what its id says')
      previous = operation?.id ?? ''
    }
  })
  return last - forgotten.operation
}

import { isUsageInRecord, viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/encoding/canonical.ts'
import { digestOfBytes } from '../../model/encoding/entry.ts'
import { EntrySet } from '../../model/entryset.ts'
import { type EntryHandle, NEAR } from '../../model/node.ts'
import { type RefValue, sameValue } from '../../model/operation.ts'
import { graftRef, plainName, type RefName } from '../../model/refname.ts'
import type { SearchIndexCheck } from '../../model/search/searchindex.ts'
import type { Tombstones } from '../../model/secrets/expunged.ts'
import { minus, NO_WEIGHT, type Weight, weightOf } from '../../model/tokens.ts'
import { traitsOf, type View } from '../../model/view.ts'
import { isExpunged } from '../../repo/expunge/expungefilter.ts'
import { tombstonesOf } from '../../repo/expunge/tombstones.ts'
import { GraftOverlay, graftsIn } from '../../repo/grafts.ts'
import { journalCheck } from '../../repo/journalcheck.ts'
import { hasValidId, operationsBetween } from '../../repo/oplog/operationlog.ts'
import { type Reader, withSoundRefs } from '../../repo/reader.ts'
import { fileDamages } from '../../repo/rebuilddatabase.ts'
import { folderProblems } from '../../repo/repairfolder.ts'
import type { Repo } from '../../repo/repo.ts'
import { allSessions } from '../../repo/session.ts'
import { listProblems } from '../../repo/sessionlist.ts'
import { UNFINISHED, unfinishedRepair } from '../../repo/unfinishedrepair.ts'
import { contextOf } from '../context/context.ts'
import { type UnresolvedSession, unresolvedSessions } from '../graft.ts'
import type { BasedSession } from '../import/base.ts'
import { indexedTexts } from '../indexing.ts'
import { Outputs } from '../outputs.ts'
import { waitingSessions } from '../reread/joinbases.ts'
import {
  attempt,
  type Finding,
  findingAt,
  type LocatedFinding,
  type Report,
  withoutLocation,
} from './finding.ts'
import { addImpact, addLastGood, handleOf, oidOrRow, unlessDamaged } from './impact.ts'
import { checkRefs } from './refs.ts'
import { checkSessions } from './sessions.ts'

/** The result of a check of a store; `ok` if there is no damage. */
export interface Fsck {
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** The sessions with unresolved parents. This is no damage. */
  readonly lacking: readonly UnresolvedSession[]
  /** The sessions that refer to a history that the store lacks. This is no damage. */
  readonly waiting: readonly BasedSession[]
  /** The amount of data that was checked. */
  readonly checked: {
    readonly entries: number
    readonly sessions: number
    readonly records: number
    readonly operations: number
  }
}

/** Options of a check. */
export interface FsckOptions {
  /** Also report branches whose messages no model's API accepts without repairs. */
  readonly contexts?: boolean
  /** Called with the entries, then the sessions, that were checked so far. */
  readonly onProgress?: (entries: number, sessions: number) => void
}

/**
 * Checks a whole store: that every entry has its body and its hash, that every ref names an existing entry, that every log
 * returns the bytes that were imported, that the operation log is complete and agrees with the journal.
 */
export async function fsck(repo: Repo, { onProgress, contexts = false }: FsckOptions = {}): Promise<Fsck> {
  const findings: LocatedFinding[] = []
  const report: Report = (...found) => void findings.push(findingAt(...found))
  for (const { file, problem } of folderProblems(repo.dir)) report('folder', file, problem)
  if (findings.length === 0 && repo.atOperation === undefined)
    for (const { file, problem } of fileDamages(repo.dir)) report('file', file, problem)
  // LevelDB can crash the process on damaged files.
  if (findings.length > 0) return { ...NOTHING_CHECKED, ok: false, findings }
  if (repo.atOperation === undefined && unfinishedRepair(repo.dir))
    report('database', 'the database', UNFINISHED)
  const lacking: UnresolvedSession[] = []
  const waiting: BasedSession[] = []
  let { checked } = NOTHING_CHECKED
  const journalProblems = repo.atOperation === undefined ? journalCheck(repo.dir) : undefined
  await attempt(report, 'database', 'the database', async () => {
    const check = async (reader: Reader): Promise<Fsck['checked']> => {
      const seen = await checkAll(journalProblems, reader, report, onProgress)
      const sound = withSoundRefs(reader)
      await attempt(report, 'ref', 'the grafts', async () => {
        await checkGrafts(sound, report)
        for await (const session of unresolvedSessions(sound)) lacking.push(session)
        for await (const session of waitingSessions(sound)) waiting.push(session)
      })
      await addImpact(sound, findings)
      await addLastGood(reader, findings)
      return seen
    }
    checked = await repo.readSnapshot(check, { plain: true })
  })
  if (contexts && checked !== NOTHING_CHECKED.checked) await checkContexts(repo, report)
  return {
    // A context that needs repairs is no damage.
    ok: findings.every(({ code }) => code === 'context'),
    findings: findings.map(withoutLocation),
    lacking,
    waiting,
    checked,
  }
}

async function checkAll(
  journalProblems: ReturnType<typeof journalCheck> | undefined,
  reader: Reader,
  report: Report,
  onProgress: FsckOptions['onProgress'],
): Promise<Fsck['checked']> {
  const sound = withSoundRefs(reader)
  await attempt(report, 'ref', 'the refs', () => checkRefs(reader, report))
  await attempt(report, 'index', 'the index', async () => {
    for await (const message of reader.verify()) report('index', 'the index', message)
    for (const id of await listProblems(sound)) report('index', id, 'a list says something else of it')
  })
  const unused = new EntrySet()
  const entries = await checkEntries(reader, report, { unused, onCheck: (done) => onProgress?.(done, 0) })
  const onCheck = (done: number): void => onProgress?.(entries, done)
  const { sessions, records } = await checkSessions(sound, report, { unused, onCheck })
  const operations = await checkOperations(reader, report, journalProblems !== undefined)
  if (journalProblems)
    await attempt(report, 'journal', 'refs.journal', async () => {
      for (const message of await journalProblems(reader)) report('journal', 'refs.journal', message)
    })
  return { entries, sessions, records, operations }
}

const NONE = { entries: 0, sessions: 0, records: 0, operations: 0 }

/** The result of a check that looked at nothing. */
export const NOTHING_CHECKED: Fsck = { ok: true, findings: [], lacking: [], waiting: [], checked: NONE }

async function checkGrafts(reader: Reader, report: Report): Promise<void> {
  for await (const { root, parent } of graftsIn(reader))
    for (const oid of [root, parent])
      if ((await handleOf(reader, oid)) === undefined)
        report('missing', graftRef(root), `the entry ${oid} that it joins is missing`, {
          refs: [graftRef(root)],
        })
  const circular = (await GraftOverlay.read(reader, reader))?.circular ?? []
  for (const handle of circular)
    report('graft', graftRef(await reader.oid(handle)), 'it closes a circle and joins nothing', { handle })
}

/** Checks the operations and, of the present state, where they are whole, that each ref has the value that the newest of them gave it. */
async function checkOperations(reader: Reader, report: Report, isPresent: boolean): Promise<number> {
  const { latest, dropped } = await reader.operationLog()
  let [previous, number, count] = [dropped.id, dropped.operation, 0]
  let isWhole = isPresent
  const values = new Map<RefName, readonly [number: number, value: RefValue | undefined]>()
  const reportMissing = (upTo: number): void => {
    if (upTo <= number) return
    isWhole = false
    if (upTo === number + 1) report('operation', `operation ${upTo}`, 'it is missing')
    else report('operation', `operations ${number + 1} to ${upTo}`, 'they are missing')
    previous = ''
  }
  await attempt(report, 'operation', 'the operation log', async () => {
    for await (const operation of operationsBetween(reader, dropped.operation)) {
      count++
      reportMissing(operation.number - 1)
      if (!hasValidId(operation, previous))
        report('operation', `operation ${operation.number}`, 'it is not what its id says')
      ;({ number, id: previous } = operation)
      // A repair names nobody for an operation that was lost: it may have moved any ref, to any value.
      if (operation.who === '') values.clear()
      else for (const move of operation.moves) values.set(move.name, [number, move.new])
    }
    reportMissing(latest)
    if (!isWhole) return
    for (const [name, [moved, value]] of values)
      if (!sameValue(await reader.ref(name), value))
        report('ref', name, `it is not what operation ${moved} set`, { refs: [plainName(name)] })
  })
  return count
}

interface EntriesCheck extends Pick<EntryContext, 'unused'> {
  readonly onCheck: (done: number) => void
}

/** Checks all entries, unreachable ones included. Returns their number. */
async function checkEntries(
  reader: Reader,
  report: Report,
  { unused, onCheck }: EntriesCheck,
): Promise<number> {
  let count = 0
  const sound = withSoundRefs(reader)
  const context: EntryContext = {
    tombstones: await tombstonesOf(sound),
    outputs: new Outputs(sound),
    index: reader.index.check(),
    unused,
  }
  await attempt(report, 'entry', 'the entries', async () => {
    for await (const handle of reader.entries()) {
      onCheck(++count)
      const name = await oidOrRow(reader, handle)
      await attempt(
        report,
        'entry',
        name,
        () => checkEntry(reader, [handle, name], context, report),
        () => ({ handle }),
      )
    }
    for (const message of context.index.end()) report('index', 'the index', message)
  })
  return count
}

/** The indexes that entries are compared with, and what is found on the way. */
interface EntryContext {
  readonly tombstones: Tombstones
  readonly outputs: Outputs
  readonly index: SearchIndexCheck
  /** Takes the entries that have no usage, neither in their bodies nor in their records. */
  readonly unused: EntrySet
}

async function checkEntry(
  reader: Reader,
  [handle, name]: readonly [EntryHandle, string],
  { tombstones, outputs, index, unused }: EntryContext,
  report: Report,
): Promise<void> {
  const node = await reader.node(handle)
  const add = (code: string, message: string): void => report(code, name, message, { handle })
  const parents = await unlessDamaged(() => node.parents)
  if (!parents) return add('order', 'a parent is stored after it')
  const oid = await reader.oid(handle)
  const body = await reader.body(handle)
  const isSame = digestOfBytes(encode(body)) === node.digest
  const isRemoved = !isSame && isExpunged(tombstones, node.digest, body)
  if (!isSame && !isRemoved) add('body', 'its body is not what its digest says')
  const view = viewOf(node.type, body)
  if (view.usage === undefined && !isUsageInRecord(node.type)) unused.add(handle)
  if (!isRemoved) await index.add(handle, await indexedTexts(handle, view, outputs))
  if (!isRemoved && traitsOf(view) !== node.traits) add('traits', 'its traits are not those of its body')
  if ((await handleOf(reader, oid)) === undefined) add('index', 'the index does not find it')
  const [first] = parents
  const parent = first === undefined ? undefined : await reader.node(first)
  if (node.depth !== (parent ? parent.depth + 1 : 0))
    add('depth', 'its depth is not one more than that of its parent')
  const own = minus(node.weight, parent?.weight ?? NO_WEIGHT)
  if (!isRemoved && !isWeightOf(own, node.type, view))
    add('weight', 'its weight is not that of its parent and its body')
  const near = NEAR.map((trait, i) => (node.traits & trait ? handle : parent?.near[i]))
  const merge = parents.length > 1 ? handle : parent?.merge
  if (node.merge !== merge || near.some((value, i) => value !== node.near[i]))
    add('near', 'it points to a wrong ancestor')
  const jump = await unlessDamaged(() => reader.node(node.jump))
  const isBefore = jump && (parent ? jump.order < node.order : jump.order === node.order)
  if (!isBefore) add('jump', 'it jumps to no ancestor')
}

/**
 * Returns whether a weight can be that of an entry. For entries of other agents any positive weight is accepted: the
 * estimate may be that of another version of sess.
 */
function isWeightOf(own: Weight, type: string, view: View): boolean {
  const weight = weightOf(view)
  const counts = Object.keys(weight) as (keyof Weight)[]
  const isSess = type.startsWith('sess/')
  return counts.every((count) => (isSess ? own[count] === weight[count] : own[count] >= 0))
}

/**
 * Reports branches whose messages no model's API accepts as they are: calls without results, results without calls. A
 * context repairs them. Throws `stopped` when the store's signal aborts.
 */
async function checkContexts(repo: Repo, report: Report): Promise<void> {
  const branches: string[] = []
  await repo.read(async (reader) => {
    for await (const session of allSessions(reader))
      for (const name of session.branches.keys()) branches.push(`${session.id}/${name}`)
  })
  for (const branch of branches) {
    await repo.yieldToEvents()
    const check = async (): Promise<void> => {
      const { repairs } = await contextOf(repo, branch)
      const counts = new Map<string, number>()
      for (const { kind } of repairs) counts.set(kind, (counts.get(kind) ?? 0) + 1)
      const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')
      if (repairs.length > 0)
        report('context', branch, `no API takes it as it is: ${kinds}`, { refs: [branch] })
    }
    await attempt(report, 'context', branch, check, () => ({ refs: [branch] }))
  }
}

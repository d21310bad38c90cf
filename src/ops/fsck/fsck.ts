import { graftRef } from '../../model/refname.ts'
import { GraftOverlay, graftsIn } from '../../repo/grafts.ts'
import { journalCheck } from '../../repo/journalcheck.ts'
import { hasValidId } from '../../repo/oplog/operationlog.ts'
import type { Reader } from '../../repo/reader.ts'
import { fileDamages } from '../../repo/rebuilddatabase.ts'
import { folderProblems } from '../../repo/repairfolder.ts'
import type { Repo } from '../../repo/repo.ts'
import { listProblems } from '../../repo/sessionlist.ts'
import { type LackingSession, lackingSessions } from '../relink.ts'
import { attempt, type Finding, type Found, foundAt, type Report, told } from './finding.ts'
import { checkContexts } from './fsckcontexts.ts'
import { checkEntries } from './fsckentries.ts'
import { handleOf, tellHurt, tellLastNamed } from './impact.ts'
import { checkSessions } from './sessions.ts'

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
  const report: Report = (...found) => void findings.push(foundAt(...found))
  for (const { file, problem } of folderProblems(repo.dir)) report('folder', file, problem)
  if (findings.length === 0 && repo.atOperation === undefined)
    for (const { file, problem } of fileDamages(repo.dir)) report('file', file, problem)
  // What LevelDB makes of damaged files may be the end of this process.
  if (findings.length > 0) return { ...UNREAD, ok: false, findings }
  const lacking: LackingSession[] = []
  let { checked } = UNREAD
  const journalProblems = repo.atOperation === undefined ? journalCheck(repo.dir) : undefined
  await attempt(report, 'database', 'the database', async () => {
    const check = async (reader: Reader): Promise<Fsck['checked']> => {
      const seen = await checkAll(journalProblems, reader, report, onProgress)
      await attempt(report, 'ref', 'the grafts', async () => {
        await checkGrafts(reader, report)
        for await (const session of lackingSessions(reader)) lacking.push(session)
      })
      await tellHurt(reader, findings)
      await tellLastNamed(reader, findings)
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
  journalProblems: ReturnType<typeof journalCheck> | undefined,
  reader: Reader,
  report: Report,
  onProgress: FsckOptions['onProgress'],
): Promise<Fsck['checked']> {
  await attempt(report, 'index', 'the index', async () => {
    for await (const message of reader.verify()) report('index', 'the index', message)
    for (const id of await listProblems(reader)) report('index', id, 'a list says something else of it')
  })
  const entries = await checkEntries(reader, report, (done) => onProgress?.(done, 0))
  const { sessions, records } = await checkSessions(reader, report, (done) => onProgress?.(entries, done))
  const operations = await checkOperations(reader, report)
  if (journalProblems)
    await attempt(report, 'journal', 'refs.journal', async () => {
      for (const message of await journalProblems(reader)) report('journal', 'refs.journal', message)
    })
  return { entries, sessions, records, operations }
}

const NONE = { entries: 0, sessions: 0, records: 0, operations: 0 }

/** What a check says that looked at nothing. */
export const UNREAD: Fsck = { ok: true, findings: [], lacking: [], checked: NONE }

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

async function checkOperations(reader: Reader, report: Report): Promise<number> {
  const [last, forgotten] = [(await reader.operationLog()).latest, (await reader.operationLog()).dropped]
  let previous = forgotten.id
  await attempt(report, 'operation', 'the operation log', async () => {
    for (let number = forgotten.operation + 1; number <= last; number++) {
      const operation = await reader.operation(number)
      if (!operation) report('operation', `operation ${number}`, 'it is missing')
      else if (!hasValidId(operation, previous))
        report('operation', `operation ${number}`, 'it is not what its id says')
      previous = operation?.id ?? ''
    }
  })
  return last - forgotten.operation
}

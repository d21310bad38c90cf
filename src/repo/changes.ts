import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { CommitPoint, RefValue } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { type JournalLine, journalPath, readJournalPart } from '../storage/journal.ts'
import { operationsBetween } from './oplog/operationlog.ts'
import type { Reader } from './reader.ts'

/** The refs that moved up to a commit: the last value of each, null where it was removed. */
export interface CommittedMoves extends CommitPoint {
  readonly refs: readonly (readonly [RefName, RefValue | null])[]
}

/** The store that is followed, as far as that needs it. */
interface FollowedStore {
  readonly dir: string
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>
}

interface FollowOptions {
  /** The point after which; by default the present one. */
  readonly since?: CommitPoint | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Yields what moves in a store after a point, in the order of commits, from any process, until the signal aborts. Follows
 * the journal, and holds no database meanwhile; what the journal lacks, because it was rewritten or a process was killed,
 * is read from the operation log: some refs may be reported once more then. Throws `no-operation` for a point that the
 * store does not have, or of which the operations were dropped.
 */
export async function* followCommits(
  store: FollowedStore,
  { since, signal }: FollowOptions,
): AsyncGenerator<CommittedMoves> {
  const alarm = new JournalAlarm(store.dir, signal)
  try {
    // Read before the database: whatever the journal has by now is among the commits that are read then.
    let part = { ...readJournalPart(store.dir), lines: [] as readonly JournalLine[] }
    const present = await store.read(presentPoint)
    let at = since ?? present
    if (at.commit > present.commit || at.operation > present.operation) throw noPoint(at)
    if (at.commit < present.commit) part = readJournalPart(store.dir)
    for (let isLate = false; !alarm.isStopped; isLate = await alarm.wait()) {
      if (part.lines.length === 0) part = readJournalPart(store.dir, part)
      for (const line of part.lines) {
        if (line.commit <= at.commit) continue
        const moves = isNext(line, at) ? line : await readMissed(store, at)
        at = { operation: moves.operation, commit: moves.commit }
        if (moves.refs.length > 0) yield { ...at, refs: moves.refs }
        if (alarm.isStopped) return
      }
      part = { ...part, lines: [] }
      // The process that wrote a commit was killed before it wrote the line.
      if (!isLate || at.commit >= present.commit) continue
      const moves = await readMissed(store, at)
      at = { operation: moves.operation, commit: moves.commit }
      if (moves.refs.length > 0) yield moves
    }
  } finally {
    alarm.close()
  }
}

/** Returns the newest operation and commit. */
export const presentPoint = async (reader: Reader): Promise<CommitPoint> => {
  const { latest, commits } = await reader.operationLog()
  return { operation: latest, commit: commits }
}

/** Returns whether a line has all that moved after a point: the first line of a rewritten journal has all refs instead. */
function isNext({ commit, commits = 1 }: JournalLine, at: CommitPoint): boolean {
  const before = commit - commits
  return before === 0 ? at.commit === 0 : before <= at.commit
}

const readMissed = (store: FollowedStore, at: CommitPoint): Promise<CommittedMoves> =>
  store.read((reader) => movesAfter(reader, at))

/** Returns what moved from a point until now, from the operation log. */
async function movesAfter(reader: Reader, at: CommitPoint): Promise<CommittedMoves> {
  const point = await presentPoint(reader)
  const { dropped } = await reader.operationLog()
  if (at.operation < dropped.operation || at.commit > point.commit) throw noPoint(at)
  // With more commits than operations since, the operation at the point has grown.
  const hasGrown = point.commit - at.commit > point.operation - at.operation
  const names = new Set<RefName>()
  for await (const { moves } of operationsBetween(reader, at.operation - (hasGrown ? 1 : 0)))
    for (const { name } of moves) names.add(name)
  const refs: [RefName, RefValue | null][] = []
  for (const name of names) refs.push([name, (await reader.ref(name)) ?? null])
  return { ...point, refs }
}

const noPoint = ({ operation }: CommitPoint): SessError =>
  new SessError('no-operation', `${operation}`, {
    detail: 'the store is an older copy, or gc has removed it',
    hint: 'read the store again, and follow it from the present on',
  })

/** Milliseconds after which the journal is looked at where the file system reports nothing. */
const SLOW_POLL = 5000

/** Reports that the journal of a store may have changed. */
class JournalAlarm {
  readonly #signal: AbortSignal | undefined
  readonly #watcher: FSWatcher | undefined
  readonly #ring = (): void => {
    this.#rang = true
    this.#wake()
  }
  #rang = false
  #wake: () => void = () => undefined

  constructor(dir: string, signal: AbortSignal | undefined) {
    this.#signal = signal
    signal?.addEventListener('abort', this.#ring)
    const name = basename(journalPath(dir))
    try {
      // The folder, because the file may be replaced.
      this.#watcher = watch(dir, (_, file) => {
        if (file === name || file === null) this.#ring()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // The system watches no more folders: the journal is looked at now and then.
      this.#watcher = undefined
    }
  }

  get isStopped(): boolean {
    return this.#signal?.aborted ?? false
  }

  /** Waits for a change. Resolves with true where none was reported for a while. */
  async wait(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    if (!this.#rang)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        timer = setTimeout(resolve, SLOW_POLL)
      })
    clearTimeout(timer)
    const isLate = !this.#rang
    this.#rang = false
    return isLate
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#ring)
    this.#watcher?.close()
  }
}

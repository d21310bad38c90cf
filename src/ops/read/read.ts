import { baseOnPath } from '../../graph/mergebase.ts'
import { ancestor, path } from '../../graph/walk.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Turn } from '../../model/turn.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { resolve } from '../../repo/revision.ts'
import type { SessionTrunk } from '../../repo/session.ts'
import { type LogEntry, logEntry, PathRecords } from '../entries.ts'
import { Outputs, withOutputs } from '../outputs.ts'
import { pathRangeOf } from '../revisionrange.ts'
import { decodeCursor, entryCursor } from '../rows/cursor.ts'
import { type Page, type PageOptions, pageOf, pageQuery } from '../rows/page.ts'
import { SubagentFinder } from '../subagents.ts'
import { AddedUsage, RecordsAhead } from '../usage.ts'
import { type TurnOptions, turnsOf } from './turns.ts'

/**
 * Yields the turns of the path to a revision, or of what B of a range `A..B` has and A has not, the oldest first. Throws
 * as `resolve`, and `bad-usage` for a range with three dots.
 */
export async function* turns(repo: Repo, revision: string, options: TurnOptions = {}): AsyncGenerator<Turn> {
  yield* repo.stream(async function* (reader) {
    const conversation = await conversationOf(reader, revision, options)
    for await (const { turn } of conversation.forward(conversation.from)) yield turn
  })
}

/** Which page of a conversation is read: besides a cursor it may be an entry, with whose turn it begins. */
type TurnPageOptions = TurnOptions & PageOptions & { readonly at?: string }

/**
 * Returns a page of what `turns` yields. It costs what it shows, wherever it is. Throws as `turns`, `no-entry` for an entry
 * that is not on the path, and `bad-usage` for a cursor of another list or session.
 */
export function turnPage(
  repo: Repo,
  revision: string,
  { after, before, limit, at: begin, ...options }: TurnPageOptions = {},
): Promise<Page<Turn>> {
  const query = pageQuery({ ...(after && { after }), ...(before && { before }), ...(limit && { limit }) })
  return repo.read(async (reader) => {
    const conversation = await conversationOf(reader, revision, options)
    const { from, isBack } = query
    const at = from === undefined ? undefined : await conversation.depthAt(from)
    const first = begin === undefined ? conversation.from : await conversation.beginOfTurn(begin)
    const found: Turn[] = []
    const walk = isBack
      ? conversation.backward(at as number)
      : conversation.forward(at === undefined ? first : at + 1)
    for await (const { turn } of walk) if (found.push(turn) > query.limit) break
    const page = pageOf(isBack ? found.reverse() : found, query, entryCursor)
    return first > conversation.from && !isBack ? { ...page, before: page.items[0]?.cursor ?? null } : page
  })
}

/** The entries of a path are read in pieces of so many, by their depth: a turn is the same from wherever it is read. */
const PIECE_ENTRIES = 64

/** How many pieces are held: one, and those around it. */
const MAX_PIECES = 4

/** A turn with the depth of its first entry. */
interface DeepTurn {
  readonly depth: number
  readonly turn: Turn
}

async function conversationOf(reader: Reader, revision: string, options: TurnOptions): Promise<Conversation> {
  const find = (name: string) => resolve(reader, name)
  const range = await pathRangeOf(reader, revision, find)
  const { handle: tip, session } = range?.right ?? (await find(revision))
  const base = range && (await baseOnPath(tip, range.left.handle, lookIn(reader)))
  const from = base === undefined ? 0 : (await reader.node(base)).depth + 1
  const { depth } = await reader.node(tip)
  return new Conversation(reader, { tip, depth, from, session }, options)
}

/** The end of a path, and the depth from which it is read. */
interface PathRange {
  readonly tip: EntryHandle
  readonly depth: number
  readonly from: number
  readonly session: SessionTrunk | undefined
}

/** The turns of a path, of which a few pieces are in memory. */
class Conversation {
  readonly #reader: Reader
  readonly #range: PathRange
  readonly #options: TurnOptions
  readonly #agents: SubagentFinder
  readonly #outputs: Outputs
  readonly #pieces = new Map<number, readonly LogEntry[]>()

  constructor(reader: Reader, range: PathRange, options: TurnOptions) {
    this.#reader = reader
    this.#range = range
    this.#options = options
    this.#agents = new SubagentFinder(reader)
    this.#outputs = new Outputs(reader)
  }

  /** The depth of its first entry. */
  get from(): number {
    return this.#range.from
  }

  /** Returns the depth of the entry that a cursor names. */
  async depthAt(cursor: Parameters<typeof decodeCursor>[1]): Promise<number> {
    const [named, oid] = decodeCursor('entry', cursor)
    if (named !== (this.#range.session?.id ?? null))
      throw new SessError('bad-usage', `'${cursor}' is a cursor of another session`)
    return this.#depthOf(oid)
  }

  /** Returns the depth at which the turn begins that an entry belongs to. */
  async beginOfTurn(oid: string): Promise<number> {
    const depth = await this.#depthOf(oid as Oid)
    for await (const turn of this.backward(depth + 1)) return turn.depth
    return depth
  }

  async #depthOf(oid: Oid): Promise<number> {
    const { tip, depth } = this.#range
    const handle = await this.#reader.find(oid)
    const at = handle === undefined ? -1 : (await this.#reader.node(handle)).depth
    if (at < this.from || (await ancestor(tip, depth - at, lookIn(this.#reader))) !== handle)
      throw new SessError('no-entry', oid)
    return at
  }

  /** Yields the turns that begin at a depth or after it. */
  async *forward(from: number): AsyncGenerator<DeepTurn> {
    for (let piece = pieceOf(from); piece <= pieceOf(this.#range.depth); piece++)
      for (const found of await this.#turnsIn(piece)) if (found.depth >= from) yield found
  }

  /** Yields the turns that begin before a depth, the last of them first. */
  async *backward(to: number): AsyncGenerator<DeepTurn> {
    for (let piece = pieceOf(to); piece >= pieceOf(this.from); piece--)
      for (const found of (await this.#turnsIn(piece)).toReversed()) if (found.depth < to) yield found
  }

  async #turnsIn(piece: number): Promise<DeepTurn[]> {
    const entries = await this.#entriesIn(piece)
    const before = await this.#entriesIn(piece - 1)
    const after = entries.some(hasCall) ? await this.#entriesIn(piece + 1) : []
    const first = Math.max(piece * PIECE_ENTRIES, this.from)
    return turnsOf(entries, { before, after }, this.#options).map(({ place, turn }) => ({
      depth: first + place,
      turn,
    }))
  }

  async #entriesIn(piece: number): Promise<readonly LogEntry[]> {
    const known = this.#pieces.get(piece)
    if (known) return known
    const [oldest] = this.#pieces.keys()
    if (oldest !== undefined && this.#pieces.size >= MAX_PIECES) this.#pieces.delete(oldest)
    const read = await this.#readPiece(piece)
    this.#pieces.set(piece, read)
    return read
  }

  async #readPiece(piece: number): Promise<LogEntry[]> {
    const { tip, depth, from, session } = this.#range
    const first = Math.max(piece * PIECE_ENTRIES, from)
    const last = Math.min(piece * PIECE_ENTRIES + PIECE_ENTRIES - 1, depth)
    if (last < first) return []
    const look = lookIn(this.#reader)
    const handles: EntryHandle[] = []
    for await (const handle of path((await ancestor(tip, depth - last, look)) as EntryHandle, look))
      if (handles.push(handle) > last - first) break
    await this.#reader.prefetch(handles)
    const finder = new PathRecords(this.#reader, session)
    const records = new RecordsAhead((handle) => finder.find(handle))
    try {
      // Logs are searched from their end on.
      for (const handle of handles) await records.peek(handle)
      const added = this.#options.meta ? new AddedUsage(this.#reader, records.peek) : undefined
      const entries: LogEntry[] = []
      for (const handle of handles.reverse()) {
        const found = await records.peek(handle)
        const entry = await logEntry(this.#reader, handle, session, found, { added, agents: this.#agents })
        entries.push(this.#options.whole ? await this.#whole(entry) : entry)
      }
      return entries
    } finally {
      await finder.close()
    }
  }

  async #whole(entry: LogEntry): Promise<LogEntry> {
    const found = await this.#outputs.of(entry.oid, entry.view)
    return found.length === 0 ? entry : { ...entry, view: withOutputs(entry.view, found) }
  }
}

const pieceOf = (depth: number): number => Math.floor(depth / PIECE_ENTRIES)

const hasCall = ({ view }: LogEntry): boolean => view.blocks.some(({ kind }) => kind === 'toolCall')

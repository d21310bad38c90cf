import { viewOf } from '../formats/registry.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { asString, defined, field, type Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { type Earlier, type StructuralEntry, StructuralSummary } from '../model/structuralsummary.ts'
import type { View } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'

/** An entry to summarise. */
export interface SummaryEntry extends StructuralEntry {
  readonly oid: Oid
}

/** Entries of a path in their order. They may be many, so they are read in batches, again on each iteration. */
export interface PathEntries {
  readonly count: number
  /** Yields the entries from an index on, 0 by default; earlier ones are not read. */
  entries(from?: number): AsyncIterable<SummaryEntry>
}

/** The input of a summarizer. */
export interface Preparation {
  readonly reason: 'pop' | 'compact' | 'handoff'
  /** The session of the entries. */
  readonly session: string | null
  readonly stretch: PathEntries
  /** The beginning of a turn whose end is kept. It follows the stretch, and is summarised separately. */
  readonly turn?: PathEntries
  /** The summary of everything before, which the new one replaces too. */
  readonly previous?: Earlier
  /** The purpose of the summary, in words. */
  readonly instructions?: string
}

/** A summary, and the further content of its entry. */
export interface MadeSummary {
  readonly summary: string
  /** By default the files that were read and changed, and the state from which a next structural digest continues. */
  readonly details?: Json
  /** Whether a hook made it: then a next summary does not build on its details. */
  readonly fromHook?: boolean
}

/** Makes a summary. */
export type Summarizer = (preparation: Preparation, signal?: AbortSignal) => Promise<MadeSummary>

/** The source of a summary: a text or a summarizer; by default a structural digest, which needs no model. */
export interface SummaryOptions {
  readonly summary?: string
  readonly summarize?: Summarizer
  /** The purpose of the summary, in words, for a summarizer. */
  readonly instructions?: string
  /** Aborts the summary. */
  readonly signal?: AbortSignal
}

/** The number of newest entries in which files are searched for a text that the caller gave. */
const SEARCHED = 10_000

/**
 * Returns a summary. Writes nothing, and does not hold the store meanwhile. Throws `bad-summary` if it is empty, and what
 * the summarizer throws.
 */
export async function summarize(
  prepared: Preparation,
  { summary, summarize: by = structural, instructions, signal }: SummaryOptions = {},
): Promise<MadeSummary> {
  const preparation = instructions === undefined ? prepared : { ...prepared, instructions }
  const made = summary === undefined ? await by(preparation, signal) : { summary }
  if (!asString(made.summary)?.trim()) throw new SessError('bad-summary', 'it is empty')
  signal?.throwIfAborted()
  if (made.details !== undefined || made.fromHook) return made
  const { stretch, turn, previous } = preparation
  const digest = new StructuralSummary(previous)
  for (const part of [stretch, ...(turn ? [turn] : [])]) {
    const from = summary === undefined ? 0 : Math.max(0, part.count - SEARCHED)
    for await (const entry of part.entries(from)) digest.add(entry)
  }
  return { ...made, details: digest.files() }
}

/** Returns the summary that a handler of an event gave, else makes one. */
export const madeOrSummarized = (
  made: MadeSummary | undefined,
  prepared: Preparation,
  options: SummaryOptions,
): Promise<MadeSummary> =>
  summarize(
    prepared,
    made
      ? {
          summarize: () => Promise.resolve({ fromHook: true, ...made }),
          ...(options.signal && { signal: options.signal }),
        }
      : options,
  )

/** Returns the fields of a summary's entry. */
export const summaryFields = ({ summary, details, fromHook }: MadeSummary): MadeSummary => ({
  summary,
  ...(details !== undefined && { details }),
  ...(fromHook && { fromHook }),
})

/** Joins the summary of everything before a turn, if there is any, and that of the turn's beginning. */
const joined = (before: string | undefined, began: string): string =>
  before === undefined ? began : `${before}\n\n---\n\nThe turn that goes on below began so:\n\n${began}`

const beginsWithTurn = ({ stretch, previous }: Preparation): boolean =>
  stretch.count === 0 && previous === undefined

/** Returns a summarizer that calls `one` for the entries before a turn, and again for the beginning of the turn. */
export const apart =
  (one: (preparation: Preparation, signal?: AbortSignal) => Promise<string>): Summarizer =>
  async ({ turn, ...whole }, signal) => {
    if (!turn) return { summary: await one(whole, signal) }
    const { previous: _, stretch: __, ...about } = whole
    const before = beginsWithTurn(whole) ? undefined : await one(whole, signal)
    return { summary: joined(before, await one({ ...about, stretch: turn }, signal)) }
  }

/**
 * Makes a digest without a model: the goal, the requests, files, commands, errors, and where the work stopped. Reads each
 * entry once: the digest of everything, from which a next one continues, extends that of the entries before the turn.
 */
export const structural: Summarizer = async (preparation) => {
  const { stretch, turn, previous } = preparation
  const whole = new StructuralSummary(previous)
  for await (const entry of stretch.entries()) whole.add(entry)
  if (!turn) return { summary: whole.text(), details: whole.details() }
  const before = beginsWithTurn(preparation) ? undefined : whole.text()
  const began = new StructuralSummary()
  for await (const entry of turn.entries()) for (const digest of [whole, began]) digest.add(entry)
  return { summary: joined(before, began.text()), details: whole.details() }
}

/** The number of entries in a batch. The store is free for others between batches. */
const BATCH = 256

/** Returns entries in the order of their path as input of a summarizer. Entries with a view are not read again. */
export const pathEntries = (
  repo: Repo,
  entries: readonly (EntryHandle | { readonly node: EntryHandle; readonly view: View })[],
): PathEntries => ({
  count: entries.length,
  async *entries(from = 0) {
    for (let at = from; at < entries.length; at += BATCH)
      yield* await repo.read(async (reader) => {
        const read: SummaryEntry[] = []
        for (const entry of entries.slice(at, at + BATCH))
          read.push(
            await (typeof entry !== 'object'
              ? readAt(reader, entry)
              : readAt(reader, entry.node, entry.view)),
          )
        return read
      })
  },
})

async function readAt(reader: Reader, handle: EntryHandle, seen?: View): Promise<SummaryEntry> {
  const oid = await reader.oid(handle)
  if (seen && !seen.effect) return { oid, view: seen }
  const body = await reader.body(handle)
  const view = seen ?? viewOf((await reader.node(handle)).type, body)
  const details = view.effect && detailsIn(body)
  return { oid, view, ...defined({ details }) }
}

/** Returns the details in the body of a summary or compaction; undefined if a hook made them. */
export const detailsIn = (body: Json): Json | undefined =>
  field(body, 'fromHook') === true || field(body, 'fromExtension') === true
    ? undefined
    : field(body, 'details')

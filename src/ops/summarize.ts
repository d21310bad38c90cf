import { viewOf } from '../formats/registry.ts'
import { type DigestEntry, type Earlier, StructuralDigest } from '../model/digest.ts'
import { SessError } from '../model/errors.ts'
import { asString, field, type Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { View } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'

/** An entry that is to be summarised. */
export interface SummaryEntry extends DigestEntry {
  readonly oid: Oid
}

/** Entries in the order of their path, read bit by bit, each time again: they may be many. */
export interface PathEntries {
  readonly count: number
  /** Gives them from a place on, the first unless said; what precedes it is not read. */
  entries(from?: number): AsyncIterable<SummaryEntry>
}

/** What is to be summarised, and why. */
export interface Preparation {
  readonly reason: 'pop' | 'compact' | 'handoff'
  /** The session that it is of. */
  readonly session: string | null
  readonly stretch: PathEntries
  /** The beginning of a turn whose end is kept: it follows the stretch, and is to be summarised apart. */
  readonly turn?: PathEntries
  /** The summary of what precedes, which the new one is to stand for too. */
  readonly previous?: Earlier
  /** What the summary is for, in words. */
  readonly instructions?: string
}

/** A summary, and what its entry says beside it. */
export interface MadeSummary {
  readonly summary: string
  /** Unless given: the files read and changed, and of the structural digest what the next one goes on from. */
  readonly details?: Json
  /** Whether a hook made it: then its details are not carried forward. */
  readonly fromHook?: boolean
}

/** Makes a summary of what was prepared. */
export type Summarizer = (preparation: Preparation, signal?: AbortSignal) => Promise<MadeSummary>

/** Where a summary comes from: a text or a summarizer; unless said, a structural digest made without a model. */
export interface SummaryOptions {
  readonly summary?: string
  readonly summarize?: Summarizer
  /** What the summary is for, in words, for a summarizer. */
  readonly instructions?: string
  /** Asks to stop. */
  readonly signal?: AbortSignal
}

/** In so many entries, the newest, files are looked for where a text was given, which takes no time of its own. */
const SEARCHED = 10_000

/**
 * Gives a summary of what was prepared. Throws `bad-summary` where it is empty, and what the summarizer throws. Nothing
 * is written, and the store is free for others meanwhile.
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
  const digest = new StructuralDigest(previous)
  for (const part of [stretch, ...(turn ? [turn] : [])]) {
    const from = summary === undefined ? 0 : Math.max(0, part.count - SEARCHED)
    for await (const entry of part.entries(from)) digest.add(entry)
  }
  return { ...made, details: digest.files() }
}

/** Joins a summary, where anything precedes, and that of the beginning of a turn whose end is kept. */
const joined = (before: string | undefined, began: string): string =>
  before === undefined ? began : `${before}\n\n---\n\nThe turn that goes on below began so:\n\n${began}`

const beginsWithTurn = ({ stretch, previous }: Preparation): boolean =>
  stretch.count === 0 && previous === undefined

/** Makes a summarizer of what summarises one stretch: the beginning of a turn whose end is kept it gets apart. */
export const apart =
  (one: (preparation: Preparation, signal?: AbortSignal) => Promise<string>): Summarizer =>
  async ({ turn, ...whole }, signal) => {
    if (!turn) return { summary: await one(whole, signal) }
    const { previous: _, stretch: __, ...about } = whole
    const before = beginsWithTurn(whole) ? undefined : await one(whole, signal)
    return { summary: joined(before, await one({ ...about, stretch: turn }, signal)) }
  }

/**
 * Makes a digest without a model: the goal, what was asked, files, commands, errors, where it stopped. Reads each entry
 * once: the digest of all, which the next one goes on from, is that of what precedes the turn, continued.
 */
export const structural: Summarizer = async (preparation) => {
  const { stretch, turn, previous } = preparation
  const whole = new StructuralDigest(previous)
  for await (const entry of stretch.entries()) whole.add(entry)
  if (!turn) return { summary: whole.text(), details: whole.details() }
  const before = beginsWithTurn(preparation) ? undefined : whole.text()
  const began = new StructuralDigest()
  for await (const entry of turn.entries()) for (const digest of [whole, began]) digest.add(entry)
  return { summary: joined(before, began.text()), details: whole.details() }
}

/** So many entries are read at once: the store is free for others before and after them. */
const BATCH = 256

/** Gives entries of the store, in the order of their path, as a stretch; of those with a view, what that says. */
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
  return { oid, view, ...(details !== undefined && { details }) }
}

/** Gives what the body of a summary or a compaction says beside it; undefined where a hook made that. */
export const detailsIn = (body: Json): Json | undefined =>
  field(body, 'fromHook') === true || field(body, 'fromExtension') === true
    ? undefined
    : field(body, 'details')

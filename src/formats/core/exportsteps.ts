import { type Block, editedView, type Role, type Setting, textOf, type View } from '../../model/view.ts'
import { CallIds } from '../requests/toolids.ts'
import { fitCalls, type TextArguments } from './callinput.ts'
import { type Loss, lossesBetween } from './losses.ts'
import type { Draft, DraftEntry, Index } from './writer.ts'

/** Consecutive blocks of one speaker. */
export interface SpeakerSegment {
  readonly role: Role
  readonly blocks: readonly Block[]
}

/**
 * Splits blocks by speaker, for formats where calls and results are messages of their own: results are the tools',
 * with the images after them in a tool's message; blocks of an unknown speaker are the user's.
 */
export function segmentsOf(role: Role | null, blocks: readonly Block[]): SpeakerSegment[] {
  const segments: { role: Role; blocks: Block[] }[] = []
  for (const block of blocks) {
    const last = segments.at(-1)
    const goesWithResult = block.kind === 'image' && role === 'tool' && last !== undefined
    const speaker = block.kind === 'toolResult' || goesWithResult ? 'tool' : speakerOf(role, block)
    if (last?.role === speaker) last.blocks.push(block)
    else segments.push({ role: speaker, blocks: [block] })
  }
  return segments
}

const speakerOf = (role: Role | null, { kind }: Block): Role => {
  if (kind === 'toolCall' || kind === 'thinking') return 'assistant'
  return role === null || role === 'tool' ? 'user' : role
}

/** An entry and its place. */
interface DraftPosition {
  readonly entry: DraftEntry
  readonly at: Index
}

/**
 * A step of a path on its way into a list of messages: an entry of the format itself; blocks of one speaker; a
 * compaction, with its summary and the entries that it keeps; a setting.
 */
export type ExportStep = DraftPosition &
  (
    | { readonly kind: 'own' }
    | { readonly kind: 'segment'; readonly role: Role; readonly blocks: readonly Block[] }
    | { readonly kind: 'compaction'; readonly summary: string; readonly kept: readonly Index[] }
    | { readonly kind: 'setting'; readonly sets: Setting }
  )

/** The requirements of a format on the order of messages. */
export interface ExportRules {
  /** The dialect of its own entries. */
  readonly dialect: string
  /** The kinds of them that are written unchanged; all by default. */
  readonly kinds?: readonly string[]
  /**
   * Whether results must directly follow the message with their calls; entries between them are then moved after the
   * results.
   */
  readonly adjacent: boolean
  /** Whether an entry edited by the format's own edits already contains the change, and is written unchanged. */
  readonly ownEdits?: boolean
  /** How it takes calls whose arguments are a text. */
  readonly texts?: TextArguments
}

/**
 * Returns the steps of a path, valid for model APIs: each result after its call, each call answered, ids of calls
 * unique, edits applied; and the losses. Entries of the format itself are passed unchanged.
 */
export async function* exportSteps(draft: Draft, rules: ExportRules): AsyncGenerator<ExportStep | Loss> {
  const pairing = new ExportedCalls(await resultsIn(draft))
  let deferred: DraftPosition[] = []
  /** Whether some of the open calls are answered: a message of the model would then separate the other results from them. */
  let isAnswering = false
  let at = 0
  for await (const entry of draft.entries()) {
    const work: DraftPosition[] = [{ entry, at: at++ }]
    for (let one = work.shift(); one !== undefined; one = work.shift()) {
      const answers = pairing.answers(one.entry.view)
      const isApart = isAnswering || one.entry.view.role !== 'assistant'
      const waits = deferred.length > 0 || (pairing.isOpen && isApart)
      if (rules.adjacent && waits && !answers) {
        deferred.push(one)
        continue
      }
      if (deferred.length > 0) yield { code: 'order', oid: one.entry.oid }
      yield* stepsIn(draft, one, rules, pairing)
      isAnswering = pairing.isOpen && (isAnswering || answers)
      if (pairing.isOpen) continue
      work.unshift(...deferred)
      deferred = []
    }
  }
  for (const one of deferred) yield* stepsIn(draft, one, rules, pairing)
  yield* closing(pairing)
}

/** Counts the results that are shown, by the ids of their calls. */
async function resultsIn(draft: Draft): Promise<Map<string, number>> {
  const results = new Map<string, number>()
  for (let at = 0; at < draft.count; at++) {
    const { view, edit } = await draft.read(at)
    const calls = view.blocks.flatMap((block) => (block.kind === 'toolResult' ? [block.id] : []))
    if (calls.length === 0 || (edit !== undefined && (await isHidden(draft, edit)))) continue
    for (const id of calls) results.set(id, (results.get(id) ?? 0) + 1)
  }
  return results
}

async function* stepsIn(
  draft: Draft,
  from: DraftPosition,
  { dialect, kinds, ownEdits = false, texts }: ExportRules,
  pairing: ExportedCalls,
): AsyncGenerator<ExportStep | Loss> {
  const { entry, at } = from
  const { view, oid, links, edit } = entry
  if (view.role !== 'assistant' && view.role !== 'tool') yield* closing(pairing)
  const isOwn = (type: string): boolean =>
    type.startsWith(`${dialect}/`) && (kinds?.includes(type.slice(dialect.length + 1)) ?? true)
  if (isOwn(entry.type) && (edit === undefined || (ownEdits && isOwn((await draft.read(edit)).type)))) {
    pairing.pass(view)
    yield { ...from, kind: 'own' }
    return
  }
  const { effect, sets } = view
  if (effect?.kind === 'compaction') {
    const { summary = '', replacement } = effect
    if (replacement) yield { code: 'compaction', oid }
    const words = (replacement ?? []).flatMap((replaced) => textOf(replaced) || [])
    const kept = links.kept ?? between(links.firstKept, at)
    yield {
      ...from,
      kind: 'compaction',
      summary: [...(summary ? [summary] : []), ...words].join('\n\n'),
      kept,
    }
  } else if (effect?.kind === 'summary') {
    yield { code: 'summary', oid }
    yield { ...from, kind: 'segment', role: 'user', blocks: [{ kind: 'text', text: effect.text }] }
  } else if (effect?.kind === 'edit') {
    if (links.target === undefined) yield { code: 'edit', oid }
  } else if (view.role === null && view.blocks.length === 0) {
    if (sets) yield { ...from, kind: 'setting', sets }
    else yield { code: 'opaque', oid }
  } else {
    if (edit !== undefined) yield { code: 'edit', oid }
    const shown = await shownIn(draft, entry)
    const { blocks, wrapped } = fitCalls(shown.blocks, texts)
    for (const subject of wrapped) yield { code: 'wrapped', oid, subject }
    yield* segmentSteps(from, { ...shown, blocks }, pairing)
  }
}

function* segmentSteps(
  from: DraftPosition,
  view: View,
  pairing: ExportedCalls,
): Generator<ExportStep | Loss> {
  const { oid } = from.entry
  const segments = segmentsOf(view.role, view.blocks)
  for (const code of lossesBetween([view], segments)) yield { code, oid }
  for (const { role, blocks } of segments) {
    const { paired, orphans } = pairing.take(blocks, from)
    for (const subject of orphans) yield { code: 'orphan-result', oid, subject }
    if (paired.some((block) => block.kind === 'toolResult') || role !== 'tool')
      yield { ...from, kind: 'segment', role, blocks: paired }
  }
}

function* closing(pairing: ExportedCalls): Generator<ExportStep | Loss> {
  for (const { from, blocks } of pairing.close()) {
    yield { code: 'open-call', oid: from.entry.oid }
    yield { ...from, kind: 'segment', role: 'tool', blocks }
  }
}

const between = (first: Index | undefined, end: Index): Index[] =>
  first === undefined ? [] : Array.from({ length: end - first }, (_, i) => first + i)

async function isHidden(draft: Draft, edit: Index): Promise<boolean> {
  const { effect } = (await draft.read(edit)).view
  return effect?.kind === 'edit' && effect.replacement === null
}

/** Returns the view of an entry with its edit applied. */
async function shownIn(draft: Draft, { view, edit }: DraftEntry): Promise<View> {
  const effect = edit === undefined ? undefined : (await draft.read(edit)).view.effect
  if (effect?.kind !== 'edit') return view
  return editedView(view, effect.replacement ?? [])
}

/** A call that waits for its result: the id that it is written with, and whether a result comes. */
interface OpenCall {
  readonly id: string
  readonly awaited: boolean
}

/** The longest id of a call that every API takes. */
const LONGEST_ID = 64

/** The result of a call that was never answered. */
const NO_RESULT = 'no result was recorded'

/**
 * Pairs calls with results on their way into messages: a result answers the latest call of its id, each call gets an id
 * of its own, and those that nothing answers are remembered, to be answered by an error.
 */
class ExportedCalls {
  /** How many results are yet to come, by id. */
  readonly #results: Map<string, number>
  readonly #ids = new CallIds(LONGEST_ID)
  readonly #open = new Map<string, OpenCall[]>()
  #awaited = 0
  #unanswered: { from: DraftPosition; blocks: Block[] }[] = []

  constructor(results: Map<string, number>) {
    this.#results = results
  }

  /** Whether a call was taken whose result is yet to come. */
  get isOpen(): boolean {
    return this.#awaited > 0
  }

  /** Returns whether something answers a call that was taken. */
  answers({ blocks }: View): boolean {
    return blocks.some((block) => block.kind === 'toolResult' && this.#open.get(block.id)?.length)
  }

  /** Takes what passes as it is. */
  pass({ blocks }: View): void {
    for (const block of blocks) {
      if (block.kind === 'toolCall') {
        this.#ids.next(block.id)
        this.#openCall(block.id, { id: block.id, awaited: false })
      } else if (block.kind === 'toolResult') this.#answer(block.id)
    }
  }

  /** Returns blocks with the ids with which they are written, and the ids of results without a call. */
  take(blocks: readonly Block[], from: DraftPosition): { paired: Block[]; orphans: string[] } {
    const orphans: string[] = []
    const unanswered: Block[] = []
    const paired = blocks.flatMap((block): Block[] => {
      if (block.kind === 'toolCall') {
        const id = this.#ids.next(block.id)
        const awaited = (this.#results.get(block.id) ?? 0) > this.#waitingFor(block.id)
        this.#openCall(block.id, { id, awaited })
        if (!awaited)
          unanswered.push({ kind: 'toolResult', id, name: block.name, text: NO_RESULT, error: true })
        return [{ ...block, id }]
      }
      if (block.kind !== 'toolResult') return [block]
      const id = this.#answer(block.id)
      if (id === undefined) orphans.push(block.id)
      return id === undefined ? [] : [{ ...block, id }]
    })
    if (unanswered.length > 0) this.#unanswered.push({ from, blocks: unanswered })
    return { paired, orphans }
  }

  /** Returns error results for calls that are never answered, and forgets those calls. */
  close(): readonly { readonly from: DraftPosition; readonly blocks: readonly Block[] }[] {
    const unanswered = this.#unanswered
    this.#unanswered = []
    return unanswered
  }

  #waitingFor(id: string): number {
    return (this.#open.get(id) ?? []).filter(({ awaited }) => awaited).length
  }

  #openCall(id: string, call: OpenCall): void {
    if (call.awaited) this.#awaited++
    const calls = this.#open.get(id)
    if (calls) calls.push(call)
    else this.#open.set(id, [call])
  }

  #answer(id: string): string | undefined {
    this.#results.set(id, (this.#results.get(id) ?? 0) - 1)
    const calls = this.#open.get(id) ?? []
    // The latest that waits: one that was taken for unanswered has an answer already.
    const at = calls.findLastIndex(({ awaited }) => awaited)
    const [call] = calls.splice(at < 0 ? calls.length - 1 : at, 1)
    if (calls.length === 0) this.#open.delete(id)
    if (call?.awaited) this.#awaited--
    return call?.id
  }
}

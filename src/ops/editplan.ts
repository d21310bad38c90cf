import { viewOf } from '../formats/registry.ts'
import { asString, field, isObject, type Json, type JsonObject } from '../model/json.ts'
import { addTo } from '../model/lists.ts'
import type { EntryHandle } from '../model/node.ts'
import { badLine, type PlanStep } from '../model/plan.ts'
import { summaryIn, textOf, type View } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import type { ReplayStep } from './replay.ts'
import { ToolReader } from './toolexchange.ts'

/** The entries that a plan replays, and the fate of the others. */
export interface PlannedEdit {
  readonly steps: readonly ReplayStep[]
  /** The entries that the plan drops. */
  readonly dropped: readonly EntryHandle[]
  /** The results and calls that are dropped with their calls and results. */
  readonly along: readonly EntryHandle[]
  /** The results that the plan separated from their calls, and that were put back after them. */
  readonly lifted: readonly EntryHandle[]
}

/** A kept entry, and its step of the plan. */
interface KeptStep {
  readonly handle: EntryHandle
  readonly plan: PlanStep
}

/** Applies a plan to entries of a path. Throws `bad-plan`. */
export async function planEdit(
  reader: Reader,
  handles: readonly EntryHandle[],
  plan: readonly PlanStep[],
): Promise<PlannedEdit> {
  const listed = await stepsByEntry(reader, handles, plan)
  const partners = await partnersIn(reader, handles)
  const dropped = handles.filter((handle) => (listed.get(handle)?.verb ?? 'drop') === 'drop')
  const gone = withPartners(dropped, partners)
  const kept = [...listed].flatMap(([handle, step]) => (gone.has(handle) ? [] : [{ handle, plan: step }]))
  const { order, lifted } = lift(handles, kept, partners)
  const along = [...gone].slice(dropped.length)
  return { steps: await stepsOf(reader, order), dropped, along, lifted }
}

/** Returns the steps of a plan by their entries, in the plan's order. */
async function stepsByEntry(
  reader: Reader,
  handles: readonly EntryHandle[],
  plan: readonly PlanStep[],
): Promise<Map<EntryHandle, PlanStep>> {
  const oids: (readonly [string, EntryHandle])[] = []
  for (const handle of handles) oids.push([await reader.oid(handle), handle])
  oids.sort(([a], [b]) => (a < b ? -1 : 1))
  const listed = new Map<EntryHandle, PlanStep>()
  for (const step of plan) {
    const found = startingWith(oids, step.oid)
    if (found.length === 0) throw badLine(step.line, `'${step.oid}' is none of the entries that are edited`)
    if (found.length > 1) throw badLine(step.line, `'${step.oid}' begins the oids of several entries`)
    const [[, handle]] = found as [[string, EntryHandle]]
    if (listed.has(handle)) throw badLine(step.line, `'${step.oid}' is in the plan twice`)
    listed.set(handle, step)
  }
  return listed
}

/** Returns at most two sorted oids that begin with some digits. */
function startingWith(
  oids: readonly (readonly [string, EntryHandle])[],
  digits: string,
): (readonly [string, EntryHandle])[] {
  let [low, high] = [0, oids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((oids[middle]?.[0] ?? '') < digits) low = middle + 1
    else high = middle
  }
  return oids.slice(low, low + 2).filter(([oid]) => oid.startsWith(digits))
}

/** Returns the results of each call, and the call of each result, within some entries of a path. */
async function partnersIn(
  reader: Reader,
  handles: readonly EntryHandle[],
): Promise<Map<EntryHandle, EntryHandle[]>> {
  const tools = new ToolReader(reader)
  const calls = new Map<string, EntryHandle>()
  const partners = new Map<EntryHandle, EntryHandle[]>()
  for (const handle of handles) {
    const own = await tools.of(handle)
    for (const id of own.calls) calls.set(id, handle)
    for (const id of own.results) {
      const call = calls.get(id)
      if (call === undefined || call === handle) continue
      addTo(partners, call, handle)
      addTo(partners, handle, call)
    }
  }
  return partners
}

/** Returns some entries, followed by their partners and the partners of these. */
function withPartners(
  handles: readonly EntryHandle[],
  partners: ReadonlyMap<EntryHandle, readonly EntryHandle[]>,
): Set<EntryHandle> {
  const all = new Set(handles)
  // Iterating a set includes the elements that are added meanwhile.
  for (const handle of all) for (const partner of partners.get(handle) ?? []) all.add(partner)
  return all
}

/** Puts results that a plan separated from their calls right after them. */
function lift(
  path: readonly EntryHandle[],
  kept: readonly KeptStep[],
  partners: ReadonlyMap<EntryHandle, readonly EntryHandle[]>,
): { readonly order: KeptStep[]; readonly lifted: EntryHandle[] } {
  const placesBefore = positionsIn(path)
  const places = positionsIn(kept.map(({ handle }) => handle))
  const preceded = (one: EntryHandle, other: EntryHandle): boolean =>
    (placesBefore.get(one) as number) < (placesBefore.get(other) as number)
  /** Returns whether a result follows its call with nothing between them that was not between them before. */
  const isTogether = (call: EntryHandle, result: EntryHandle): boolean => {
    const [from, to] = [places.get(call) as number, places.get(result) as number]
    const between = kept.slice(from + 1, to)
    return from < to && between.every(({ handle }) => preceded(call, handle) && preceded(handle, result))
  }
  const liftedAfter = new Map<EntryHandle, KeptStep[]>()
  const lifted: EntryHandle[] = []
  for (const one of kept) {
    const call = partners.get(one.handle)?.find((partner) => preceded(partner, one.handle))
    if (call === undefined || isTogether(call, one.handle)) continue
    addTo(liftedAfter, call, one)
    lifted.push(one.handle)
  }
  const moved = new Set(lifted)
  const order = kept.flatMap((one) =>
    moved.has(one.handle) ? [] : [one, ...(liftedAfter.get(one.handle) ?? [])],
  )
  return { order, lifted }
}

const positionsIn = (handles: readonly EntryHandle[]): ReadonlyMap<EntryHandle, number> =>
  new Map(handles.map((handle, at) => [handle, at]))

async function stepsOf(reader: Reader, kept: readonly KeptStep[]): Promise<ReplayStep[]> {
  const steps: ReplayStep[] = []
  for (const { handle, plan } of kept) {
    const body = async (): Promise<TypedBody> => ({
      type: (await reader.node(handle)).type,
      body: await reader.body(handle),
    })
    if (plan.verb === 'squash') {
      const last = steps.pop()
      if (!last) throw badLine(plan.line, 'nothing precedes the entry to be squashed')
      const { type } = await reader.node(last.handle)
      const before = last.body ?? { type, body: await reader.body(last.handle) }
      const both = joined([before, await body()])
      if (!both) throw badLine(plan.line, 'only texts of one role can be squashed')
      steps.push({ ...last, body: both, also: [...(last.also ?? []), handle] })
    } else if (plan.verb === 'reword') {
      const own = await body()
      const text = plan.text ?? ''
      const other = wordsOf(viewOf(own.type, own.body)) === text ? own : reworded(own, text)
      if (!other) throw badLine(plan.line, `'${plan.oid}' says nothing in words that others could stand for`)
      steps.push(other === own ? { handle } : { handle, body: other })
    } else steps.push({ handle })
  }
  return steps
}

/** The type and body of an entry. */
export interface TypedBody {
  readonly type: string
  readonly body: Json
}

/** The fields of bodies that hold text. */
const TEXT_FIELDS = [['message', 'content'], ['content'], ['text'], ['summary']] as const

/**
 * Returns an entry with another text: its own body with the text replaced if possible, else a message of sess's own.
 * Undefined for an entry without text.
 */
export function reworded({ type, body }: TypedBody, text: string): TypedBody | undefined {
  for (const place of TEXT_FIELDS) {
    const other = withText(body, place, text)
    if (other !== undefined && wordsOf(viewOf(type, other)) === text) return { type, body: other }
  }
  const { role, blocks } = viewOf(type, body)
  const [first, ...rest] = blocks.filter(({ kind }) => kind !== 'thinking' && kind !== 'text')
  if (role === null || rest.length > 0) return undefined
  if (first === undefined) return { type: 'sess/message', body: { role, content: text } }
  if (first.kind !== 'toolResult') return undefined
  const { id, name, error } = first
  const result = {
    type: 'toolResult',
    id,
    ...(name !== undefined && { name }),
    text,
    ...(error && { error }),
  }
  return { type: 'sess/message', body: { role, content: [result] } }
}

/** Returns the text of an entry that can be replaced; undefined if it has none. */
const wordsOf = (view: View): string | undefined => textOf(view) ?? summaryIn(view.effect)

function withText(value: Json, [key, ...rest]: readonly string[], text: string): Json | undefined {
  const part = key === undefined ? undefined : field(value, key)
  if (key === undefined || part === undefined || !isObject(value)) return undefined
  const other = rest.length > 0 ? withText(part, rest, text) : replaced(part, text)
  return other === undefined ? undefined : { ...value, [key]: other }
}

/** Replaces the texts of a content by one text. */
function replaced(content: Json, text: string): Json | undefined {
  if (asString(content) !== undefined) return text
  if (!Array.isArray(content)) return undefined
  const blocks = content as readonly Json[]
  const first = blocks.findIndex(isText)
  if (first < 0) return undefined
  return blocks.flatMap((block, at) => {
    if (at === first) return [{ ...(block as JsonObject), text }]
    return isText(block) ? [] : [block]
  })
}

const isText = (block: Json): boolean =>
  asString(field(block, 'text')) !== undefined && asString(field(block, 'type'))?.endsWith('text') === true

/** Joins the texts of several messages of one role; undefined if one of them has other content. */
export function joined(all: readonly TypedBody[]): TypedBody | undefined {
  const views = all.map(({ type, body }) => viewOf(type, body))
  const [first] = views
  const texts = views.flatMap((view) => textOf(view) ?? [])
  const isPlain = views.every(
    ({ role, blocks }) =>
      role === first?.role &&
      role !== null &&
      blocks.every(({ kind }) => kind === 'text' || kind === 'thinking'),
  )
  if (!isPlain || !first || texts.length < views.length) return undefined
  return { type: 'sess/message', body: { role: first.role, content: texts.join('\n\n') } }
}

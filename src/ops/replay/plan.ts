import { viewOf } from '../../formats/registry.ts'
import { badLine, type PlanStep } from '../../model/plan.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import { ToolReader } from './exchange.ts'
import type { Step } from './replay.ts'
import { joined, reworded, type Said, wordsOf } from './reworded.ts'

/** What is to be said again by a plan, and what became of the rest. */
export interface Planned {
  readonly steps: readonly Step[]
  /** What the plan drops. */
  readonly dropped: readonly Row[]
  /** What goes with it: results of calls that are dropped, and calls of results. */
  readonly along: readonly Row[]
  /** Results that the plan parted from their calls, and that stand behind them again. */
  readonly lifted: readonly Row[]
}

/** An entry that stays, at its place in the plan. */
interface Kept {
  readonly row: Row
  readonly plan: PlanStep
}

/** Gives what a plan makes of some entries of a path. Throws `bad-plan`. */
export async function planned(
  backend: Backend,
  rows: readonly Row[],
  plan: readonly PlanStep[],
): Promise<Planned> {
  const listed = await listedIn(backend, rows, plan)
  const partners = await partnersIn(backend, rows)
  const dropped = rows.filter((row) => (listed.get(row)?.verb ?? 'drop') === 'drop')
  const gone = withPartners(dropped, partners)
  const kept = [...listed].flatMap(([row, step]) => (gone.has(row) ? [] : [{ row, plan: step }]))
  const { order, lifted } = lift(kept, partners)
  const along = [...gone].slice(dropped.length)
  return { steps: await stepsOf(backend, order), dropped, along, lifted }
}

/** Gives the steps of a plan by the entries that they are of, in the plan's order. */
async function listedIn(
  backend: Backend,
  rows: readonly Row[],
  plan: readonly PlanStep[],
): Promise<Map<Row, PlanStep>> {
  const oids: (readonly [string, Row])[] = []
  for (const row of rows) oids.push([await backend.oid(row), row])
  oids.sort(([a], [b]) => (a < b ? -1 : 1))
  const listed = new Map<Row, PlanStep>()
  for (const step of plan) {
    const found = startingWith(oids, step.oid)
    if (found.length === 0) throw badLine(step.line, `'${step.oid}' is none of the entries that are edited`)
    if (found.length > 1) throw badLine(step.line, `'${step.oid}' begins the oids of several entries`)
    const [[, row]] = found as [[string, Row]]
    if (listed.has(row)) throw badLine(step.line, `'${step.oid}' stands in the plan twice`)
    listed.set(row, step)
  }
  return listed
}

/** Gives at most two of some sorted oids that begin with some digits. */
function startingWith(oids: readonly (readonly [string, Row])[], digits: string): (readonly [string, Row])[] {
  let [low, high] = [0, oids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((oids[middle]?.[0] ?? '') < digits) low = middle + 1
    else high = middle
  }
  return oids.slice(low, low + 2).filter(([oid]) => oid.startsWith(digits))
}

/** Gives of each call the results that answer it, and of each result its call, within some entries of a path. */
async function partnersIn(backend: Backend, rows: readonly Row[]): Promise<Map<Row, Row[]>> {
  const tools = new ToolReader(backend)
  const calls = new Map<string, Row>()
  const partners = new Map<Row, Row[]>()
  const join = (a: Row, b: Row): void => {
    const list = partners.get(a)
    if (list) list.push(b)
    else partners.set(a, [b])
  }
  for (const row of rows) {
    const own = await tools.of(row)
    for (const id of own.calls) calls.set(id, row)
    for (const id of own.results) {
      const call = calls.get(id)
      if (call === undefined || call === row) continue
      join(call, row)
      join(row, call)
    }
  }
  return partners
}

/** Gives some entries and then all that go with them. */
function withPartners(rows: readonly Row[], partners: ReadonlyMap<Row, readonly Row[]>): Set<Row> {
  const all = new Set(rows)
  // A set gives what is added while it is walked.
  for (const row of all) for (const partner of partners.get(row) ?? []) all.add(partner)
  return all
}

/** Puts results that a plan parted from their calls right behind them. */
function lift(
  kept: readonly Kept[],
  partners: ReadonlyMap<Row, readonly Row[]>,
): { readonly order: Kept[]; readonly lifted: Row[] } {
  const places = new Map(kept.map(({ row }, at) => [row, at]))
  const behind = new Map<Row, Kept[]>()
  const lifted: Row[] = []
  for (const one of kept) {
    const call = partners.get(one.row)?.find((partner) => partner < one.row)
    if (call === undefined || together(kept, places, call, one.row)) continue
    behind.set(call, [...(behind.get(call) ?? []), one])
    lifted.push(one.row)
  }
  const moved = new Set(lifted)
  const order = kept.flatMap((one) => (moved.has(one.row) ? [] : [one, ...(behind.get(one.row) ?? [])]))
  return { order, lifted }
}

/** Tells whether a result stands behind its call with nothing between them that did not stand there before. */
function together(kept: readonly Kept[], places: ReadonlyMap<Row, number>, call: Row, result: Row): boolean {
  const [from, to] = [places.get(call) as number, places.get(result) as number]
  if (to < from) return false
  for (let at = from + 1; at < to; at++) {
    const { row } = kept[at] as Kept
    if (row < call || row > result) return false
  }
  return true
}

async function stepsOf(backend: Backend, kept: readonly Kept[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const { row, plan } of kept) {
    const said = async (): Promise<Said> => ({
      type: (await backend.node(row)).type,
      body: await backend.body(row),
    })
    if (plan.verb === 'squash') {
      const last = steps.pop()
      if (!last) throw badLine(plan.line, 'nothing stands before what is to be squashed')
      const { type } = await backend.node(last.row)
      const before = last.said ?? { type, body: await backend.body(last.row) }
      const both = joined([before, await said()])
      if (!both) throw badLine(plan.line, 'only texts of one role can be squashed')
      steps.push({ ...last, said: both, also: [...(last.also ?? []), row] })
    } else if (plan.verb === 'reword') {
      const own = await said()
      const text = plan.text ?? ''
      const other = wordsOf(viewOf(own.type, own.body)) === text ? own : reworded(own, text)
      if (!other) throw badLine(plan.line, `'${plan.oid}' says nothing in words that others could stand for`)
      steps.push(other === own ? { row } : { row, said: other })
    } else steps.push({ row })
  }
  return steps
}

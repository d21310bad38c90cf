import { range } from '../graph/range.ts'
import { isAncestor } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import type { Backend, Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import type { Session } from '../repo/session.ts'
import { type Named, placeNamed, resolveIn } from './append/place.ts'
import { withExchanges } from './replay/exchange.ts'
import { pathSince } from './replay/meeting.ts'
import { type Brought, moveTo, Replay, type Step } from './replay/replay.ts'
import { rangeOf } from './select/range.ts'

/** What a cherry-pick takes, and where it goes. */
export interface PickOptions {
  /** The branch that it goes onto, `SESSION/BRANCH` or one of the session: where the session stands unless said. */
  readonly onto?: string
  /** The session that it goes to; `@` unless said. */
  readonly session?: string
  /** Leave out what the path that it goes onto has, or says in the same words since the two parted. */
  readonly skipPresent?: boolean
}

/** What a cherry-pick brought, with the entries that came along because their tool calls or results were taken. */
export interface Picked extends Brought {
  readonly along: readonly Oid[]
  readonly skipped: readonly Oid[]
}

/**
 * Says entries and ranges again behind a tip: what revisions name, in the order in which they are named, of a range in
 * path order. A tool call brings its result and a result its call. Throws as `resolve`, and `bad-usage` for a range
 * with three dots.
 */
export async function cherryPick(
  repo: Repo,
  revisions: readonly string[],
  { onto, session, skipPresent = false }: PickOptions = {},
): Promise<Picked> {
  return repo.write({ bulk: true }, async (change) => {
    const { backend } = change
    const where = { ...(onto !== undefined && { branch: onto }), ...(session !== undefined && { session }) }
    const place = await placeNamed(backend, where, repo.env.cwd)
    const { steps, along } = await stepsOf(backend, revisions, place, repo.env.cwd)
    const tip = place.tip?.row
    const here = skipPresent && tip !== undefined ? await presentIn(backend, tip, steps) : new Set<Row>()
    const replay = await Replay.begin(repo, change, place.session.id, tip, { verb: 'cherry-pick' })
    await replay.add(steps.filter(({ row }) => !here.has(row)))
    const { tip: now, ...done } = replay.end()
    return {
      session: place.session.id,
      branch: place.branch,
      before: place.tip?.oid ?? null,
      tip: await moveTo(change, place, now),
      ...done,
      along: await oidsOf(backend, along),
      skipped: await oidsOf(backend, here),
    }
  })
}

async function stepsOf(
  backend: Backend,
  revisions: readonly string[],
  place: Named,
  cwd: string,
): Promise<{ readonly steps: Step[]; readonly along: Set<Row> }> {
  const steps = new Map<Row, Step>()
  const along = new Set<Row>()
  for (const revision of revisions) {
    const { rows: named, session } = await rowsOf(backend, revision, place.session, cwd)
    const asked = new Set(named)
    for (const row of await withExchanges(backend, named, session ?? place.session)) {
      if (!asked.has(row)) along.add(row)
      else along.delete(row)
      if (!steps.has(row)) steps.set(row, { row, ...(session && { session }) })
    }
  }
  return { steps: [...steps.values()], along }
}

/** Gives what a revision or a range names, in path order, and the session that it was named through. */
async function rowsOf(
  backend: Backend,
  revision: string,
  own: Session,
  cwd: string,
): Promise<{ readonly rows: Row[]; readonly session: Session | undefined }> {
  const find = (name: string) => resolveIn(backend, name, own, cwd)
  const found = await rangeOf(backend, revision, cwd, find)
  if (!found) {
    const { row, session } = await find(revision)
    return { rows: [row], session }
  }
  if (found.symmetric)
    throw new SessError('bad-usage', `'${revision}' names entries of two sides`, {
      hint: 'use two dots: A..B is what B has and A has not',
    })
  const { left, right } = found
  const rows: Row[] = []
  const look = (row: Row) => backend.node(row)
  for await (const row of range([right.row], [left.row], look, { firstParent: true })) rows.push(row)
  return { rows: rows.reverse(), session: right.session ?? left.session }
}

/** Gives those of some entries that a path has, or says in the same words since the two parted. */
async function presentIn(backend: Backend, tip: Row, steps: readonly Step[]): Promise<Set<Row>> {
  const present = new Set<Row>()
  const [first] = steps
  if (!first) return present
  const said = new Set<string>()
  for (const row of await pathSince(backend, tip, first.row)) said.add(await wordsOf(backend, row))
  for (const { row } of steps) {
    const isSaid = said.has(await wordsOf(backend, row))
    if (isSaid || (await isAncestor(row, tip, (node) => backend.node(node)))) present.add(row)
  }
  return present
}

async function wordsOf(backend: Backend, row: Row): Promise<string> {
  const { type, digest } = await backend.node(row)
  return `${type} ${digest}`
}

async function oidsOf(backend: Backend, rows: Iterable<Row>): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const row of rows) oids.push(await backend.oid(row))
  return oids
}

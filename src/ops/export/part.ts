import type { Loss } from '../../formats/losses.ts'
import { path, reachable } from '../../graph/walk.ts'
import { SessError } from '../../model/errors.ts'
import type { Oid } from '../../model/oid.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import { resolve, resolveSession } from '../../repo/revision.ts'
import { MAIN, type Session, tipOf } from '../../repo/session.ts'

/** Which part of a session is meant. */
export interface Choice {
  /** A branch or a label, with the path that leads there. */
  readonly branch?: string
  /** An entry by its revision: the entry and all that continues it, with the path that leads there. */
  readonly below?: string
  /** Leave that path out. */
  readonly bare?: boolean
}

/** Some entries of a session. */
export interface Part {
  /** Undefined where a revision names an entry and no session. */
  readonly session?: Session
  /** In ascending order: parents before children. */
  readonly rows: readonly Row[]
  /** Where it stands. */
  readonly tip?: Row
  readonly branches: ReadonlyMap<string, Oid>
  /** What the choice left out. */
  readonly losses: readonly Loss[]
}

/** What a text names: a session, or an entry, of a session or of none. */
export interface Named {
  readonly session?: Session
  /** Undefined where the session itself is named. */
  readonly row?: Row
}

/**
 * Gives the part of a session, or the path of a revision, that is meant. Where it is to be one path, that is the path to
 * where the session stands. Throws `no-session`, `no-branch`, `no-entry`, or as `resolve`.
 */
export async function partOf(
  backend: Backend,
  text: string,
  cwd: string,
  { branch, below, bare = false, onePath }: Choice & { readonly onePath: boolean },
): Promise<Part> {
  const { session, row } = await nameOf(backend, text, cwd)
  if (below !== undefined) {
    const { row: top } = await resolve(backend, below, cwd)
    return subtree(backend, session, { top, bare, onePath, below })
  }
  if (row !== undefined) return onPath(backend, session, { tip: row })
  const found = session as Session
  const standing = branch === undefined ? tipOf(found) : namedIn(found, branch)
  const tip = standing && (await backend.find(standing))
  if (branch !== undefined || onePath)
    return tip === undefined
      ? { session: found, rows: [], branches: new Map(), losses: [] }
      : onPath(backend, found, { tip, tells: branch === undefined ? () => true : undefined })
  const rows = await allOf(backend, found)
  return { session: found, rows, ...(tip !== undefined && { tip }), branches: found.branches, losses: [] }
}

/** Gives what a text names: a session where it can name one. Throws `no-session`, or as `resolve`. */
export async function nameOf(backend: Backend, text: string, cwd: string): Promise<Named> {
  try {
    return { session: await resolveSession(backend, text, cwd) }
  } catch (error) {
    if (!(error instanceof SessError) || error.code !== 'no-session') throw error
    return resolve(backend, text, cwd).catch((other: unknown) => {
      throw other instanceof SessError && other.code === 'no-revision' ? error : other
    })
  }
}

function namedIn({ id, branches, labels }: Session, name: string): Oid {
  const oid = branches.get(name) ?? labels.get(name)
  if (oid === undefined) throw new SessError('no-branch', `${id}/${name}`)
  return oid
}

/** Gives all entries that the branches of a session and its place reach. */
async function allOf(backend: Backend, session: Session): Promise<Row[]> {
  const tip = tipOf(session)
  const starts = await backend.findAll([...session.branches.values(), ...(tip ? [tip] : [])])
  return ascending(await reachable(starts.values(), (row) => backend.node(row)))
}

const ascending = (rows: Iterable<Row>): Row[] => [...rows].sort((a, b) => a - b)

interface Path {
  readonly tip: Row
  /** Where it begins, unless at its root. */
  readonly top?: Row | undefined
  /** Which branches are told of where the path does not hold them. */
  readonly tells?: ((tip: Row) => boolean) | undefined
}

async function onPath(backend: Backend, session: Session | undefined, wanted: Path): Promise<Part> {
  const { tip, top, tells = () => false } = wanted
  const rows: Row[] = []
  const losses: Loss[] = []
  for await (const row of path(tip, (at) => backend.node(at))) {
    rows.push(row)
    const { parents } = await backend.node(row)
    if (parents.length > 1) losses.push({ code: 'merge', oid: await backend.oid(row) })
    if (row === top) break
  }
  const { branches, others } = await branchesIn(backend, session, rows)
  const left = others.flatMap(([subject, oid, row]): Loss[] =>
    tells(row) ? [{ code: 'branch', oid, subject }] : [],
  )
  return {
    ...(session && { session }),
    rows: rows.reverse(),
    tip,
    branches,
    losses: [...losses.reverse(), ...left],
  }
}

interface Subtree {
  readonly below: string
  readonly top: Row
  readonly bare: boolean
  readonly onePath: boolean
}

/** Gives an entry and all that continues it in a session; as one path, to where the session stands if that does. */
async function subtree(
  backend: Backend,
  session: Session | undefined,
  { below, top, bare, onePath }: Subtree,
): Promise<Part> {
  const under = new Set<Row>([top])
  const all = session ? await allOf(backend, session) : []
  if (session && !all.includes(top))
    throw new SessError('no-entry', below, { detail: `not in '${session.id}'` })
  for (const row of all)
    if (row > top && (await backend.node(row)).parents.some((parent) => under.has(parent))) under.add(row)
  const tip = await standingIn(backend, session, under)
  if (onePath)
    return onPath(backend, session, { tip, top: bare ? top : undefined, tells: (row) => under.has(row) })
  const above: Row[] = []
  if (!bare) for await (const row of path(top, (at) => backend.node(at))) above.push(row)
  const rows = ascending(new Set([...above, ...under]))
  const { branches } = await branchesIn(backend, session, rows)
  return { ...(session && { session }), rows, tip, branches, losses: [] }
}

/** Gives where a session stands within some of its entries: its place, its main branch, else the newest entry. */
async function standingIn(
  backend: Backend,
  session: Session | undefined,
  rows: ReadonlySet<Row>,
): Promise<Row> {
  for (const oid of session ? [tipOf(session), session.branches.get(MAIN)] : []) {
    const row = oid === undefined ? undefined : await backend.find(oid)
    if (row !== undefined && rows.has(row)) return row
  }
  return [...rows].reduce((a, b) => Math.max(a, b))
}

/** Gives the branches of a session that end within some rows, and the others with where they end. */
async function branchesIn(
  backend: Backend,
  session: Session | undefined,
  rows: readonly Row[],
): Promise<{ branches: Map<string, Oid>; others: (readonly [string, Oid, Row])[] }> {
  const held = new Set(rows)
  const branches = new Map<string, Oid>()
  const others: (readonly [string, Oid, Row])[] = []
  const tips = await backend.findAll(session?.branches.values() ?? [])
  for (const [name, oid] of session?.branches ?? []) {
    const row = tips.get(oid)
    if (row === undefined) continue
    if (held.has(row)) branches.set(name, oid)
    else others.push([name, oid, row])
  }
  return { branches, others }
}

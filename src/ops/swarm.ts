import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import { checkName, SWARMS, swarmOf, swarmRef } from '../model/refname.ts'
import type { SwarmMember, SwarmValue } from '../model/refs/values.ts'
import { iso } from '../model/time.ts'
import { findRef, walkRefs } from '../repo/findref.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { branchTip, findTrunk, MAIN, tipOf } from '../repo/session.ts'
import { append, createSession } from './append/append.ts'
import { createBranch, tipNamed } from './branch.ts'
import { type CompareOptions, type Comparison, compare } from './compare.ts'
import { switchTo } from './switch.ts'

/** A member of a swarm, and where it is. */
export interface SwarmBranch {
  readonly name: string
  readonly session: string
  /** Null for the current branch of its session. */
  readonly branch: string | null
  /** The attempt that is made there, in words. */
  readonly about: string | null
  /** Its tip; null where it has no entries, or is there no more. */
  readonly oid: Oid | null
  /** How many entries its path has. */
  readonly entries: number
  readonly current: boolean
}

/** A named group of sessions and branches, on which several agents work at one task. */
export interface Swarm {
  readonly name: string
  readonly task: string | null
  /** The session in which branches are made for it. */
  readonly session: string
  readonly created: string | null
  readonly branches: readonly SwarmBranch[]
}

export interface NewSwarm {
  /** The first message of its session, where that is new. */
  readonly task?: string
  /** The session in which branches are made; a new one by default. */
  readonly session?: string
}

/**
 * Makes a swarm: of a new session that begins with a task, or of one that there is. Its first member is the session's main
 * branch. Throws `exists`, `bad-name`, `no-session`, and `bad-usage` where it has neither task nor session.
 */
export async function createSwarm(repo: Repo, name: string, { task, session }: NewSwarm): Promise<Swarm> {
  checkName(name)
  if (task === undefined && session === undefined)
    throw new SessError('bad-usage', 'a swarm begins with a task, or with a session')
  await repo.read(async (reader) => {
    if (await findSwarm(reader, name)) throw new SessError('exists', name)
    if (session !== undefined) await resolveSession(reader, session)
  })
  const owner = session ?? (await createSession(repo, { title: name }))
  if (session === undefined) await append(repo, owner, [{ body: { role: 'user', content: task as string } }])
  return repo.write({}, async ({ reader, move, env }) => {
    const { id, someBranches } = await resolveSession(reader, owner)
    const member = someBranches.has(MAIN) ? { session: id, branch: MAIN } : { session: id }
    const value: SwarmValue = {
      session: id,
      created: env.now(),
      current: MAIN,
      members: { [MAIN]: member },
      ...defined({ task }),
    }
    const before = await findSwarm(reader, name)
    if (before) throw new SessError('exists', name)
    move(swarmRef(name), undefined, value)
    return shown(reader, name, value)
  })
}

/** Returns the swarms in the order of their names. */
export const listSwarms = (repo: Repo): Promise<Swarm[]> =>
  repo.read(async (reader) => {
    const found: Swarm[] = []
    for await (const [ref, value] of walkRefs(reader, SWARMS))
      found.push(await shown(reader, swarmOf(ref) as string, value))
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  })

/** Returns a swarm. Throws `no-swarm`. */
export const getSwarm = (repo: Repo, name: string): Promise<Swarm> =>
  repo.read(async (reader) => shown(reader, name, await knownSwarm(reader, name)))

/** A member that a swarm gets. */
export interface NewMember {
  /** The attempt that is made there, in words. */
  readonly about?: string
}

export interface NewSwarmBranch extends NewMember {
  /** The entry that it starts at: by default the current one of the swarm's session. */
  readonly start?: string
}

/** Makes a branch in the session of a swarm, and its member. Throws `no-swarm`, `exists`, and as `createBranch`. */
export async function createSwarmBranch(
  repo: Repo,
  swarm: string,
  name: string,
  { about, start }: NewSwarmBranch = {},
): Promise<SwarmBranch> {
  const { session } = await repo.read(async (reader) => {
    const value = await knownSwarm(reader, swarm)
    checkFree(swarm, value, name)
    return value
  })
  await createBranch(repo, session, name, start)
  return addMember(repo, swarm, name, { session, branch: name, ...defined({ about }) })
}

/** Adds a session, or a branch of one as `SESSION/BRANCH`, to a swarm. Throws `no-swarm`, `exists`, `no-session`, `no-branch`. */
export async function addToSwarm(
  repo: Repo,
  swarm: string,
  name: string,
  { of, about }: NewMember & { readonly of: string },
): Promise<SwarmBranch> {
  const member = await repo.read(async (reader): Promise<SwarmMember> => {
    checkFree(swarm, await knownSwarm(reader, swarm), name)
    return { ...(await memberNamed(reader, of)), ...defined({ about }) }
  })
  return addMember(repo, swarm, name, member)
}

/** Returns the session or the branch that a text names. */
async function memberNamed(reader: Reader, of: string): Promise<SwarmMember> {
  for (let at = of.indexOf('/'); at > 0; at = of.indexOf('/', at + 1)) {
    const owner = await findTrunk(reader, of.slice(0, at))
    const branch = of.slice(at + 1)
    if (!owner) continue
    await tipNamed(reader, owner, branch)
    return { session: owner.id, branch }
  }
  return { session: (await resolveSession(reader, of)).id }
}

function addMember(repo: Repo, swarm: string, name: string, member: SwarmMember): Promise<SwarmBranch> {
  return repo.write({}, async ({ reader, move }) => {
    checkName(name)
    const value = await knownSwarm(reader, swarm)
    checkFree(swarm, value, name)
    move(swarmRef(swarm), value, { ...value, members: { ...value.members, [name]: member } })
    return memberAt(reader, value, name, member)
  })
}

/** Removes a swarm, or a member of it. Sessions and branches stay. Throws `no-swarm` and `no-branch`. */
export function removeFromSwarm(repo: Repo, swarm: string, name?: string): Promise<Swarm> {
  return repo.write({}, async ({ reader, move }) => {
    const value = await knownSwarm(reader, swarm)
    if (name === undefined) {
      move(swarmRef(swarm), value, undefined)
      return shown(reader, swarm, value)
    }
    memberOf(swarm, value, name)
    const members = Object.fromEntries(Object.entries(value.members).filter(([own]) => own !== name))
    const { current, ...others } = value
    const next: SwarmValue = { ...others, members, ...(current !== name && defined({ current })) }
    move(swarmRef(swarm), value, next)
    return shown(reader, swarm, next)
  })
}

/** Makes a member current, and its branch that of its session. Throws `no-swarm`, `no-branch`, and as `switchTo`. */
export async function switchSwarm(repo: Repo, swarm: string, name: string): Promise<SwarmBranch> {
  const { session, branch } = await repo.read(async (reader) =>
    memberOf(swarm, await knownSwarm(reader, swarm), name),
  )
  if (branch !== undefined) await switchTo(repo, branch, session)
  return repo.write({}, async ({ reader, move }) => {
    const value = await knownSwarm(reader, swarm)
    const member = memberOf(swarm, value, name)
    const next = { ...value, current: name }
    if (value.current !== name) move(swarmRef(swarm), value, next)
    return memberAt(reader, next, name, member)
  })
}

/** Compares members of a swarm, all of them by default. Throws `no-swarm`, `no-branch`, and as `compare`. */
export async function compareSwarm(
  repo: Repo,
  swarm: string,
  names: readonly string[],
  options: CompareOptions = {},
): Promise<Comparison> {
  const value = await repo.read((reader) => knownSwarm(reader, swarm))
  const chosen = names.length > 0 ? names : Object.keys(value.members)
  const revisions = chosen.map((name) => {
    const { session, branch } = memberOf(swarm, value, name)
    return branch === undefined ? session : `${session}/${branch}`
  })
  const found = await compare(repo, revisions, options)
  const nameOf = (revision: string): string => chosen[revisions.indexOf(revision)] as string
  return {
    ...found,
    sides: found.sides.map((side, i) => ({ ...side, revision: chosen[i] as string })),
    differences: found.differences.map((one) => ({ ...one, a: nameOf(one.a), b: nameOf(one.b) })),
    winner: found.winner === null ? null : nameOf(found.winner),
  }
}

const findSwarm = (reader: Reader, name: string): Promise<SwarmValue | undefined> =>
  findRef(reader, swarmRef(name))

async function knownSwarm(reader: Reader, name: string): Promise<SwarmValue> {
  const value = await findSwarm(reader, name)
  if (!value) throw new SessError('no-swarm', name)
  return value
}

function memberOf(swarm: string, { members }: SwarmValue, name: string): SwarmMember {
  const member = Object.hasOwn(members, name) ? members[name] : undefined
  if (!member) throw new SessError('no-branch', `${swarm}/${name}`)
  return member
}

function checkFree(swarm: string, { members }: SwarmValue, name: string): void {
  if (Object.hasOwn(members, name)) throw new SessError('exists', `${swarm}/${name}`)
}

async function shown(reader: Reader, name: string, value: SwarmValue): Promise<Swarm> {
  const branches: SwarmBranch[] = []
  for (const [own, member] of Object.entries(value.members))
    branches.push(await memberAt(reader, value, own, member))
  const { task, session, created } = value
  return { name, task: task ?? null, session, created: iso(created), branches }
}

async function memberAt(
  reader: Reader,
  { current }: SwarmValue,
  name: string,
  { session, branch, about }: SwarmMember,
): Promise<SwarmBranch> {
  const owner = await findTrunk(reader, session)
  const tip = owner && (branch === undefined ? tipOf(owner) : await branchTip(reader, owner, branch))
  const oid = tip ?? null
  const handle = oid === null ? undefined : await reader.find(oid)
  const entries = handle === undefined ? 0 : (await reader.node(handle)).depth + 1
  return {
    name,
    session,
    branch: branch ?? null,
    about: about ?? null,
    oid,
    entries,
    current: current === name,
  }
}

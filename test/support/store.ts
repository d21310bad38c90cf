import { digestOf, NO_LINKS, oidOfEntry } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { NO_WEIGHT } from '../../src/model/tokens.ts'
import type { Env } from '../../src/repo/env.ts'
import type { Reader } from '../../src/repo/reader.ts'
import { Repo, type RepoOptions } from '../../src/repo/repo.ts'
import type { Writer } from '../../src/repo/writeaccess.ts'
import { afterTest } from './cleanup.ts'
import { newFolder } from './folder.ts'

export const BEGIN = Date.UTC(2026, 0, 1)

/** A world in which each look at the clock is a second later and random bytes count up. */
export function quietEnv(): Env {
  let seconds = 0
  let count = 0
  return {
    now: () => BEGIN + 1000 * seconds++,
    random: (length) => Uint8Array.from({ length }, () => count++ % 256),
    who: () => 'someone@somewhere',
    cwd: '/work',
  }
}

/** Returns the reader as from another folder, for names that depend on it. */
export const readerIn = (reader: Reader, cwd: string): Reader => Object.assign(reader, { cwd })

/** Opens a store that is closed after the test; a new one where no folder is named. */
export async function openRepo(dir = newFolder(), options: RepoOptions = {}): Promise<Repo> {
  const repo = await Repo.open(dir, { create: true, env: quietEnv(), ...options })
  afterTest(() => repo.close())
  return repo
}

/** Returns all refs of a store and what they hold. */
export const refsOf = (repo: Repo): Promise<Record<string, Json>> =>
  repo.read(async (reader) => {
    const refs: Record<string, Json> = {}
    for await (const [name, value] of reader.refs('')) refs[name] = value
    return refs
  })

/** Adds an entry that follows others, and returns its handle and oid. */
export function add(
  writer: Pick<Writer, 'addEntry'>,
  body: Json,
  ...parents: readonly { readonly handle: EntryHandle; readonly oid: Oid }[]
): { handle: EntryHandle; oid: Oid } {
  const type = 'sess/message'
  const digest = digestOf(body)
  const oid = oidOfEntry({ parents: parents.map((p) => p.oid), type, digest, links: NO_LINKS })
  const handles = parents.map((p) => p.handle)
  const entry = { oid, type, parents: handles, links: {}, digest, traits: 0, weight: NO_WEIGHT, body }
  return { handle: writer.addEntry(entry), oid }
}

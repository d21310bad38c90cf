import { appendFileSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { asSessError } from '../../../src/model/errors.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { gc } from '../../../src/ops/gc.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { listSessions } from '../../../src/ops/list.ts'
import { log } from '../../../src/ops/log.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { search } from '../../../src/ops/search/search.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { runs } from '../../support/amount.ts'
import { damage } from '../../support/damage.ts'
import { newFolder } from '../../support/folder.ts'
import { Random } from '../../support/random.ts'
import { copyOf } from '../../support/smallstore.ts'
import { openRepo, quietEnv } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

/** Words of which every entry says some. */
const WORDS = ['lantern', 'harbour', 'orchard', 'granite', 'saffron']

const says = (random: Random): string =>
  `${random.pick(WORDS)} ${random.pick(WORDS)} ${random.below(2 ** 31).toString(36)}`

/** Sessions that grow together, of which the first and the last are removed. */
const FILES = ['a-removed', 'b', 'c', 'd-removed']

/** So many imports make so many ranges of each session that the narrow gaps between them are closed. */
const IMPORTS = 10

/**
 * Makes a store of imported sessions that grew together, of which some were removed for good, so that pages begin with
 * what is gone, and of a native session. Returns its folder.
 */
async function collectedStore(random: Random): Promise<string> {
  const repo = await openRepo(undefined, { env: quietEnv() })
  const folder = newFolder()
  const native = await createSession(repo)
  for (let turn = 0; turn < IMPORTS; turn++) {
    for (const file of FILES) {
      const [before, q, a] = [`${file}-a${turn - 1}`, `${file}-q${turn}`, `${file}-a${turn}`]
      const records = [asked(q, turn === 0 ? null : before, says(random)), answered(a, q, says(random))]
      appendFileSync(join(folder, `${file}.jsonl`), claudeLines(file, ...records).join(''))
    }
    await importPaths(repo, [folder])
    const body = { role: 'user', content: says(random) }
    await append(repo, native, [{ body }, { body }])
  }
  await removeSessions(repo, ['a-removed', 'd-removed'])
  // The newest operation stays, and what it moved with it.
  await append(repo, native, [{ body: { role: 'user', content: says(random) } }])
  await gc(repo, { operations: Infinity, grace: Infinity })
  await repo.close()
  return repo.dir
}

/** The hits for each word, as the sessions and the oids of entries. */
type Hits = Readonly<Record<string, readonly string[]>>

const hitsOf = async (hits: (word: string) => Promise<readonly string[]>): Promise<Hits> =>
  Object.fromEntries(
    await Promise.all(WORDS.map(async (word) => [word, (await hits(word)).toSorted()] as const)),
  )

/** Returns what a search finds. */
const foundIn = (repo: Repo): Promise<Hits> =>
  hitsOf(async (word) => {
    const { hits, complete } = await search(repo, word, { limit: Number.POSITIVE_INFINITY })
    expect(complete).toBe(true)
    return hits.map(({ session, oid }) => `${session} ${oid}`)
  })

/** Returns what a search should find, by the texts of all paths. */
async function saidIn(repo: Repo): Promise<Hits> {
  const said: (readonly [where: string, text: string])[] = []
  // A session whose refs could not be repaired has no path.
  const all = [...(await listSessions(repo)).rows()].filter(
    ({ branches }) => Object.keys(branches).length > 0,
  )
  for (const { id } of all)
    for await (const { oid, text } of log(repo, id)) said.push([`${id} ${oid}`, text ?? ''])
  return hitsOf((word) =>
    Promise.resolve(said.filter(([, text]) => text.includes(word)).map(([where]) => where)),
  )
}

/** Opens a store for some work. */
async function during<T>(dir: string, work: (repo: Repo) => Promise<T>): Promise<T> {
  const repo = await Repo.open(dir)
  try {
    return await work(repo)
  } finally {
    await repo.close()
  }
}

/** Flips a bit of a table of a database, whose time stays. Returns where. */
function flipBit(dir: string, random: Random): string {
  const tables = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ldb'),
  )
  const name = random.pick(tables.sort())
  const path = join(dir, name)
  const { atime, mtime, size } = statSync(path)
  const bytes = readFileSync(path)
  const at = random.below(size)
  bytes[at]! ^= 1 << random.below(8)
  writeFileSync(path, bytes)
  utimesSync(path, atime, mtime)
  return `${name} at ${at}`
}

/** The errors of what no repair brings back. */
const REFUSED: ReadonlySet<string> = new Set(['corrupt', 'not-a-store', 'no-store', 'exists'])

it('search: finds after removal, damage and repair what the sessions say', { timeout: 600_000 }, async () => {
  const dir = await collectedStore(new Random(1))
  const right = await during(copyOf(dir), saidIn)
  await during(copyOf(dir), async (repo) => expect(await foundIn(repo)).toEqual(right))
  const first = Number(process.env.SESS_REPAIR_SEED ?? 1)
  for (let seed = first; seed < first + runs(32); seed++) {
    const random = new Random(seed)
    const copy = copyOf(dir)
    const isBit = seed % 2 === 1
    const how = `${seed}: ${isBit ? flipBit(copy, random) : damage(copy, undefined, random)}`
    const from = random.once(2) || isBit ? { from: dir } : {}
    const done = await repairStore(copy, { env: quietEnv(), command: 'sess fsck --repair', ...from }).then(
      (repaired) => repaired.done,
      (error: unknown) => {
        expect([how, REFUSED.has(asSessError(error).code)]).toEqual([how, true])
        return null
      },
    )
    if (done?.after.ok !== true) continue
    await during(copy, async (repo) => {
      const said = await saidIn(repo)
      if (isBit) expect([how, said]).toEqual([how, right])
      expect([how, await foundIn(repo)]).toEqual([how, said])
    })
  }
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/index.ts'
import { exported, newStore, oidsOf } from '../support/corpus.ts'
import { tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { grown } from '../support/grown.ts'
import { mutate } from '../support/mutate.ts'
import { Random } from '../support/random.ts'
import { type Sample, samples } from '../support/sources.ts'

/** How many mutations are tried, from which number on: SESS_FIRST=123 SESS_MUTATIONS=1 repeats one. */
const COUNT = Number(process.env.SESS_MUTATIONS ?? 800)
const FIRST = Number(process.env.SESS_FIRST ?? 1)

/** So many files share a store. */
const BATCH = 200

/** Of so many files one is also read as it grows. */
const GROWING = 20

const SAMPLES = samples()

interface Mutant extends Sample {
  readonly number: number
  readonly by: string
  readonly path: string
}

function mutant(number: number, folder: string): Mutant {
  const random = new Random(number)
  const { name, bytes: source } = random.pick(SAMPLES)
  const { bytes, by } = mutate(source, random)
  return { number, by, name, bytes, path: join(folder, `${number}`, name) }
}

/** Returns whether a mutant is still read as a database, by the sessions in it, or is damaged as one. */
const isDatabase = ({ bytes }: Mutant): boolean =>
  bytes.subarray(0, 16).toString('latin1') === 'SQLite format 3\0'

const labelOf = ({ number, name, by }: Mutant): string => `${number} ${name}: ${by}`

function write(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}

/** Walks all of a session and builds its context, and gives what went wrong. */
async function unreadable(store: Store, id: string): Promise<string | undefined> {
  try {
    const oids = await oidsOf(store, id, true)
    if (new Set(oids).size !== oids.length) return 'an entry stands twice in its log'
    const session = await store.session(id)
    if ((await session.tip()) === null) return undefined
    await session.context()
    await session.context({ format: 'pi' })
    return undefined
  } catch (error) {
    return String(error)
  }
}

describe('mutated transcripts', () => {
  const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, i) => FIRST + i * BATCH)

  it.each(batches)('from number %i on are kept byte for byte', { timeout: 600_000 }, async (first) => {
    const folder = newFolder()
    const store = await newStore()
    const mutants = new Map<string, Mutant>()
    for (let number = first; number < Math.min(first + BATCH, FIRST + COUNT); number++) {
      const made = mutant(number, folder)
      write(made.path, made.bytes)
      mutants.set(made.path, made)
    }
    const isFile = ({ path }: { path: string }): boolean => !path.includes('#')
    const paths = [...mutants.keys()]
    const { files: taken, refused, skipped } = await store.import(paths)
    const files = taken.filter(isFile)
    const databases = paths.filter((path) => isDatabase(mutants.get(path) as Mutant))
    expect(refused.map(({ path }) => path).filter((path) => !databases.includes(path))).toEqual([])
    // A file without a message is kept as a file of the session whose id it has.
    expect(files.length + skipped.filter(isFile).length).toBe(mutants.size - databases.length)
    const wrong: string[] = []
    for (const { path, session, bytes } of files) {
      const made = mutants.get(path) as Mutant
      if (!(await exported(store, session, bytes)).equals(made.bytes)) wrong.push(labelOf(made))
      const failure = await unreadable(store, session)
      if (failure !== undefined) wrong.push(`${labelOf(made)}: ${failure}`)
    }
    // Read again, not remembered: they were written just now.
    const again = await store.import(paths)
    const before = new Map(files.map((file) => [file.path, file.session]))
    for (const { path, session, newObjects } of again.files.filter(isFile))
      if (session !== before.get(path) || newObjects > 0)
        wrong.push(`${labelOf(mutants.get(path) as Mutant)}: twice`)
    expect(wrong).toEqual([])
    expect((await store.fsck()).findings).toEqual([])
    tally(16, 'mutated transcripts imported and given back byte for byte', files.length)
  })

  const growing = Array.from({ length: Math.ceil(COUNT / GROWING) }, (_, i) => FIRST + i * GROWING)

  it('give the same in steps as at once', { timeout: 3_600_000 }, async () => {
    const wrong: unknown[] = []
    for (const number of growing) {
      const made = mutant(number, '')
      // A database that is cut is damaged, and grows by no bytes at its end.
      if (isDatabase(made)) continue
      const random = new Random(-number)
      const cuts = Array.from({ length: 1 + random.below(4) }, () => random.below(made.bytes.length + 1))
      const steps = cuts.sort((a, b) => a - b)
      const { name, bytes } = made
      const [once, often] = [await grown(name, bytes), await grown(name, bytes, steps)]
      expect(once).toMatchObject({ sessions: 1, wrong: [], findings: [] })
      if (!isDeepStrictEqual(once, often)) wrong.push({ label: labelOf(made), steps, once, often })
    }
    expect(wrong).toEqual([])
  })
})

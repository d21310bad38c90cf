import { describe, expect, it } from 'vitest'
import { digestOf, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import type { LogId } from '../../../src/model/record.ts'
import type { RefName } from '../../../src/model/refname.ts'
import type { KeyChange, KeyValueDatabase } from '../../../src/storage/levelbackend/keyvalue.ts'
import { LevelBackend } from '../../../src/storage/levelbackend/levelbackend.ts'
import { ALL } from '../../support/amount.ts'
import { type Memory, memory } from '../../support/memory.ts'

/** A write, as it can be done again in another database. */
interface Written {
  readonly sync: boolean
  readonly again: (level: Memory) => Promise<void>
}

/** A database that notes what is written, in order. */
function noting(level: Memory, written: Written[]): KeyValueDatabase {
  const noted = Object.create(level) as KeyValueDatabase
  noted.getSync = (key) => level.getSync(key)
  noted.iterator = (range) => level.iterator(range)
  noted.keys = (range) => level.keys(range)
  noted.batch = (changes: readonly KeyChange[], { sync }) => {
    written.push({ sync, again: (other) => other.batch(changes as KeyChange[]) })
    return level.batch(changes as KeyChange[])
  }
  return noted
}

interface Said {
  readonly entry: EntryHandle
  readonly oid: Oid
}

/** Commits an entry behind another, with a record of it, and the ref that names it. */
async function say(backend: LevelBackend, lane: string, n: number, log: LogId, before?: Said): Promise<Said> {
  const transaction = backend.begin()
  const body = { lane, n, text: n % 9 === 0 ? `${lane} at length `.repeat(200) : '' }
  const digest = digestOf(body)
  const oid = oidOfEntry({ parents: before ? [before.oid] : [], type: 'sess/message', digest, links: {} })
  const parents = before ? [before.entry] : []
  const weight = { calls: 0, tokens: 1, prompts: 1, texts: 1 }
  const entry = transaction.addEntry({
    oid,
    type: 'sess/message',
    parents,
    links: {},
    digest,
    traits: 0,
    weight,
    body,
  })
  const content = { raw: [] }
  transaction.appendRecord(log, n, { entry, tip: entry, time: n, lead: new Uint8Array(0), content })
  transaction.moveRefs([{ name: lane as RefName, old: before?.oid, new: oid }])
  await transaction.commit()
  return { entry, oid }
}

/** How many sessions are appended to at once. */
const LANES = ALL ? 24 : 10

describe('what small commits add', () => {
  it('is all there at any time for whoever opens the database', async () => {
    const level = await memory()
    const backend = new LevelBackend(level)
    const newest = new Map<string, readonly Said[]>()
    const lane = async (name: string): Promise<void> => {
      const transaction = backend.begin()
      const log = transaction.newLog()
      await transaction.commit()
      const said: Said[] = []
      for (let n = 0; n < 120; n++) {
        said.push(await say(backend, name, n, log, said.at(-1)))
        newest.set(name, [...said])
        for (let turns = (n * 7) % 5; turns > 0; turns--) await Promise.resolve()
      }
    }
    const lanes = Array.from({ length: LANES }, (_, i) => lane(`lane-${i}`))
    const look = (): void => {
      const acknowledged = [...newest]
      const other = new LevelBackend(level, { existing: true })
      for (const [name, said] of acknowledged) {
        for (const { oid, entry } of said) expect([oid, other.find(oid)]).toEqual([oid, entry])
        const tip = other.find(other.ref(name as RefName) as Oid) as EntryHandle
        expect(other.node(tip).depth).toBeGreaterThanOrEqual(said.length - 1)
      }
    }
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 3))
      look()
    }
    await Promise.all(lanes)
    look()
    await backend.begin({ bulk: true }).commit()
    look()
    expect((await backend.sizes()).entries).toBe(LANES * 120)
  })

  it('is there after a power cut at any write, be it a checkpoint', async () => {
    const written: Written[] = []
    const backend = new LevelBackend(noting(await memory(), written))
    const log = backend.begin().newLog()
    const said: Said[] = []
    const writes: number[] = []
    for (let n = 0; n < 600; n++) {
      said.push(await say(backend, 'lane', n, log, said.at(-1)))
      writes.push(written.length)
    }
    // LevelDB rotates its log without a sync: an unsynced write might be lost where a later one is not.
    expect(written.filter(({ sync }) => !sync)).toEqual([])
    for (let kept = 1; kept <= written.length; kept += 29) {
      const level = await memory()
      for (const { again } of written.slice(0, kept)) await again(level)
      const other = new LevelBackend(level, { existing: true })
      const acknowledged = said.filter((_, n) => (writes[n] as number) <= kept)
      expect(acknowledged.filter(({ oid, entry }) => other.find(oid) !== entry)).toEqual([])
    }
  })

  it('is forgotten where it was given up, and what was committed before is not', async () => {
    const level = await memory()
    const backend = new LevelBackend(level)
    const log = backend.begin().newLog()
    const first = await say(backend, 'kept', 0, log)
    const lost = backend.begin()
    const digest = digestOf('lost')
    const oid = oidOfEntry({ parents: [first.oid], type: 'sess/message', digest, links: {} })
    const weight = { calls: 0, tokens: 1, prompts: 1, texts: 1 }
    const entry = { oid, type: 'sess/message', parents: [first.entry], links: {}, digest, traits: 0, weight }
    lost.addEntry({ ...entry, body: 'lost' })
    expect(backend.find(oid)).toBeDefined()
    lost.abandon()
    expect(backend.find(oid)).toBeUndefined()
    const second = await say(backend, 'kept', 1, log, first)
    const again = new LevelBackend(level, { existing: true })
    expect([again.find(oid), again.find(first.oid), again.find(second.oid)]).toEqual([
      undefined,
      first.entry,
      second.entry,
    ])
    expect(again.body(second.entry)).toEqual(backend.body(second.entry))
  })
})

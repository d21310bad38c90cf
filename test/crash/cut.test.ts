import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { log } from '../../src/ops/log.ts'
import { Repo } from '../../src/repo/repo.ts'
import { ALL, sampled } from '../support/amount.ts'
import { some, tally, upTo } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { copyOf } from '../support/smallstore.ts'

/** A store, and the length of its LevelDB log when each append was acknowledged. */
interface Written {
  readonly dir: string
  readonly session: string
  readonly acknowledged: readonly { readonly oids: readonly Oid[]; readonly bytes: number }[]
}

/** Appends of so many entries each: one goes to the commit log, 16 to their own keys. */
const KINDS: Readonly<Record<string, number>> = { 'small appends': 1, 'bulk appends': 16 }

const logOf = (dir: string): string =>
  join(dir, 'db.1', readdirSync(join(dir, 'db.1')).findLast((name) => name.endsWith('.log')) ?? '')

/** Appends entries, small ones and one that spans several blocks of a log. */
async function written(together: number): Promise<Written> {
  const dir = join(newFolder(), 'store')
  const repo = await Repo.open(dir, { create: true })
  const session = await createSession(repo)
  const acknowledged: Written['acknowledged'][number][] = []
  for (let n = 0; n < 9; n++) {
    const content =
      n === 4 ? Array.from({ length: 6000 }, (_, i) => `${Math.sqrt(i)}`).join(' ') : `message ${n}`
    const bodies = Array.from({ length: together }, (_, i) => ({
      body: { role: 'user', content: i === 0 ? content : `${n} ${i}` },
    }))
    acknowledged.push({ oids: await append(repo, session, bodies), bytes: statSync(logOf(dir)).size })
  }
  await repo.close()
  return { dir, session, acknowledged }
}

/** Opens a store as anybody does, and gives what its session says, or the code of the error. */
async function saidIn(dir: string, session: string): Promise<Oid[] | string> {
  const repo = await Repo.open(dir)
  try {
    const oids: Oid[] = []
    for await (const { oid } of log(repo, session)) oids.unshift(oid)
    return oids
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error)
  } finally {
    await repo.close()
  }
}

/** The end of a file as a machine may leave it that lost its power. */
const ENDS: Readonly<Record<string, (length: number) => Buffer>> = {
  nothing: () => Buffer.alloc(0),
  zeros: (length) => Buffer.alloc(700 + (length % 40_000)),
  noise: (length) =>
    Buffer.from(Array.from({ length: 90 + (length % 600) }, (_, i) => (length + i * i * 31) % 251)),
}

describe.each(Object.entries(KINDS))('class 3: the log of %s cut at every byte', (what, together) => {
  for (const [end, made] of Object.entries(ENDS))
    it(`and padded with ${end}, loses nothing in silence`, { timeout: 900_000 }, async () => {
      const { dir, session, acknowledged } = await written(together)
      const bytes = readFileSync(logOf(dir))
      const all = acknowledged.flatMap(({ oids }) => oids)
      let [runs, losses] = [0, 0]
      // Around what was acknowledged each byte counts; within the long message a few do.
      const isNear = (at: number): boolean => acknowledged.some(({ bytes: to }) => Math.abs(at - to) < 9)
      const ends = upTo(bytes.length + 1)
      const [near, far] = [ends.filter(isNear), ends.filter((at) => !isNear(at))]
      const tried = [acknowledged.map(({ bytes: to }) => to), some(near, 20), some(far, 20)]
      for (const places of tried)
        for (const at of places) {
          const copy = copyOf(dir)
          writeFileSync(logOf(copy), Buffer.concat([bytes.subarray(0, at), made(at)]))
          const said = await saidIn(copy, session)
          // All that was acknowledged, or the word that something is lost.
          if (typeof said === 'string' ? said !== 'corrupt' : said.length < all.length) losses++
          if (typeof said !== 'string') expect(said).toEqual(all)
          runs++
        }
      expect([losses, runs > (ALL ? 20 : 4)]).toEqual([0, true])
      tally(3, `the log of ${what} cut, ${end} after it`, runs, losses)
    })
})

describe.each(Object.entries(KINDS))('class 1: the power fails during %s', (what, together) => {
  it('and what was not synced is gone or garbled: all that was acknowledged by then is there', {
    timeout: 900_000,
  }, async () => {
    const { dir, session, acknowledged } = await written(together)
    const bytes = readFileSync(logOf(dir))
    const journal = readFileSync(join(dir, 'refs.journal'))
    let runs = 0
    for (const [i, { bytes: synced }] of sampled([...acknowledged.entries()], 5)) {
      const next = acknowledged[i + 1]?.bytes ?? bytes.length + 200
      for (const part of [0, 0.5, 1]) {
        const at = Math.floor(synced + (next - synced) * part)
        if (part === 1 && i < acknowledged.length - 1) continue
        for (const made of Object.values(ENDS)) {
          const copy = copyOf(dir)
          writeFileSync(logOf(copy), Buffer.concat([bytes.subarray(0, at), made(at)]))
          // The journal is never synced: what it lost may begin anywhere.
          const lines = [...journal.toString().matchAll(/\n/g)].map(({ index }) => index)
          writeFileSync(join(copy, 'refs.journal'), journal.subarray(0, (lines[i + 1] ?? 0) + 3 * runs))
          const said = await saidIn(copy, session)
          const there = acknowledged.slice(0, i + 1).flatMap(({ oids }) => oids)
          const isKnownLost = said === 'corrupt' && part < 1
          if (!isKnownLost) expect(said.slice(0, there.length), `${i} ${part}`).toEqual(there)
          if (!isKnownLost) {
            const repo = await Repo.open(copy)
            expect((await fsck(repo)).findings).toEqual([])
            await repo.close()
          }
          runs++
        }
      }
    }
    expect(runs).toBeGreaterThan(ALL ? 50 : 20)
    tally(1, `the log of ${what} cut after what was synced, the journal cut anywhere`, runs)
  })
})

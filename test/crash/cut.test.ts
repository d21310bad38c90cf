import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/oid.ts'
import { append, createSession } from '../../src/ops/append.ts'
import { fsck } from '../../src/ops/fsck.ts'
import { log } from '../../src/ops/log.ts'
import { Repo } from '../../src/repo/repo.ts'
import { readLedgerFile } from '../../src/storage/ledger/ledgerfile.ts'
import { some, tally, upTo } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { copyOf } from '../support/smallstore.ts'

/** A store, and how far the file that its session was written to went when each entry of that was acknowledged. */
interface Written {
  readonly dir: string
  readonly session: string
  readonly acknowledged: readonly { readonly oids: readonly Oid[]; readonly bytes: number }[]
}

/** A file that is written from its beginning to its end. */
interface Target {
  /** How many entries are appended at once, so that they go to it. */
  readonly together: number
  readonly path: (dir: string) => string
  readonly length: (path: string) => number
}

const inDatabase = (dir: string, isIt: (name: string) => boolean): string =>
  join(dir, 'db.1', readdirSync(join(dir, 'db.1')).filter(isIt).sort().at(-1) ?? '')

const FILES: Readonly<Record<string, Target>> = {
  ledger: {
    together: 1,
    path: (dir) => inDatabase(dir, (name) => name.startsWith('ledger.')),
    length: (path) => readLedgerFile(dirname(path), basename(path), 0).standing.at(-1)?.end ?? 0,
  },
  log: {
    together: 16,
    path: (dir) => inDatabase(dir, (name) => name.endsWith('.log')),
    length: (path) => statSync(path).size,
  },
}

/** Appends entries, small ones and one that spans several blocks of a log. */
async function written({ together, path, length }: Target): Promise<Written> {
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
    acknowledged.push({ oids: await append(repo, session, bodies), bytes: length(path(dir)) })
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

describe.each(Object.entries(FILES))('class 3: the %s cut at every byte', (what, file) => {
  for (const [end, made] of Object.entries(ENDS))
    it(`and padded with ${end}, loses nothing in silence`, { timeout: 900_000 }, async () => {
      const { dir, session, acknowledged } = await written(file)
      const bytes = readFileSync(file.path(dir)).subarray(0, file.length(file.path(dir)))
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
          writeFileSync(file.path(copy), Buffer.concat([bytes.subarray(0, at), made(at)]))
          const said = await saidIn(copy, session)
          // All that was acknowledged, or the word that something is lost.
          if (typeof said === 'string' ? said !== 'corrupt' : said.length < all.length) losses++
          if (typeof said !== 'string') expect(said).toEqual(all)
          runs++
        }
      expect([losses, runs > 30]).toEqual([0, true])
      tally(3, `the ${what} cut, ${end} behind it`, runs, losses)
    })
})

describe.each(Object.entries(FILES))('class 1: the power fails while the %s is written', (what, file) => {
  it('and what was not synced is gone or garbled: all that was acknowledged by then is there', {
    timeout: 900_000,
  }, async () => {
    const { dir, session, acknowledged } = await written(file)
    const bytes = readFileSync(file.path(dir)).subarray(0, file.length(file.path(dir)))
    const journal = readFileSync(join(dir, 'refs.journal'))
    let runs = 0
    for (const [i, { bytes: synced }] of acknowledged.entries()) {
      const next = acknowledged[i + 1]?.bytes ?? bytes.length + 200
      for (const part of [0, 0.5, 1]) {
        const at = Math.floor(synced + (next - synced) * part)
        if (part === 1 && i < acknowledged.length - 1) continue
        for (const made of Object.values(ENDS)) {
          const copy = copyOf(dir)
          writeFileSync(file.path(copy), Buffer.concat([bytes.subarray(0, at), made(at)]))
          // The journal is never synced: what it lost may begin anywhere.
          const lines = [...journal.toString().matchAll(/\n/g)].map(({ index }) => index)
          writeFileSync(join(copy, 'refs.journal'), journal.subarray(0, (lines[i + 1] ?? 0) + 3 * runs))
          const said = await saidIn(copy, session)
          const there = acknowledged.slice(0, i + 1).flatMap(({ oids }) => oids)
          const isKnownLost = said === 'corrupt' && part < 1
          if (!isKnownLost) expect(said.slice(0, there.length), `${i} ${part}`).toEqual(there)
          if (!isKnownLost) {
            const repo = await Repo.open(copy)
            expect((await fsck(repo)).findings.filter(({ code }) => code !== 'journal')).toEqual([])
            await repo.close()
          }
          runs++
        }
      }
    }
    expect(runs).toBeGreaterThan(50)
    tally(1, `the ${what} cut behind what was synced, the journal cut anywhere`, runs)
  })
})

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { asSessError } from '../../src/model/errors.ts'
import type { Oid } from '../../src/model/oid.ts'
import { append } from '../../src/ops/append/append.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { type Repair, repairStore } from '../../src/ops/fsck/repairstore.ts'
import { log } from '../../src/ops/log.ts'
import { Repo } from '../../src/repo/repo.ts'
import { ALL } from '../support/amount.ts'
import { tally } from '../support/faults.ts'
import { Random } from '../support/random.ts'
import { copyOf, smallStore } from '../support/smallstore.ts'
import { quietEnv } from '../support/store.ts'

/** The number of damaged stores: more with SESS_REPAIR_RUNS. */
const RUNS = Number(process.env.SESS_REPAIR_RUNS ?? (ALL ? 16 : 8))

/** The branch of each session and the file that is exported of it; an error of reading it by its code. */
type Said = ReadonlyMap<string, { readonly oids: readonly Oid[]; readonly file: string }>

async function saidIn(dir: string, sessions: readonly string[]): Promise<Said> {
  const said = new Map<string, { readonly oids: readonly Oid[]; readonly file: string }>()
  const repo = await Repo.open(dir, { tolerant: true })
  for (const id of sessions) {
    const oids: Oid[] = []
    let file = ''
    try {
      for await (const { oid } of log(repo, id)) oids.unshift(oid)
      for await (const bytes of exportSession(repo, id)) file += Buffer.from(bytes).toString('latin1')
    } catch (error) {
      file = `!${asSessError(error).code}`
    }
    said.set(id, { oids, file })
  }
  await repo.close()
  return said
}

const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer | undefined>> = {
  bits: (bytes, random) => {
    const damaged = Buffer.from(bytes)
    for (let n = random.below(3); n >= 0; n--) damaged[random.below(bytes.length)]! ^= 1 << random.below(8)
    return damaged
  },
  cut: (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  zeroed: (bytes, random) => {
    const from = random.below(bytes.length)
    return Buffer.from(bytes).fill(0, from, from + 1 + random.below(bytes.length - from))
  },
  emptied: () => Buffer.alloc(0),
  lengthened: (bytes, random) =>
    Buffer.concat([
      bytes,
      Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256))),
    ]),
  doubled: (bytes, random) => Buffer.concat([bytes, bytes.subarray(random.below(bytes.length))]),
  shifted: (bytes, random) => {
    const at = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(64))])
  },
  deleted: () => undefined,
}

/** The errors of what cannot be repaired. */
const TYPED: ReadonlySet<string> = new Set(['corrupt', 'not-a-store', 'no-store', 'exists'])

/** The files of a store that hold something, by what they are. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true })
    .map(String)
    .filter((name) => !/LOCK|LOG|holder|broken/.test(name) && statSync(join(dir, name)).isFile())
    .filter((name) => statSync(join(dir, name)).size > 0)
    .sort()

/** Damages some files of a store, and returns how. */
function damage(dir: string, older: string, random: Random): string {
  return Array.from({ length: 1 + random.below(4) }, () => {
    const names = filesIn(dir)
    const name = random.pick(names)
    const path = join(dir, name)
    const former = join(older, name)
    if (random.once(6) && existsSync(former)) {
      cpSync(former, path)
      return `${name} rolled back`
    }
    const kind = random.pick(Object.keys(DAMAGES))
    const bytes = DAMAGES[kind]?.(readFileSync(path), random)
    if (bytes) writeFileSync(path, bytes)
    else rmSync(path)
    return `${name} ${kind}`
  }).join(', ')
}

const repair = (dir: string, from?: string): Promise<Repair> =>
  repairStore(dir, {
    env: quietEnv(),
    command: 'sess fsck --repair',
    ...(from === undefined ? {} : { from }),
  })

it(`a repair of ${RUNS} damaged stores loses nothing in silence`, { timeout: 3_600_000 }, async () => {
  const { dir, sessions } = await smallStore()
  const older = copyOf(dir)
  const repo = await Repo.open(dir)
  for (let n = 0; n < 20; n++)
    await append(repo, sessions[n % 3] as string, [{ body: { role: 'user', content: `later ${n}` } }])
  await repo.close()
  const right = await saidIn(copyOf(dir), sessions)
  const silent: string[] = []
  let refused = 0
  for (let run = 0; run < RUNS; run++) {
    const random = new Random(run + Number(process.env.SESS_REPAIR_SEED ?? 1))
    const copy = copyOf(dir)
    const backup = random.once(2) ? copyOf(random.once(2) ? dir : older) : undefined
    let [how, named] = ['', '']
    let done: Repair['done'] = null
    try {
      // Every third store is damaged again once it is repaired.
      for (let round = random.once(3) ? 2 : 1; round > 0; round--) {
        how += `${how && ', repaired, '}${damage(copy, older, random)}`
        const found = await repair(copy, backup)
        done = found.done
        if (!found.before.ok && !done) silent.push(`${run}: ${how}: not repaired`)
        named += JSON.stringify([done?.lost, done?.after.findings])
      }
    } catch (error) {
      const { code } = asSessError(error)
      if (!TYPED.has(code)) silent.push(`${run}: ${how}: ${code}`)
      refused++
      continue
    }
    const what = `${run}: ${how}${backup ? ', with a backup' : ''}`
    // The journal and the end of the database are each the only witness of a loss in the other.
    const isWitnessed = !(how.includes('refs.journal') && how.includes('db.'))
    const said = await saidIn(copyOf(copy), sessions)
    for (const [id, { oids, file }] of right) {
      const now = said.get(id)
      const isThere = oids.every((oid, i) => now?.oids[i] === oid)
      if (isWitnessed && !isThere && !named.includes(id)) silent.push(`${what}: entries of ${id}`)
      if (isThere && now?.file !== file && !named.includes(id)) silent.push(`${what}: the export of ${id}`)
    }
    const again = await repair(copy, backup)
    if (done?.after.ok ?? true) {
      if (again.done) silent.push(`${what}: a second repair found ${JSON.stringify(again.before.findings)}`)
    } else if (again.done?.refs.length !== 0) silent.push(`${what}: a second repair moved refs`)
  }
  expect(silent).toEqual([])
  expect(refused).toBeLessThan(RUNS / 2)
  tally(4, 'random damage repaired, with and without a backup', RUNS - refused)
})

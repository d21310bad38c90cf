import { expect, it } from 'vitest'
import { asSessError } from '../../src/model/errors.ts'
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts'
import { parseSessionRef, sourceLogRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { type Repair, repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { log } from '../../src/ops/log.ts'
import { rebuildDatabase } from '../../src/repo/rebuilddatabase.ts'
import { Repo } from '../../src/repo/repo.ts'
import { ALL } from '../support/amount.ts'
import { damage } from '../support/damage.ts'
import { standsIn } from '../support/everybyte.ts'
import { tally } from '../support/faults.ts'
import { Random } from '../support/random.ts'
import { copyOf } from '../support/smallstore.ts'
import { type LivedStore, seededEnv, storeHistory } from '../support/storehistory.ts'

/** The number of stores with a history of their own, and of damaged copies of each: more with SESS_REPAIR_RUNS. */
const STORES = Number(process.env.SESS_REPAIR_RUNS ?? (ALL ? 6 : 1))
const COPIES = ALL ? 6 : 3
const FIRST_SEED = Number(process.env.SESS_REPAIR_SEED ?? 1)
const STEPS = 40

/** A value of a ref without the names of logs: a recovered log may have another one. */
function withoutLogs(value: Json): Json {
  if (Array.isArray(value)) return (value as Json[]).map(withoutLogs)
  if (typeof value === 'string' && /^[0-9a-f]{16}\.\d+$/.test(value)) return 'a log'
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([key, part]) => [key, withoutLogs(part)] as const)
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the lines of a file of sess, without what only its first entry and its HEAD have. */
const linesWithoutFirsts = (file: string): string[] =>
  file
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { head: _, session: __, title: ___, cwd: ____, ...entry } = JSON.parse(line) as JsonObject
      return JSON.stringify(entry)
    })

/** What a store answers: its refs, the path of each branch and the file of each session. */
interface Answers {
  readonly refs: ReadonlyMap<string, string>
  readonly said: ReadonlyMap<string, string>
}

async function answersOf(dir: string): Promise<Answers> {
  const [refs, said] = [new Map<string, string>(), new Map<string, string>()]
  const repo = await Repo.open(dir, { tolerant: true })
  const attempt = async (name: string, read: () => Promise<string>): Promise<void> => {
    said.set(name, await read().catch((error: unknown) => `!${asSessError(error).code}`))
  }
  await repo.read(async (reader) => {
    for await (const [name, value] of reader.refs('')) refs.set(name, JSON.stringify(withoutLogs(value)))
  })
  for (const name of refs.keys()) {
    const { session = '', kind, name: branch } = parseSessionRef(name) ?? {}
    if (kind === 'branches')
      await attempt(name, async () => {
        const texts: string[] = []
        let isMerged = false
        for await (const { oid, text, parents } of log(repo, `${session}/${branch}`)) {
          texts.push(JSON.stringify([oid, text]))
          isMerged ||= parents.length > 1
        }
        // Where histories were merged, the order of their entries is that of their records, which may be lost.
        return (isMerged ? texts.sort() : texts).join('\n')
      })
    if (kind === 'meta')
      await attempt(name, async () => {
        let file = ''
        for await (const bytes of exportSession(repo, session)) file += Buffer.from(bytes).toString('latin1')
        // Of a session without a source the order of siblings is that of their rows, which recovered entries have anew.
        if (refs.has(sourceLogRef(session))) return file
        return linesWithoutFirsts(file).sort().join('\n')
      })
  }
  await repo.close()
  return { refs, said }
}

/** The errors of what cannot be repaired. */
const TYPED: ReadonlySet<string> = new Set(['corrupt', 'not-a-store', 'no-store', 'exists'])

const repair = (dir: string, random: Random, from?: string): Promise<Repair> =>
  repairStore(dir, {
    env: seededEnv(random),
    command: 'sess fsck --repair',
    ...(from === undefined ? {} : { from }),
  })

/** Returns the first difference of two texts. */
function difference(text: string, right: string): string {
  let at = 0
  while (at < right.length && text[at] === right[at]) at++
  const from = Math.max(0, at - 80)
  return `'${text.slice(from, at + 80)}', not '${right.slice(from, at + 80)}'`
}

const nameLosses = ({ done }: Pick<Repair, 'done'>): string =>
  JSON.stringify([done?.lost, done?.after.findings])

/** Uses a repaired store, and returns what fails. */
async function goesOn(dir: string, random: Random, findings: readonly { code: string }[]): Promise<string[]> {
  const repo = await Repo.open(dir, { env: seededEnv(random) })
  try {
    const id = await createSession(repo, { title: 'afterwards' })
    await append(repo, id, [{ body: { role: 'user', content: 'afterwards' } }])
    await fork(repo, id)
    const others = await repo.read(async (reader) => {
      const ids = new Set<string>()
      for await (const [name] of reader.refs('sessions/')) {
        const ref = parseSessionRef(name)
        if (ref?.kind === 'meta') ids.add(ref.session)
      }
      return [...ids]
    })
    const other = random.pick(others)
    await append(repo, other, [{ body: { role: 'user', content: 'afterwards, too' } }])
    await gc(repo, { operations: 0, grace: 0 })
    const after = await fsck(repo)
    const known = new Set(findings.map((one) => JSON.stringify(one)))
    return after.findings.map((one) => JSON.stringify(one)).filter((one) => !known.has(one))
  } catch (error) {
    const { code, message } = asSessError(error)
    return findings.length > 0 && code === 'corrupt' ? [] : [`${code}: ${message}`]
  } finally {
    await repo.close()
  }
}

async function using(dir: string): Promise<void> {
  const repo = await Repo.open(dir)
  await repo.read(() => undefined)
  await repo.close()
}

/** Damages and repairs copies of a store, and returns what went wrong in silence. */
async function wrongs(
  store: LivedStore,
  random: Random,
  name: string,
): Promise<{ silent: string[]; refused: number }> {
  const { dir, formers, expunged } = store
  const right = await answersOf(copyOf(dir))
  const silent: string[] = []
  let refused = 0
  for (let run = 0; run < COPIES; run++) {
    const copy = copyOf(dir)
    const newest = random.once(3) ? copyOf(dir) : undefined
    const former = formers.length > 0 ? random.pick(formers).dir : undefined
    const from = newest ?? (former !== undefined && random.once(2) ? copyOf(former) : undefined)
    const older = formers.length > 0 ? random.pick(formers).dir : undefined
    let how = damage(copy, older, random)
    let named = ''
    // Some are damaged again once they are repaired, or their repair is killed once the database is rebuilt.
    if (random.once(4)) {
      named = await repair(copy, random, from).then(nameLosses, () => '')
      how += `, repaired, ${damage(copy, older, random)}`
    }
    if (random.once(4))
      how += await rebuildDatabase(copy, 0).then(
        () => ', rebuilt',
        () => '',
      )
    const isLost = from !== undefined && random.once(6)
    if (isLost) how += `, the backup ${damage(from, undefined, random)}`
    const what = `${name}.${run}: ${how}${from ? `, with ${newest ? 'the newest' : 'a former'} backup` : ''}`
    const tell = (text: string): void => void silent.push(`${what}: ${text}`)
    let done: Repair['done'] = null
    try {
      const found = await repair(copy, random, from)
      done = found.done
      if (!found.before.ok && !done) tell('not repaired')
    } catch (error) {
      const { code, message } = asSessError(error)
      if (!TYPED.has(code)) tell(`${code} ${message}`)
      refused++
      continue
    }
    named += nameLosses({ done })
    const after = done?.after.findings ?? []
    const isSetBack = how.includes('refs.journal') && how.includes('db. rolled back')
    // Without a backup of the end, the journal and the database are each the only witness of a loss in the other. Where
    // both are older, a backup is one only if gc has left an operation that they share.
    const isWitnessed =
      (newest !== undefined && !isLost && !isSetBack) ||
      !(how.includes('refs.journal') && how.includes('db.'))
    // An older journal is rewritten when the store is opened.
    const opened = copyOf(copy)
    if (done?.after.ok ?? true) await using(opened)
    for (const secret of isWitnessed ? expunged : []) {
      // Other databases than the current one may be damaged.
      const at = (await standsIn(opened, secret).catch(() => [])).filter(
        (where) => !where.startsWith('broken'),
      )
      if (at.length > 0) tell(`the expunged '${secret.slice(0, 20)}' stands in ${at.slice(0, 3).join(', ')}`)
    }
    const now = await answersOf(copyOf(copy))
    if (isWitnessed) {
      const isNamed = (ref: string): boolean =>
        named.includes(ref) || named.includes(parseSessionRef(ref)?.session ?? '-')
      for (const [ref, value] of right.refs)
        if (now.refs.get(ref) !== value && !isNamed(ref)) tell(`${ref} is ${now.refs.get(ref)}, was ${value}`)
      for (const ref of now.refs.keys()) if (!right.refs.has(ref)) tell(`${ref} came back`)
      for (const [ref, text] of right.said)
        if (now.refs.get(ref) === right.refs.get(ref) && now.said.get(ref) !== text && !isNamed(ref))
          tell(`reading ${ref} gives ${difference(now.said.get(ref) ?? '', text)}`)
    }
    const again = await repair(copy, random, from)
    if (again.done && (done?.after.ok ?? true))
      tell(`a second repair found ${JSON.stringify(again.before.findings)}`)
    else if (again.done?.refs.length) tell(`a second repair moved ${JSON.stringify(again.done.refs)}`)
    else if (again.done && JSON.stringify(again.done.after.findings) !== JSON.stringify(after))
      tell(
        `a second repair ends with ${JSON.stringify(again.done.after.findings)}, the first with ${JSON.stringify(after)}`,
      )
    for (const text of await goesOn(copy, random, again.done?.after.findings ?? []))
      tell(`afterwards: ${text}`)
  }
  return { silent, refused }
}

it(`repairs of ${STORES * COPIES} damaged stores with a history lose nothing in silence`, {
  timeout: 3_600_000,
}, async () => {
  const silent: string[] = []
  let refused = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + STORES; seed++) {
    const random = new Random(seed)
    const store = await storeHistory(random, STEPS)
    const found = await wrongs(store, random, `${seed}`)
    silent.push(...found.silent)
    refused += found.refused
  }
  expect(silent).toEqual([])
  expect(refused).toBeLessThan((STORES * COPIES) / 2)
  tally(4, 'random damage repaired, with and without a backup', STORES * COPIES - refused)
})

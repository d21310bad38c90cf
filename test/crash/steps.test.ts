import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asSessError } from '../../src/model/errors.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { compact } from '../../src/ops/compact.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import { undo } from '../../src/ops/undo.ts'
import { backUp, restore, verifyBackup } from '../../src/repo/backup.ts'
import { Repo } from '../../src/repo/repo.ts'
import { resolve } from '../../src/repo/revision.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { removeLeftovers } from '../../src/storage/directory/leftovers.ts'
import { processName } from '../../src/storage/directory/processname.ts'
import { takeOver } from '../../src/storage/directory/takeover.ts'
import { isHeld } from '../../src/storage/leveldb/database.ts'
import { isOpenHere } from '../../src/storage/leveldb/exclusivelevel.ts'
import { type Answers, answersOf } from '../support/answers.ts'
import { type At, atCalls } from '../support/calls.ts'
import { some, tally, upTo } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { type Image, imagesOf } from '../support/images.ts'
import { copyOf, smallStore } from '../support/smallstore.ts'
import { quietEnv } from '../support/store.ts'
import { expectWhole, lately } from '../support/told.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

type Work = (repo: Repo, session: string, told: () => Promise<void>) => Promise<unknown>

const says = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    body: { role: i % 2 === 0 ? 'user' : 'assistant', content: `says ${i} ${'word '.repeat(40)}` },
  }))

/** The session to which it is done. */
const WORKED = 5

/** Changes of a store, each one operation or several. */
const REQUEST_HANDLERS: { readonly [name: string]: Work } = {
  'collects garbage': (repo) => gc(repo, { grace: Infinity, operations: Infinity }),
  'collects garbage of an undone history': async (repo, session, told) => {
    await append(repo, session, says(30))
    await told()
    await undo(repo, { any: true })
    await told()
    await gc(repo, { grace: Infinity, operations: Infinity })
  },
  'appends until it goes to its place': async (repo, session, told) => {
    for (let n = 0; n < 6; n++) {
      await Promise.all(Array.from({ length: 50 }, () => append(repo, session, says(1))))
      await told()
    }
    await append(repo, session, says(300))
    await told()
  },
  imports: async (repo, _, told) => {
    for (const name of ['a', 'b']) {
      const file = join(newFolder(), `${name}.jsonl`)
      const lines = claudeLines(name, asked('u', null, `${name} says`), answered('v', 'u'))
      writeFileSync(file, lines.join(''))
      await importPaths(repo, [file])
      await told()
    }
  },
  'forks, compacts, undoes and removes': async (repo, session, told) => {
    const { session: side } = await fork(repo, session)
    await told()
    await append(repo, side, says(8))
    await compact(repo, side, { keepTokens: 10, summary: 'what was said' })
    await told()
    await undo(repo, { any: true })
    await told()
    await removeSessions(repo, [side])
    await told()
  },
  'expunges an entry': async (repo, session) => {
    const { oid } = await repo.read((reader) => resolve(reader, session))
    await expunge(repo, { entries: [oid], force: true })
  },
  'takes the store over': async (repo, session, told) => {
    takeOver(repo.dir, readGeneration(repo.dir))
    await append(repo, session, says(1))
    await told()
  },
}

/** The names that a store's folder may have when nobody uses it. */
const OURS = /^(?:sess\.json|generation|db\.\d+|refs\.journal|tables|holder\.json|broken)$/

async function expectTidy(dir: string): Promise<void> {
  await removeLeftovers(dir, isHeld)
  // Files that this process could not remove are left to others.
  const names = readdirSync(dir).filter((name) => !name.includes(processName()))
  expect(names.filter((name) => !OURS.test(name))).toEqual([])
  // A database that this process could not close is left until it ends.
  const current = `db.${readGeneration(dir)}`
  const left = (name: string): boolean => name !== current && isOpenHere(join(dir, name))
  expect(names.filter((name) => name.startsWith('db.') && !left(name))).toEqual([current])
}

/** The content of sessions, whatever their history is. */
const said = ({ log, export: exported }: Answers): string => JSON.stringify([log, exported])

async function withRepo<T>(dir: string, work: (repo: Repo) => Promise<T>): Promise<T> {
  const repo = await Repo.open(dir, { create: true })
  try {
    return await work(repo)
  } finally {
    await repo.close()
  }
}

/** Expects that whoever finds a store as it was left at a step has all that was acknowledged, and can go on. */
async function expectGoesOn({ dir, acknowledged }: Omit<Image, 'step'>): Promise<void> {
  const expectAll = (least: number): Promise<void> =>
    withRepo(dir, async (repo) => {
      const { last, told, held } = await lately(repo, 100)
      expect(last).toBeGreaterThanOrEqual(least)
      expect(held).toEqual(told)
      expect((await fsck(repo)).findings).toEqual([])
    })
  await expectAll(acknowledged)
  await withRepo(dir, async (repo) => append(repo, await createSession(repo), says(1)))
  await expectAll(acknowledged + 1)
  await expectTidy(dir)
}

/** Looks at some images, in a soak at all of them, and gives how many those were. */
async function lookedAt(images: readonly Image[], look: (image: Image) => Promise<void>): Promise<number> {
  let runs = 0
  for (const image of some(images, 4, 0.01)) {
    try {
      await look(image)
    } catch (error) {
      throw new Error(`killed behind '${image.step}'`, { cause: error })
    }
    runs++
  }
  return runs
}

describe('class 2: killed at each step', () => {
  for (const [name, work] of Object.entries(REQUEST_HANDLERS))
    it(`what ${name}`, { timeout: 900_000 }, async () => {
      const { dir, sessions } = await smallStore()
      const others = sessions.filter((_, i) => i !== WORKED)
      const right = said(await answersOf(copyOf(dir), others))
      const images = await imagesOf(dir, (acknowledge) =>
        withRepo(dir, (repo) =>
          work(repo, sessions[WORKED] as string, async () =>
            acknowledge(await repo.read(async (reader) => (await reader.operationLog()).latest)),
          ),
        ),
      )
      expect(images.length).toBeGreaterThan(5)
      const runs = await lookedAt(images, async (image) => {
        expect(said(await answersOf(image.dir, others))).toBe(right)
        await expectGoesOn(image)
      })
      tally(2, `killed at a step of what ${name}`, runs)
    })

  it('what makes a store', { timeout: 900_000 }, async () => {
    const root = newFolder()
    const images = await imagesOf(root, () => withRepo(join(root, 'store'), createSession))
    const runs = await lookedAt(images, async ({ dir, acknowledged }) => {
      await withRepo(join(dir, 'store'), createSession)
      await expectGoesOn({ dir: join(dir, 'store'), acknowledged })
    })
    tally(2, 'killed at a step of what makes a store', runs)
  })

  it('what backs a store up has the former backup or the new one, and what restores it makes all or none', {
    timeout: 900_000,
  }, async () => {
    const { dir: store, sessions } = await smallStore()
    const root = newFolder()
    const [target, again] = [join(root, 'backup'), join(root, 'again')]
    backUp(store, target, quietEnv())
    const before = said(await answersOf(copyOf(target), sessions))
    await withRepo(store, (repo) => append(repo, sessions[0] as string, says(4)))
    const after = said(await answersOf(copyOf(store), sessions))
    expect(after).not.toBe(before)
    const images = await imagesOf(root, () => {
      backUp(store, target, quietEnv())
      restore(target, again)
      return Promise.resolve()
    })
    const runs = await lookedAt(images, async ({ dir }) => {
      expect(verifyBackup(join(dir, 'backup'))).toEqual([])
      const restored = join(newFolder(), 'restored')
      restore(join(dir, 'backup'), restored)
      const got = said(await answersOf(restored, sessions))
      expect([before, after]).toContain(got)
      await expectWhole(restored, 1)
      expect([before, after]).toContain(said(await answersOf(copyOf(join(dir, 'backup')), sessions)))
      const made = said(await answersOf(join(dir, 'again'), sessions))
      if (!made.includes('!no-store')) expect(made).toBe(after)
      backUp(store, join(dir, 'backup'), quietEnv())
      expect(verifyBackup(join(dir, 'backup'))).toEqual([])
      expect(
        readdirSync(join(dir, 'backup')).filter((name) => /^(?:db|backup)\.\d+(?:\.json)?$/.test(name)),
      ).toHaveLength(2)
    })
    tally(2, 'killed at a step of a backup or of restoring it', runs)
  })

  it('what repairs a store can be repaired again, with nothing less', { timeout: 900_000 }, async () => {
    const { dir, sessions } = await smallStore()
    const backup = copyOf(dir)
    const right = said(await answersOf(copyOf(dir), sessions))
    const [table = ''] = readdirSync(join(dir, 'db.1')).filter((name) => name.endsWith('.ldb'))
    const bytes = readFileSync(join(dir, 'db.1', table))
    bytes[bytes.length >> 1]! ^= 4
    writeFileSync(join(dir, 'db.1', table), bytes)
    const mend = (store: string) =>
      repairStore(store, { env: quietEnv(), command: 'sess fsck --repair', from: backup })
    const images = await imagesOf(dir, () => mend(dir))
    const runs = await lookedAt(images, async (image) => {
      const { before, done } = await mend(image.dir)
      expect([before.ok, ...(done?.after.findings ?? [])]).toEqual([done === null])
      expect(said(await answersOf(image.dir, sessions))).toBe(right)
    })
    tally(2, 'killed at a step of a repair', runs)
  })
})

/** The errors that are allowed where the disk fails. */
const TYPED = /^(?:cannot-write|unreadable-path|no-space|corrupt|busy|uncertain)$/

/** A fault of a disk: the errors of the system, and the calls that fail. */
interface Fault {
  readonly name: string
  readonly codes: readonly (readonly [code: string, text: string])[]
  readonly at: (fail: (step: string) => void) => At
}

const DISK_FAULTS: readonly Fault[] = [
  {
    name: 'cannot be written',
    codes: [
      ['ENOSPC', 'no space left on device'],
      ['EIO', 'i/o error'],
    ],
    at: (fail) => ({ before: fail, behind: fail }),
  },
  {
    name: 'cannot be read, opened or closed',
    codes: [
      ['EMFILE', 'too many open files'],
      ['EIO', 'i/o error'],
    ],
    at: (fail) => ({ reading: fail }),
  },
]

describe.each(DISK_FAULTS)(
  'class 12: a disk that $name, at each step',
  ({ name: fault, codes, at: atFault }) => {
    for (const [name, work] of Object.entries(REQUEST_HANDLERS))
      it(`of what ${name}`, { timeout: 900_000 }, async () => {
        const { dir, sessions } = await smallStore()
        const others = sessions.filter((_, i) => i !== WORKED)
        const right = said(await answersOf(copyOf(dir), others))
        /** Does the work on a copy of the store, and says what came of it. */
        const done = async (at: At) => {
          const copy = copyOf(dir)
          let acknowledged = 0
          let code = 'done'
          await atCalls(copy, at, async () => {
            let repo: Repo | undefined
            try {
              repo = await Repo.open(copy)
              const opened = repo
              await work(opened, sessions[WORKED] as string, async () => {
                acknowledged = await opened.read(async (reader) => (await reader.operationLog()).latest)
              })
            } catch (error) {
              code = asSessError(error).code
            }
            await repo?.close().catch((error: unknown) => {
              code = asSessError(error).code
            })
          })
          return { dir: copy, acknowledged, code }
        }
        let calls = 0
        const counting = (): void => void calls++
        await done(atFault(counting))
        let [runs, failed] = [0, 0]
        // Not each call makes the work fail: fewer than four may miss all that do.
        for (const n of some(upTo(calls), 8, 0.01)) {
          const [code, text] = codes[n % 2] as (typeof codes)[number]
          let call = 0
          let where = ''
          // Once, or from then on.
          const fail = (step: string): void => {
            const isNow = n % 3 === 0 ? call === n : call >= n
            call++
            if (!isNow) return
            where ||= step
            throw Object.assign(new Error(`${code}: ${text}`), { code, syscall: 'write' })
          }
          const came = await done(atFault(fail))
          try {
            if (came.code !== 'done') expect(came.code).toMatch(TYPED)
            expect(said(await answersOf(came.dir, others))).toBe(right)
            await expectGoesOn(came)
          } catch (error) {
            throw new Error(`failed at '${where}'`, { cause: error })
          }
          if (came.code !== 'done') failed++
          runs++
        }
        expect(failed).toBeGreaterThan(0)
        tally(12, `a disk that ${fault} at a step of what ${name}`, runs)
      })
  },
)

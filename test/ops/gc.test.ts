import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { SessError } from '../../src/model/errors.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch, deleteBranch } from '../../src/ops/branch.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { gc } from '../../src/ops/gc.ts'
import { storeDrafts } from '../../src/ops/hashobject.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { restore } from '../../src/ops/operations.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { search } from '../../src/ops/search/search.ts'
import { undo } from '../../src/ops/undo.ts'
import { Repo } from '../../src/repo/repo.ts'
import { resolve } from '../../src/repo/revision.ts'
import { allSessions } from '../../src/repo/session.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { pairsOf } from '../support/pairs.ts'
import { BEGIN, openRepo, quietEnv, refsOf } from '../support/store.ts'
import { answered, asked, claudeLine } from '../support/transcripts.ts'

const ALL = { grace: Number.POSITIVE_INFINITY, operations: Number.POSITIVE_INFINITY }
const says = (content: string) => ({ body: { role: 'user', content } })
const long = (text: string): string => `${text} ${'at some length '.repeat(200)}`

const sound = async (repo: Repo): Promise<void> => expect((await fsck(repo)).findings).toEqual([])

const has = (repo: Repo, oid: Oid): Promise<boolean> =>
  repo.read(async (reader) => (await reader.find(oid)) !== undefined)

/** Returns what every branch and label of a store says, from its root on. */
const toldBy = (repo: Repo): Promise<Record<string, string[]>> =>
  repo.read(async (reader) => {
    const told: Record<string, string[]> = {}
    for await (const { id, branches, labels } of allSessions(reader))
      for (const [name, oid] of [...branches, ...labels]) {
        const path: string[] = []
        let row = await reader.find(oid)
        expect(row).toBeDefined()
        for (; row !== undefined; row = (await reader.node(row)).parents[0])
          path.push(`${await reader.oid(row)} ${JSON.stringify(await reader.body(row))}`)
        told[`${id}/${name}`] = path
      }
    return told
  })

/** Adds an entry that nothing names, as a process does that is killed before its last write. */
async function lost(repo: Repo, content: string, ...parents: readonly Oid[]): Promise<Oid> {
  const [oid] = await storeDrafts(repo, [
    { type: 'sess/message', body: { role: 'user', content: long(content) }, parents, links: {} },
  ])
  return oid as Oid
}

describe('gc', () => {
  it('beside another one that dropped more meanwhile does not bring the dropped operations back', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(repo, id, [says('one')])
    const read = vi.spyOn(repo, 'read')
    read.mockImplementationOnce(async (...args) => {
      // What a first one decides, before it rewrites.
      const decided = await repo.read(...args)
      await createBranch(repo, id, 'side')
      await append(repo, id, [says('two')])
      await append(repo, id, [says('three')])
      await gc(repo, ALL)
      return decided
    })
    await gc(repo, ALL)
    expect(read).toHaveBeenCalledTimes(3)
    await sound(repo)
    await repo.read(async (reader) => {
      const { latest, dropped } = await reader.operationLog()
      expect(dropped.operation).toBe(latest - 1)
    })
  })

  it('removes what nothing names once it is older than the grace period, and says why', async () => {
    const dir = newFolder()
    const day = (n: number): Promise<Repo> =>
      openRepo(dir, { env: { ...quietEnv(), now: () => BEGIN + 86_400_000 * n } })
    const first = await day(0)
    const id = await createSession(first)
    const gone = await lost(first, 'gone')
    const [kept] = await append(first, id, [says(long('kept'))])
    await first.close()
    const second = await day(20)
    await append(second, id, [says('later')])
    const young = await lost(second, 'young')
    const grace = BEGIN + 86_400_000 * 10
    const did = await gc(second, { grace, operations: 0 })
    expect(did.dropped).toEqual([{ kind: 'entries', why: 'unreachable', count: 1, bytes: 3027 }])
    expect([did.kept, did.spared]).toEqual([{ entries: 3, operations: 3 }, 1])
    expect(await Promise.all([gone, kept as Oid, young].map((oid) => has(second, oid)))).toEqual([
      false,
      true,
      true,
    ])
    await sound(second)
    const again = await gc(second, { grace: Number.POSITIVE_INFINITY, operations: 0 })
    expect(again.dropped).toEqual([{ kind: 'entries', why: 'unreachable', count: 1, bytes: 3028 }])
    expect(await has(second, young)).toBe(false)
    await sound(second)
  })

  it('leaves the value of a branch at a time known as far as operations are kept', async () => {
    let time = BEGIN
    const repo = await openRepo(undefined, { env: { ...quietEnv(), now: () => time } })
    const [old, late] = [await createSession(repo), await createSession(repo)]
    const [tip] = await append(repo, old, [says('one')])
    time += 24 * 3_600_000
    await append(repo, late, [says('two')])
    await gc(repo, ALL)
    time += 2 * 3_600_000
    const at = (text: string) => repo.read((reader) => resolve(reader, text))
    expect((await at(`${old}@{1h}`)).oid).toBe(tip)
    expect((await expectFailure('no-entry', () => at(`${old}@{2d}`))).message).toContain(
      'the operation log begins later',
    )
  })

  it('lets operations go with what only they name, never the newest, and says so where one is asked for', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [one] = await append(repo, id, [says('one')])
    await createBranch(repo, id, 'other')
    const [two] = await append(repo, id, [says('two')], { branch: 'other' })
    await deleteBranch(repo, id, 'other')
    const refs = await refsOf(repo)
    const plan = { ...ALL, onProgress: () => undefined }
    expect((await gc(repo, plan)).dropped).toEqual([
      { kind: 'operations', why: 'old', count: 4, bytes: 1281 },
    ])
    // The newest operation took the branch away and names what it was.
    expect(await has(repo, two as Oid)).toBe(true)
    await undo(repo, { any: true })
    await deleteBranch(repo, id, 'other')
    await append(repo, id, [says('three')], { branch: 'main' })
    expect((await gc(repo, plan)).dropped).toEqual([{ kind: 'operations', why: 'old', count: 3, bytes: 393 }])
    // A record of the session's log carries it still.
    expect(await has(repo, two as Oid)).toBe(true)
    expect(await has(repo, one as Oid)).toBe(true)
    expect(Object.keys(await refsOf(repo))).toEqual(Object.keys(refs))
    const { message } = await expectFailure('no-operation', () => undo(repo, { operation: '3' }))
    expect(message).toBe("there is no operation '3' (the newest is 8, and gc removed those up to 7)")
    await expectFailure('no-operation', () => restore(repo, '0'))
    await expectFailure('no-operation', async () => {
      const past = await openRepo(repo.dir, { atOperation: '6' })
      await past.read(() => undefined)
    })
    const past = await openRepo(repo.dir, { atOperation: '7' })
    await sound(past)
    await sound(repo)
  })

  it('removes sessions that were removed, entries and records, when their operation goes', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(
      repo,
      id,
      Array.from({ length: 600 }, (_, n) => says(n % 50 === 0 ? long(`gone ${n}`) : `gone ${n}`)),
    )
    const other = await createSession(repo)
    await append(repo, other, [says('stays')])
    await removeSessions(repo, [id])
    await createSession(repo)
    const { dropped } = await gc(repo, ALL)
    expect(dropped.map(({ kind, why, count }) => [kind, why, count])).toEqual([
      ['entries', 'undone', 600],
      ['records', 'undone', 600],
      ['operations', 'old', 5],
    ])
    expect(await has(repo, oids[0] as Oid)).toBe(false)
    await sound(repo)
    expect(await append(repo, other, oids.length === 600 ? [says('goes on')] : [])).toHaveLength(1)
    await sound(repo)
  })

  it('gives files back byte for byte, their torn ends included, time and again', async () => {
    const path = join(newFolder(), 'talk.jsonl')
    const lines = Array.from({ length: 700 }, (_, n) =>
      claudeLine(
        'talk',
        n,
        n % 2 === 0
          ? asked(`u${n}`, n === 0 ? null : `u${n - 1}`, n % 30 === 0 ? long(`line ${n}`) : `line ${n}`)
          : answered(`u${n}`, `u${n - 1}`, `answer ${n}`),
      ),
    ).join('')
    let repo = await openRepo()
    for (const end of [lines.length - 4000, lines.length - 1500, lines.length - 10]) {
      writeFileSync(path, lines.slice(0, end))
      await importPaths(repo, [path])
      await gc(repo, { ...ALL, operations: 0 })
      const pieces: Uint8Array[] = []
      for await (const piece of exportSession(repo, 'talk')) pieces.push(piece)
      expect(Buffer.concat(pieces).toString()).toBe(lines.slice(0, end))
      await sound(repo)
    }
    const { hits } = await search(repo, '"line 690"', { limit: 5 })
    expect(hits).toHaveLength(1)
    // Packed data cannot be packed better: it is copied as it is.
    const blocks: number[] = []
    for (let i = 0; i < 2; i++) {
      const { dir } = repo
      await gc(repo, ALL)
      await repo.close()
      const values = (await pairsOf(dir)).filter(([key]) => key[0] === 0x62)
      blocks.push(values.reduce((sum, [, value]) => sum + value.length, 0))
      repo = await Repo.open(dir, { env: quietEnv() })
    }
    expect(blocks[1]).toBe(blocks[0])
    await sound(repo)
  })

  it('only says what would go where nothing is to be written', async () => {
    const first = await openRepo()
    await createSession(first)
    const oid = await lost(first, 'gone')
    await first.close()
    const repo = await openRepo(first.dir, { dryRun: true })
    const { dryRun, dropped, after } = await gc(repo, ALL)
    expect([dryRun, dropped, after]).toEqual([
      true,
      [{ kind: 'entries', why: 'unreachable', count: 1, bytes: 3027 }],
      null,
    ])
    await repo.close()
    expect(await has(await openRepo(first.dir), oid)).toBe(true)
  })
})

describe('gc beside writers', () => {
  it('keeps what others write meanwhile, and what they find known that it was about to drop', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('append', 'same', 'import', 'undo', 'fork', 'long'), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.nat(7),
        async (steps, at) => {
          const repo = await openRepo(newFolder(), { env: quietEnv() })
          const other = await Repo.open(repo.dir, { env: quietEnv() })
          const id = await createSession(repo, { title: 'Held' })
          const roots = await append(repo, id, [says('root'), says(long('second'))])
          const path = join(newFolder(), 'talk.jsonl')
          writeFileSync(path, claudeLine('talk', 0, asked('u0', null, long('from a file'))))
          // Data that no ref names: each of the writers below may name it.
          for (const text of ['same 0', 'same 1', 'same 2']) await lost(repo, text, roots[1] as Oid)
          await importPaths(repo, [path])
          await undo(repo, { any: true })
          await append(repo, id, [says('newest')])
          let turn = 0
          const write = async (): Promise<void> => {
            const step = steps[turn++]
            if (step === 'append') await append(other, id, [says(`beside ${turn}`)])
            if (step === 'long') await append(other, id, [says(long(`beside ${turn % 3}`))])
            if (step === 'import') await importPaths(other, [path])
            if (step === 'undo') await undo(other, { any: true }).catch(() => undefined)
            if (step === 'fork') await fork(other, roots[1] as Oid)
            if (step === 'same') {
              const { session } = await fork(other, roots[1] as Oid)
              await append(other, session, [says(long(`same ${turn % 3}`))])
            }
          }
          let looks = 0
          const collected = gc(repo, {
            ...ALL,
            onProgress: () => {
              looks++
            },
          })
          for (let i = 0; i < at; i++) await new Promise((done) => setTimeout(done, 2))
          const undone = (): number => steps.slice(0, turn).filter((step) => step === 'undo').length
          while (turn < steps.length)
            await write().catch((error: unknown) => {
              // Three undos take the session itself back.
              if (!(undone() > 2 && error instanceof SessError && error.code.startsWith('no-'))) throw error
            })
          const did = await collected
          expect(looks).toBeGreaterThan(0)
          expect(did.after).not.toBeNull()
          await sound(repo)
          const told = await toldBy(repo)
          // Two undos may take back all that was said here at first.
          if (steps.filter((step) => step === 'undo').length < 2)
            expect(told[`${id}/main`]?.at(-1)).toContain('"root"')
          expect(await toldBy(other)).toEqual(told)
          await sound(other)
          await other.close()
          await repo.close()
        },
      ),
      { numRuns: runs(8) },
    )
  }, 120_000)
})

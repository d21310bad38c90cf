import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { SessError } from '../../src/model/errors.ts'
import { branchRef, labelRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { type RefUpdate, updateRefs } from '../../src/ops/updateref.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const NAMES = ['a', 'b', 'c']

/** A session with three entries, and the refs of it that are moved. */
async function begun(): Promise<{ repo: Repo; refs: readonly string[]; oids: readonly Oid[] }> {
  const repo = await openRepo()
  const session = await createSession(repo, { title: 'Refs' })
  const say = (content: string) => ({ body: { role: 'user', content } })
  const oids = await append(repo, session, ['one', 'two', 'three'].map(say))
  const refs = NAMES.map((name) => (name === 'c' ? labelRef : branchRef)(session, name))
  return { repo, refs, oids }
}

/** By places among the refs and the oids; null is no such ref, undefined not said. */
interface Asked {
  readonly ref: number
  readonly to?: number | null
  readonly from?: number | null
}

const value = fc.option(fc.nat(2))
const anyAsked: fc.Arbitrary<Asked> = fc
  .record({ ref: fc.nat(2), to: value, from: value }, { requiredKeys: ['ref'] })
  .map(({ ref, ...rest }) => ({ ref, ...rest }))

it('moves all refs or none, each from the value that was expected', async () => {
  const { repo, refs, oids } = await begun()
  const plain = new Map<string, Oid>()
  const oidAt = (place: number | null): Oid | null => (place === null ? null : (oids[place] as Oid))
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyAsked, { selector: ({ ref }) => ref }), async (asked) => {
      const updates: RefUpdate[] = asked.map(({ ref, to, from }) => ({
        name: refs[ref] as string,
        ...(to === undefined ? {} : { to: oidAt(to) }),
        ...(from === undefined ? {} : { from: oidAt(from) }),
      }))
      const fits = updates.every(({ name, from }) => from === undefined || from === (plain.get(name) ?? null))
      const before = await repo.read(async (reader) => (await reader.operationLog()).latest)
      const moving = updates.filter(({ name, to }) => to !== undefined && to !== (plain.get(name) ?? null))
      if (fits) {
        const moved = await updateRefs(repo, updates)
        expect(moved).toEqual(
          moving.map(({ name, to }) => ({ name, old: plain.get(name) ?? null, new: to ?? null })),
        )
        for (const { name, to } of moving)
          if (to === null || to === undefined) plain.delete(name)
          else plain.set(name, to as Oid)
      } else await expectFailure('conflict', () => updateRefs(repo, updates))
      const now = await repo.read(async (reader) => {
        const values = await Promise.all(refs.map(async (name) => [name, await reader.ref(name as never)]))
        return values.filter(([, held]) => held !== undefined)
      })
      expect(now).toEqual(refs.flatMap((name) => (plain.has(name) ? [[name, plain.get(name)]] : [])))
      const operations = (await repo.read(async (reader) => (await reader.operationLog()).latest)) - before
      expect(operations).toBe(fits && moving.length > 0 ? 1 : 0)
    }),
  )
  expect((await fsck(repo)).findings).toEqual([])
})

it('names the ref that moved, and both values', async () => {
  const { repo, refs, oids } = await begun()
  const [name = ''] = refs
  const [one, two] = oids as [Oid, Oid]
  await updateRefs(repo, [{ name, to: one }])
  const error = await expectFailure('conflict', () => updateRefs(repo, [{ name, to: two, from: two }]))
  expect(error).toBeInstanceOf(SessError)
  expect(error.message).toBe(`'${name}' changed meanwhile (expected ${two}, found ${one})`)
})

it.each(['native', 'natives/w', 'source', 'exports/e', 'files/f', 'meta', 'leaf'])(
  'moves no %s: it belongs to the store',
  async (kind) => {
    const { repo, refs, oids } = await begun()
    const name = refs[0]?.replace(/branches.*/, kind) ?? ''
    await expectFailure('bad-ref', () => updateRefs(repo, [{ name, to: oids[0] as string }]))
    expect((await fsck(repo)).findings).toEqual([])
  },
)

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestOf, type Links, oidOfEntry } from '../../../src/model/entry.ts'
import type { Oid } from '../../../src/model/oid.ts'
import { NO_WEIGHT, type Weight } from '../../../src/model/weight.ts'
import { NO_ROW, type Row } from '../../../src/storage/level/storedrecord.ts'
import { type RowLinks, RUN, Run, type Slot } from '../../../src/storage/level/entrypage.ts'
import { decodeRun, encodeRun } from '../../../src/storage/level/entrypagecodec.ts'
import { runs } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'

/** Oids of rows that lie before every run. */
const outsideOid = (row: Row): Oid => digestOf(`row ${row}`) as string as Oid

const namedLinks = ({ firstKept, kept, target }: RowLinks, at: (row: Row) => Oid): Links => ({
  ...(firstKept === undefined ? {} : { firstKept: at(firstKept) }),
  ...(kept === undefined ? {} : { kept: kept.map(at) }),
  ...(target === undefined ? {} : { target: at(target) }),
})

interface Step {
  readonly type: string
  readonly traits: number
  readonly backs: readonly number[]
  readonly links: { readonly firstKept?: number; readonly kept?: readonly number[]; readonly target?: number }
  readonly depth: number
  readonly weight: Weight
  readonly jump: number
  readonly near: readonly (number | null)[]
  readonly merge: number | null
  readonly place: readonly [number, number] | null
}

const anyBack = fc.nat(900)
const anyStep: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('sess/message', 'pi/message', 'claude/assistant'),
  traits: fc.nat(255),
  backs: fc.array(anyBack, { maxLength: 3 }),
  links: fc.record(
    { firstKept: anyBack, kept: fc.array(anyBack, { maxLength: 3 }), target: anyBack },
    { requiredKeys: [] },
  ),
  depth: fc.nat(2 ** 33),
  weight: fc.record({ calls: fc.nat(2 ** 33), tokens: fc.nat(2 ** 40) }),
  jump: anyBack,
  near: fc.array(fc.option(anyBack), { minLength: 4, maxLength: 4 }),
  merge: fc.option(anyBack),
  place: fc.option(fc.tuple(fc.nat(2 ** 33), fc.nat(5000))),
})

const rowsOf = ({ start, count }: Run): Row[] => Array.from({ length: count }, (_, i) => start + i)
const slotsOf = (run: Run): Slot[] => rowsOf(run).map((row) => run.slot(row))

const PLAIN: Step = {
  type: 'a/b',
  traits: 0,
  backs: [0],
  links: {},
  depth: 0,
  weight: NO_WEIGHT,
  jump: 0,
  near: [null, null, null, null],
  merge: null,
  place: null,
}

/** Builds a run of random entries, and their oids, from relatives before and within it. */
function build(start: Row, steps: readonly Step[]): { run: Run; oids: Oid[]; slots: Slot[] } {
  const run = new Run(start)
  const oids: Oid[] = []
  const slots: Slot[] = []
  const at = (row: Row): Oid => (row < start ? outsideOid(row) : oids[row - start]!)
  let place = [0, 0]
  for (const [i, step] of steps.entries()) {
    const row = start + i
    const before = (back: number): Row => row - 1 - (back % row)
    const parents = [...new Set(step.backs.map(before))]
    const { firstKept, kept, target } = step.links
    const links: RowLinks = {
      ...(firstKept === undefined ? {} : { firstKept: before(firstKept) }),
      ...(kept === undefined ? {} : { kept: kept.map(before) }),
      ...(target === undefined ? {} : { target: before(target) }),
    }
    const digest = digestOf(i)
    place = step.place ? [...step.place] : [place[0]!, place[1]! + 1]
    const slot: Slot = {
      row,
      parents,
      type: step.type,
      traits: step.traits,
      digest,
      links,
      depth: step.depth,
      weight: step.weight,
      jump: before(step.jump),
      merge: step.merge === null ? NO_ROW : before(step.merge),
      near: step.near.map((back) => (back === null ? NO_ROW : before(back))),
      block: place[0]!,
      index: place[1]!,
    }
    oids.push(oidOfEntry({ parents: parents.map(at), type: step.type, digest, links: namedLinks(links, at) }))
    slots.push(slot)
    run.add(slot, oids[i]!, at)
  }
  return { run, oids, slots }
}

describe('encodeRun', () => {
  it('is undone by decodeRun, and the oids come out of the entries themselves', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 2 ** 40 }),
        fc.array(anyStep, { minLength: 1, maxLength: 20 }),
        (start, steps) => {
          const { run, oids, slots } = build(start, steps)
          const back = decodeRun(start, encodeRun(run))
          expect(slotsOf(back)).toEqual(slots)
          expect(slotsOf(run)).toEqual(slots)
          expect(back.outside).toEqual(run.outside)
          expect(rowsOf(back).map((row) => back.oid(row))).toEqual(oids)
          expect(rowsOf(run).map((row) => run.oid(row))).toEqual(oids)
        },
      ),
    )
  })

  it('holds as many types as a run has entries', () => {
    const { run, oids, slots } = build(
      1024,
      Array.from({ length: RUN }, (_, i) => ({ ...PLAIN, type: `some/type-${i}` })),
    )
    const back = decodeRun(1024, encodeRun(run))
    expect(slotsOf(back).map(({ type }) => type)).toEqual(slots.map(({ type }) => type))
    expect(back.oid(1024 + RUN - 1)).toBe(oids.at(-1))
  })

  it('gives an oid without those before it being asked for', () => {
    const { run, oids } = build(1024, [PLAIN, PLAIN, PLAIN])
    const back = decodeRun(1024, encodeRun(run))
    expect([back.oid(1026), back.oid(1024), back.oid(1025)]).toEqual([oids[2], oids[0], oids[1]])
    expect([back.has(1023), back.has(1024), back.has(1026), back.has(1027)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  it('keeps rows whose entries are no more', () => {
    const { slots } = build(1024, [PLAIN, PLAIN])
    const [root, next] = slots as [Slot, Slot]
    const oid = (slot: Slot, ...parents: Oid[]): Oid =>
      oidOfEntry({ parents, type: slot.type, digest: slot.digest, links: {} })
    const oids = [oid(root), oid(next, oid(root))] as const
    const sparse = new Run(1024)
    sparse.skip()
    sparse.add({ ...root, row: 1025, parents: [] }, oids[0], () => oids[0])
    sparse.skip()
    sparse.skip()
    sparse.add({ ...next, row: 1028, parents: [1025], jump: 1025 }, oids[1], () => oids[0])
    const back = decodeRun(1024, encodeRun(sparse))
    expect([...back.rows(0, 2000)]).toEqual([1025, 1028])
    expect([1024, 1025, 1026, 1027, 1028, 1029].map((row) => back.has(row))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ])
    expect(back.slot(1028)).toEqual(sparse.slot(1028))
    expect([back.oid(1025), back.oid(1028)]).toEqual(oids)
  })

  it('gives any oid first, of a run of all that one holds, from the few that are stored', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { minLength: 150, maxLength: RUN }),
        fc.array(fc.nat(RUN - 1), { minLength: 1, maxLength: 5 }),
        (steps, asked) => {
          const { run, oids } = build(1024, steps)
          const back = decodeRun(1024, encodeRun(run))
          for (const i of asked.map((n) => n % steps.length)) expect(back.oid(1024 + i)).toBe(oids[i])
          expect(back.isSound()).toBe(true)
        },
      ),
      { numRuns: runs(20) },
    )
  })

  it('tells that an oid that is stored is not that of its entry', () => {
    const { run } = build(
      1024,
      Array.from({ length: 100 }, () => PLAIN),
    )
    const bytes = encodeRun(run)
    expect(run.steps).toEqual([63])
    // The digests and their header of three bytes follow the oids.
    const at = bytes.length - 32 * 100 - 3 - 32
    bytes[at] = (bytes[at] as number) ^ 1
    expect(decodeRun(1024, bytes).isSound()).toBe(false)
  })

  it('notices a relative that it lacks', async () => {
    const { run } = build(1024, [{ ...PLAIN, backs: [5] }])
    run.outside.clear()
    const back = decodeRun(1024, encodeRun(run))
    const { message } = await expectFailure('corrupt', () => back.oid(1024))
    expect(message).toBe('the store is damaged: the run at 1024 lacks a relative')
  })
})

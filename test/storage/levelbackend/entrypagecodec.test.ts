import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestOf, type Links, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { NO_WEIGHT, type Weight } from '../../../src/model/tokens.ts'
import { EntryPage, PAGE_ROWS, type PageEntry } from '../../../src/storage/levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../../../src/storage/levelbackend/entrypagecodec.ts'
import { NO_ROW, type Row, type RowLinks } from '../../../src/storage/levelbackend/rows.ts'
import { runs } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'

/** Oids of rows that lie before every page. */
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
  weight: fc.record({
    calls: fc.nat(2 ** 33),
    tokens: fc.nat(2 ** 40),
    prompts: fc.nat(2 ** 33),
    texts: fc.nat(2 ** 33),
  }),
  jump: anyBack,
  near: fc.array(fc.option(anyBack), { minLength: 4, maxLength: 4 }),
  merge: fc.option(anyBack),
  place: fc.option(fc.tuple(fc.nat(2 ** 33), fc.nat(5000))),
})

const rowsOf = ({ start, count }: EntryPage): Row[] => Array.from({ length: count }, (_, i) => start + i)
const slotsOf = (page: EntryPage): PageEntry[] => rowsOf(page).map((row) => page.entry(row))

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

/** Builds a page of random entries, and their oids, from relatives before and within it. */
function build(start: Row, steps: readonly Step[]): { page: EntryPage; oids: Oid[]; slots: PageEntry[] } {
  const page = new EntryPage(start)
  const oids: Oid[] = []
  const slots: PageEntry[] = []
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
    const slot: PageEntry = {
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
    page.add(slot, oids[i]!, at)
  }
  return { page, oids, slots }
}

describe('encodeRun', () => {
  it('is undone by decodeRun, and the oids come out of the entries themselves', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 2 ** 40 }),
        fc.array(anyStep, { minLength: 1, maxLength: 20 }),
        (start, steps) => {
          const { page, oids, slots } = build(start, steps)
          const back = decodeEntryPage(start, encodeEntryPage(page))
          expect(slotsOf(back)).toEqual(slots)
          expect(slotsOf(page)).toEqual(slots)
          expect(back.relatives).toEqual(page.relatives)
          expect(rowsOf(back).map((row) => back.oid(row))).toEqual(oids)
          expect(rowsOf(page).map((row) => page.oid(row))).toEqual(oids)
        },
      ),
    )
  })

  it('holds as many types as a page has entries', () => {
    const { page, oids, slots } = build(
      1024,
      Array.from({ length: PAGE_ROWS }, (_, i) => ({ ...PLAIN, type: `some/type-${i}` })),
    )
    const back = decodeEntryPage(1024, encodeEntryPage(page))
    expect(slotsOf(back).map(({ type }) => type)).toEqual(slots.map(({ type }) => type))
    expect(back.oid(1024 + PAGE_ROWS - 1)).toBe(oids.at(-1))
  })

  it('gives an oid without those before it being asked for', () => {
    const { page, oids } = build(1024, [PLAIN, PLAIN, PLAIN])
    const back = decodeEntryPage(1024, encodeEntryPage(page))
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
    const [root, next] = slots as [PageEntry, PageEntry]
    const oid = (slot: PageEntry, ...parents: Oid[]): Oid =>
      oidOfEntry({ parents, type: slot.type, digest: slot.digest, links: {} })
    const oids = [oid(root), oid(next, oid(root))] as const
    const sparse = new EntryPage(1024)
    sparse.skip()
    sparse.add({ ...root, row: 1025, parents: [] }, oids[0], () => oids[0])
    sparse.skip()
    sparse.skip()
    sparse.add({ ...next, row: 1028, parents: [1025], jump: 1025 }, oids[1], () => oids[0])
    const back = decodeEntryPage(1024, encodeEntryPage(sparse))
    expect([...back.rows(0, 2000)]).toEqual([1025, 1028])
    expect([1024, 1025, 1026, 1027, 1028, 1029].map((row) => back.has(row))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ])
    expect(back.entry(1028)).toEqual(sparse.entry(1028))
    expect([back.oid(1025), back.oid(1028)]).toEqual(oids)
  })

  it('gives any oid first, of a page of all that one holds, from the few that are stored', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { minLength: 150, maxLength: PAGE_ROWS }),
        fc.array(fc.nat(PAGE_ROWS - 1), { minLength: 1, maxLength: 5 }),
        (steps, asked) => {
          const { page, oids } = build(1024, steps)
          const back = decodeEntryPage(1024, encodeEntryPage(page))
          for (const i of asked.map((n) => n % steps.length)) expect(back.oid(1024 + i)).toBe(oids[i])
          expect(back.hasValidOids()).toBe(true)
        },
      ),
      { numRuns: runs(20) },
    )
  })

  it('tells that an oid that is stored is not that of its entry', () => {
    const { page } = build(
      1024,
      Array.from({ length: 100 }, () => PLAIN),
    )
    const bytes = encodeEntryPage(page)
    expect(page.indexesOfStoredOids).toEqual([63])
    // The digests and their header of three bytes follow the oids.
    const at = bytes.length - 32 * 100 - 3 - 32
    bytes[at] = (bytes[at] as number) ^ 1
    expect(decodeEntryPage(1024, bytes).hasValidOids()).toBe(false)
  })

  it('notices a relative that it lacks', async () => {
    const { page } = build(1024, [{ ...PLAIN, backs: [5] }])
    page.relatives.clear()
    const back = decodeEntryPage(1024, encodeEntryPage(page))
    const { message } = await expectFailure('corrupt', () => back.oid(1024))
    expect(message).toBe('the store is damaged: the page at 1024 lacks the oid of a parent or link')
  })
})

import { describe, expect, it } from 'vitest'
import type { Session } from '../../../src/library/session.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { FILTERS, type GraphFilter } from '../../../src/model/graphfilter.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import type { GraphEntry } from '../../../src/ops/graphentry.ts'
import type { TreeRow } from '../../../src/ops/rows/treerows.ts'
import { TreeView } from '../../../src/ops/rows/treeview.ts'
import { tree } from '../../../src/ops/tree.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { answers, asks, talk } from '../../support/tree.ts'

/** A session with `paths` left attempts of a few entries, nested and side by side, and labels. */
async function bushy(paths: number) {
  const made = await talk(12)
  const { session, oids } = made
  const all = Object.values(oids)
  for (let i = 0; i < paths; i++) {
    const from = all[(7 * i + 3) % all.length] as Oid
    await session.branch(`b${i}`, from)
    const inputs = Array.from({ length: 1 + (i % 4) }, (_, k) => (k % 2 ? answers : asks)(`${i} ${k}`))
    all.push(...(await session.appendAll(inputs, { branch: `b${i}` })))
  }
  await session.label('good', all[5])
  return { ...made, all }
}

async function drawn(repo: Repo, session: Session, filter: GraphFilter): Promise<GraphEntry[]> {
  const entries: GraphEntry[] = []
  for await (const part of tree(repo, session.id, { filter })) if (!('sessions' in part)) entries.push(part)
  return entries
}

const essence = ({ oid, edges, refs, head, text }: GraphEntry | TreeRow) => ({ oid, edges, refs, head, text })

const inOrder = (entries: readonly (GraphEntry | TreeRow)[]) =>
  entries.map((entry) => ({ ...essence(entry), refs: entry.refs.map(({ name }) => name).sort() }))

async function allRows(view: TreeView, limit = 7): Promise<TreeRow[]> {
  const rows: TreeRow[] = []
  for (let from = 0; ; from += limit) {
    const window = await view.window({ from, limit })
    rows.push(...window.rows)
    if (window.rows.length < limit) return rows
  }
}

const said = (rows: readonly TreeRow[]) => rows.map(({ text }) => text)

const cursorOf = (rows: readonly TreeRow[], text: string) =>
  (rows.find((row) => row.text === text) as TreeRow).cursor

describe('the rows of a tree', () => {
  for (const filter of FILTERS)
    it(`are those of its drawing from its root on: ${filter}`, async () => {
      const { repo, session } = await bushy(20)
      const view = await TreeView.open(repo, session.id, { filter })
      const rows = await allRows(view)
      expect(inOrder(rows)).toEqual(inOrder((await drawn(repo, session, filter)).reverse()))
      expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i))
      expect(await view.window({ limit: 3 })).toMatchObject({ rows: rows.slice(-3), total: rows.length })
    })

  it('are estimates until all paths are read, and then exact', async () => {
    const { repo, session } = await bushy(120)
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    const first = await view.window({ limit: 4 })
    expect(first.isExact).toBe(false)
    expect(said(first.rows)).toEqual(['q11', 'a11', 'q12', 'a12'])
    await view.settled()
    const rows = await allRows(view)
    expect(inOrder(rows)).toEqual(inOrder((await drawn(repo, session, 'all')).reverse()))
    expect(await view.window()).toMatchObject({ isExact: true, total: rows.length })
  })

  it('are those on the path to an entry that is asked for before all paths are read', async () => {
    const { repo, session, all } = await bushy(60)
    const asked = all.at(-1) as Oid
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    const { rows, isExact } = await view.window({ at: { session: session.id, oid: asked }, limit: 1 })
    expect([rows[0]?.oid, isExact]).toEqual([asked, false])
    const early = await TreeView.open(repo, session.id, { filter: 'all' })
    early.showPathsTo([asked])
    const shown = await early.window({ from: 0, limit: 1000 })
    expect([shown.rows.some(({ oid }) => oid === asked), shown.isExact]).toEqual([true, false])
    for (const one of [view, early]) await one.settled()
    const whole = await TreeView.open(repo, session.id, { filter: 'all' })
    await whole.settled()
    expect(await allRows(view)).toEqual(await allRows(whole))
    const [oid] = (await append(repo, await createSession(repo), [asks('elsewhere')])) as [Oid]
    const elsewhere = { session: session.id, oid }
    const young = await TreeView.open(repo, session.id, { filter: 'all' })
    await expect(young.window({ at: elsewhere })).rejects.toMatchObject({ code: 'no-entry' })
  })

  it('are read up to a signal', async () => {
    const { repo, session } = await bushy(120)
    const stop = new AbortController()
    const view = await TreeView.open(repo, session.id, { signal: stop.signal })
    stop.abort()
    await expect(view.settled()).rejects.toMatchObject({ code: 'stopped' })
  })

  it('are found by entry, with rows before and after it', async () => {
    const { repo, session } = await bushy(5)
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    const rows = await allRows(view)
    const at = cursorOf(rows, 'q7')
    const { position } = rows.find(({ text }) => text === 'q7') as TreeRow
    const window = await view.window({ at, from: -2, limit: 5 })
    expect(window.rows).toEqual(rows.slice((position as number) - 2, (position as number) + 3))
  })

  it('say which path they are on', async () => {
    const { repo, session } = await bushy(30)
    const rows = await allRows(await TreeView.open(repo, session.id, { filter: 'all' }))
    expect(rows.find(({ text }) => text === 'q12')).toMatchObject({ depth: 22, level: 0 })
    expect(rows.find(({ text }) => text === '0 0')).toMatchObject({ level: 1 })
    expect(Math.max(...rows.map(({ level }) => level))).toBeGreaterThan(1)
  })
})

describe('positions', () => {
  it('are those of rows, else of the row after the stretch that has the entry', async () => {
    const { repo, session, oids } = await bushy(5)
    const view = await TreeView.open(repo, session.id, { filter: 'user-only' })
    const rows = await allRows(view)
    const { a6, q7 } = oids as { a6: Oid; q7: Oid }
    const next = rows.findIndex(({ oid }) => oid === q7)
    const missing = '0'.repeat(64) as Oid
    expect(await view.positions([q7, a6, missing])).toEqual([
      { oid: q7, position: next, isRow: true },
      { oid: a6, position: next, isRow: false },
      null,
    ])
  })

  it('of labels come with their names', async () => {
    const { repo, session, all } = await bushy(5)
    const view = await TreeView.open(repo, session.id)
    const [label] = await view.labels()
    expect(label).toMatchObject({ name: 'good', oid: all[5], isRow: true })
    expect((await view.window({ from: label?.position ?? -1, limit: 1 })).rows[0]?.oid).toBe(all[5])
  })
})

describe('a folded row', () => {
  it('hides what is above it, with its number, until it is unfolded', async () => {
    const { repo, session } = await bushy(20)
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    const before = await allRows(view)
    const at = cursorOf(before, 'a9')
    const place = before.findIndex(({ text }) => text === 'a9')
    const hidden = await view.fold(at)
    const after = await allRows(view)
    expect(after).toHaveLength(before.length - hidden)
    expect(after[place]).toEqual({ ...before[place], hidden })
    const [q10] = await view.positions([cursorOf(before, 'q10').oid])
    expect(q10).toMatchObject({ position: place, isRow: false })
    await view.unfold(at)
    expect(await allRows(view)).toEqual(before)
  })
})

describe('paths beside the straight one', () => {
  for (const filter of ['all', 'no-tools'] as const)
    it(`are closed to their first rows, but for those to some entries: ${filter}`, async () => {
      const { repo, session, all } = await bushy(20)
      const view = await TreeView.open(repo, session.id, { filter })
      const before = await allRows(view)
      const parents = new Map(before.map((row) => [row.oid, row.edges[0]?.oid]))
      const byOid = new Map(before.map((row) => [row.oid, row]))
      /** Returns the rows from the straight path to one, that one included. */
      const lineTo = (oid: Oid | undefined): TreeRow[] => {
        const row = oid && byOid.get(oid)
        return row && row.level > 0 ? [...lineTo(parents.get(row.oid)), row] : []
      }
      const isFirst = (row: TreeRow): boolean =>
        (byOid.get(parents.get(row.oid) as Oid)?.level ?? 0) < row.level
      const shownWith = async (oids: readonly Oid[]): Promise<void> => {
        const open = new Set(oids.flatMap((oid) => lineTo(oid).filter(isFirst)))
        const closedAt = (row: TreeRow) => lineTo(row.oid).find((one) => isFirst(one) && !open.has(one))
        view.showPathsTo(oids)
        const rows = await allRows(view)
        const kept = before.filter((row) => (closedAt(row) ?? row) === row)
        expect(said(rows)).toEqual(said(kept))
        expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i))
        if (filter === 'all')
          for (const row of rows)
            expect(row.hidden).toBe(
              before.filter((one) => one !== byOid.get(row.oid) && closedAt(one)?.oid === row.oid).length,
            )
        const places = await view.positions(before.map(({ oid }) => oid))
        for (const [i, row] of before.entries())
          expect(rows[places[i]?.position ?? -1]?.oid).toBe((closedAt(row) ?? row).oid)
      }
      await shownWith([])
      const deep = before.filter(({ level }) => level === Math.max(...before.map((row) => row.level)))
      await shownWith([(deep.at(-1) as TreeRow).oid])
      await shownWith(all.slice(-3))
      view.showPathsTo(undefined)
      expect(await allRows(view)).toEqual(before)
    })

  it('stay closed as the session grows and forks', async () => {
    const { repo, session, oids } = await bushy(3)
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    view.showPathsTo([])
    const { total } = await view.window()
    await session.appendAll([asks('one more'), answers('and another')])
    await session.branch('late', Object.values(oids)[4])
    await session.appendAll([asks('late 0'), answers('late 1'), asks('late 2')], { branch: 'late' })
    const rows = await allRows(view)
    expect(rows).toHaveLength(total + 3)
    expect(rows.find(({ text }) => text === 'late 0')).toMatchObject({ hidden: 2, level: 1 })
  })
})

describe('a stretch', () => {
  it('is read in parts', async () => {
    const { repo, session } = await talk(40)
    const view = await TreeView.open(repo, session.id)
    const rows = await allRows(view)
    const stretched = rows.find(({ folded }) => folded > 10) as TreeRow
    const part = await view.stretch(stretched.cursor, { from: 3, limit: 4 })
    const before = rows[(stretched.position as number) - 1] as TreeRow
    expect(part.map(({ depth }) => depth - before.depth)).toEqual([4, 5, 6, 7])
    expect(part.every(({ position }) => position === null)).toBe(true)
    const all = await view.stretch(stretched.cursor, { limit: 1000 })
    expect(all).toHaveLength(stretched.folded)
  })

  it('becomes rows when it is opened', async () => {
    const { repo, session } = await talk(40)
    const view = await TreeView.open(repo, session.id)
    const before = await allRows(view)
    const { cursor } = before.at(-1) as TreeRow
    await view.openStretch(cursor)
    expect(said(await allRows(view, 100))).toHaveLength(80)
    await view.closeStretch(cursor)
    expect(await allRows(view)).toEqual(before)
  })
})

describe('the children of a row', () => {
  it('are the next row of its path, then the first ones of those that part there', async () => {
    const { repo, session, oids } = await talk(4)
    await session.branch('side', oids.q2)
    await session.append(asks('aside'), { branch: 'side' })
    const view = await TreeView.open(repo, session.id, { filter: 'all' })
    const rows = await allRows(view)
    expect(said(await view.children(cursorOf(rows, 'q2')))).toEqual(['a2', 'aside'])
    expect(said(await view.children(cursorOf(rows, 'a2')))).toEqual(['q3'])
    expect(await view.children(cursorOf(rows, 'aside'))).toEqual([])
  })
})

describe('a tree follows its session', () => {
  for (const filter of ['all', 'default', 'user-only'] as const)
    it(`when it grows and forks: ${filter}`, async () => {
      const { repo, session, oids, all } = await bushy(10)
      const view = await TreeView.open(repo, session.id, { filter })
      await view.window()
      const grow = [
        () => session.append(asks('more')),
        () => session.appendAll([answers('and'), answers('more')], { branch: 'b3' }),
        () => session.branch('new', oids.q4),
        () => session.append(asks('new one'), { branch: 'new' }),
        () => session.label('late', all.at(-2)),
        () => session.compact({ keepTokens: 0 }),
        () => session.switch('b2'),
      ]
      for (const step of grow) {
        await step()
        const rows = await allRows(view)
        const expected = await drawn(repo, session, filter)
        const byOid = (a: { readonly oid: string }, b: { readonly oid: string }) => (a.oid < b.oid ? -1 : 1)
        expect(inOrder(rows).sort(byOid)).toEqual(inOrder(expected).sort(byOid))
        expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i))
      }
    })
})

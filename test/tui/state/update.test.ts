import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BrowserEffect, Event } from '../../../src/tui/state/events.ts'
import { KEYMAP } from '../../../src/tui/state/keymap.ts'
import { mainHeight, withNeeds } from '../../../src/tui/state/needs.ts'
import { initialState, rowAt, type SessionRow, type State } from '../../../src/tui/state/state.ts'
import { update } from '../../../src/tui/state/update.ts'
import { view } from '../../../src/tui/view/view.ts'
import type { TreeRow } from '../../../src/verbs/types.ts'
import { runs } from '../../support/amount.ts'

const LOOK = { zone: () => 0, now: 1_800_000_000_000, ascii: false }

const session = (n: number): SessionRow => ({
  id: `session-${n}`,
  agent: 'claude',
  title: n % 3 === 0 ? null : `title ${n} 漢字`,
  prompt: `prompt ${n}`,
  project: `/work/p${n % 4}`,
  cost: n % 2 === 0 ? n / 7 : null,
  costComputed: true,
  live: n === 1,
  updated: LOOK.now - n * 3_600_000,
  entries: 10,
})

const SESSIONS = Array.from({ length: 30 }, (_, n) => session(n))

const oidAt = (position: number): TreeRow['oid'] => `${position}`.padStart(64, '0') as TreeRow['oid']

/** A row of a tree in which each tenth entry begins a branch. */
const treeRowAt = (id: string, position: number, total: number): TreeRow =>
  ({
    oid: oidAt(position),
    cursor: { session: id, oid: oidAt(position) },
    position,
    level: position % 10 === 3 ? 2 : 0,
    folded: position % 4,
    hidden: 0,
    depth: position,
    head: position === total - 1,
    compacts: false,
    role: position % 2 === 0 ? 'user' : 'assistant',
    type: 'sess/message',
    time: null,
    refs: [],
    edges: [],
    view: { blocks: [{ kind: 'text', text: `row ${position} 👨‍👩‍👧‍👦` }] },
  }) as unknown as TreeRow

/** Answers what is asked of a store with sessions of some rows. */
function answer(effect: BrowserEffect, total: number): Event | undefined {
  switch (effect.kind) {
    case 'read-sessions':
      return { kind: 'sessions', rows: SESSIONS }
    case 'read-window': {
      const { session: id, filter, request, limit } = effect
      const around = 'around' in request ? Number(request.around) - Math.floor(limit / 2) : undefined
      const from = around ?? ('from' in request && request.from !== 'end' ? request.from : total - limit)
      const first = Math.max(0, Math.min(from, total))
      const count = Math.max(0, Math.min(limit, total - first))
      const rows = Array.from({ length: count }, (_, i) => treeRowAt(id, first + i, total))
      const anchor = 'around' in request ? Math.min(Number(request.around), total - 1) : null
      return {
        kind: 'window',
        session: id,
        filter,
        request,
        anchor,
        tip: oidAt(total - 1),
        window: { rows, total, isExact: true },
      }
    }
    case 'read-page': {
      const items = [{ kind: 'line', line: ['a line'] } as const]
      const { subject, columns, after } = effect
      return { kind: 'page', subject, columns, items, isFirst: after === null, next: null }
    }
    case 'read-preview':
      return { kind: 'preview', of: effect.of, columns: effect.columns, lines: [['words']] }
    case 'plan':
      return { kind: 'planned', change: effect.change, lines: [['it would']] }
    case 'perform':
      return { kind: 'performed', change: effect.change, text: 'done', prompt: null }
    case 'find':
      return {
        kind: 'found',
        session: effect.session,
        text: effect.text,
        places: [1, 5].filter((n) => n < total).map((n) => ({ oid: oidAt(n), position: n })),
      }
    default:
      return undefined
  }
}

/** Runs events, each with everything that it leads to. */
function run(state: State, events: readonly Event[], total: number): State {
  const queue = [...events]
  let now = state
  const perform = (effects: readonly BrowserEffect[]): void => {
    for (const effect of effects) {
      const event = answer(effect, total)
      if (event) queue.unshift(event)
    }
  }
  const first = withNeeds(now)
  now = first.state
  perform(first.effects)
  for (let steps = 0; queue.length > 0 && !now.ending; steps++) {
    expect(steps).toBeLessThan(20_000)
    const step = update(now, queue.shift() as Event)
    now = step.state
    perform(step.effects)
  }
  return now
}

const press = (...names: readonly string[]): Event[] => names.map((name) => ({ kind: 'key', key: { name } }))

const begun = (total = 100, columns = 130, rows = 24): State =>
  run(initialState({ size: { columns, rows } }), [], total)

const inTree = (total = 100): State => run(begun(total), press('tab'), total)

const cursorOf = ({ main }: State): number | undefined => main?.scroll.cursor

describe('the state of the browser', () => {
  it.each<readonly [keys: readonly string[], cursor: number]>([
    [['g'], 0],
    [['g', 'j', 'j'], 2],
    [['g', 'up'], 99],
    [['G', 'down'], 0],
    [['g', 'right'], 21],
    [['G', 'left'], 78],
    [['g', '/', '5', 'enter'], 1],
    [['g', '/', '5', 'enter', 'n'], 5],
    [['g', '/', '5', 'enter', 'n', 'n'], 1],
    [['g', '/', '5', 'enter', 'N'], 5],
  ])('moves in a tree of 100 rows by %j to row %i', (keys, cursor) => {
    expect(cursorOf(run(inTree(), press(...keys), 100))).toBe(cursor)
  })

  it('begins at the current entry', () => {
    expect(cursorOf(inTree(1000))).toBe(999)
  })

  it('keeps the cursor at its entry when rows are added', () => {
    const before = run(inTree(100), press('g', 'j', 'j'), 100)
    const after = run(before, [{ kind: 'moved', sessions: ['session-0'] }], 150)
    expect(cursorOf(after)).toBe(2)
    expect(after.main?.kind === 'tree' && after.main.total).toBe(150)
  })

  it('writes nothing before a plan is confirmed', () => {
    const asked = run(inTree(), press('B'), 100)
    expect(asked.plan?.change.verb).toBe('fork')
    expect(run(asked, press('escape'), 100)).toMatchObject({ plan: null, commands: [] })
    expect(run(asked, press('enter'), 100).commands).toEqual([expect.stringMatching(/^sess fork \w+$/)])
  })

  it('searches the sessions while text is typed, and Escape clears the search before it leaves', () => {
    const found = run(begun(), press('/', '2', '9'), 100)
    expect(found.sessions.shown.map(({ id }) => id)).toEqual(['session-29'])
    const cleared = run(found, press('escape'), 100)
    expect(cleared.sessions.shown).toHaveLength(30)
    expect(cleared.ending).toBeNull()
    expect(run(cleared, press('escape'), 100).ending).toEqual({ code: 0, output: null })
  })

  it('takes letters as text where text searches at once, and other keys as keys', () => {
    const state = run(
      initialState({ size: { columns: 130, rows: 24 }, typesToSearch: true }),
      press('q', '2'),
      100,
    )
    expect([state.ending, state.sessions.search]).toEqual([null, 'q2'])
  })

  it('goes to the first row though it is not loaded yet', () => {
    expect(cursorOf(run(inTree(1000), press('g'), 1000))).toBe(0)
  })

  it('shows the tree of the session at the cursor, also on a small screen', () => {
    const small = run(begun(100, 80), press('tab', 'escape', 'down', 'tab'), 100)
    expect(small.main).toMatchObject({ kind: 'tree', session: 'session-1' })
  })

  it('acts by other keys after a search was typed', () => {
    const state = initialState({ size: { columns: 130, rows: 24 }, picks: 'entry' })
    const picked = run(state, press('2', '9', 'tab', 'enter'), 100)
    expect(picked.ending).toEqual({ code: 0, output: oidAt(99) })
  })

  it('changes nothing while something is picked', () => {
    const state = initialState({ size: { columns: 130, rows: 24 }, picks: 'entry' })
    const typed = run(state, press('tab', 'L', 'x', 'enter', 'T'), 100)
    expect([typed.prompt, typed.plan, typed.commands]).toEqual([null, null, []])
  })

  it('does nothing where the session is', () => {
    expect(run(inTree(), press('enter'), 100)).toMatchObject({ plan: null, notice: { isError: false } })
  })

  it('quotes the commands that do the same', () => {
    const state = run(inTree(), press('b', 'a', 'space', 'b', 'enter', 'enter'), 100)
    expect(state.commands).toEqual([expect.stringMatching(/^sess branch session-0 'a b' \w+$/) as string])
  })

  it('says why rows cannot be read, and asks for them again once the session changed', () => {
    const effect = { kind: 'read-window', session: 'session-0', filter: 'default' } as BrowserEffect
    const failed = update(inTree(), { kind: 'failed', effect, text: 'it is damaged' })
    expect(failed.effects).toEqual([])
    expect(failed.state).toMatchObject({ main: { pending: null, error: 'it is damaged' } })
    const again = update(failed.state, { kind: 'moved', sessions: ['session-0'] })
    expect(again.effects.map(({ kind }) => kind)).toContain('read-window')
  })

  it('asks once for sessions that cannot be read', () => {
    const first = withNeeds(initialState({ size: { columns: 130, rows: 24 } }))
    const failed = update(first.state, {
      kind: 'failed',
      effect: { kind: 'read-sessions', folder: null },
      text: 'busy',
    })
    expect(failed.effects.map(({ kind }) => kind)).toEqual(['read-places'])
  })

  it('reads a list again that was left before it came', () => {
    const opened = update(inTree(), press('o')[0] as Event)
    expect(opened.effects.map(({ kind }) => kind)).toContain('read-page')
    const left = update(opened.state, press('?')[0] as Event)
    const back = update(left.state, press('escape')[0] as Event)
    expect(back.effects.map(({ kind }) => kind)).toContain('read-page')
  })

  it('keeps a question while something else is said', () => {
    const asked = run(inTree(), press('B'), 100)
    const told = update(asked, { kind: 'noted', text: 'copied', isError: false }).state
    expect(told.plan).toEqual(asked.plan)
  })

  it('lets a text be pasted, which never acts', () => {
    const state = run(inTree(), [{ kind: 'key', key: { paste: 'qf\r' } }], 100)
    expect(state).toMatchObject({ ending: null, plan: null })
  })

  it('never throws, keeps the cursor on a row and the frame within the screen, whatever is pressed', () => {
    const keys = [
      ...new Set([...Object.values(KEYMAP).flatMap((one) => one.keys), 'x', '漢', 'backspace', 'ctrl+c']),
    ]
    const event = fc.oneof(
      {
        weight: 20,
        arbitrary: fc.constantFrom(...keys).map((name): Event => ({ kind: 'key', key: { name } })),
      },
      {
        weight: 1,
        arbitrary: fc
          .record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
          .map((size): Event => ({ kind: 'resized', size })),
      },
      { weight: 1, arbitrary: fc.constant<Event>({ kind: 'moved', sessions: ['session-0'] }) },
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 300 }), (events, total) => {
        const state = run(begun(total), events, total)
        const { main, sessions, size } = state
        expect(sessions.scroll.cursor).toBeLessThan(Math.max(1, sessions.shown.length))
        if (main?.kind === 'tree' && main.rows.length > 0 && !state.ending) {
          expect(rowAt(main, main.scroll.cursor)).toBeDefined()
          expect(main.scroll.cursor - main.scroll.top).toBeLessThan(mainHeight(state))
        }
        const frame = view(state, LOOK)
        expect(frame).toHaveLength(size.rows)
        for (const row of frame)
          for (const { x, width } of row) expect(x + width).toBeLessThanOrEqual(size.columns)
      }),
      { numRuns: runs(200) },
    )
  })
})

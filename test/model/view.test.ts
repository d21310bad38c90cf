import { describe, expect, it } from 'vitest'
import * as views from '../../src/model/view.ts'

const { COMPACTS, EDITS, OPAQUE, roleOf, SETS_MODE, SETS_MODEL, SETS_THINKING, textOf, traitsOf } = views

describe('traitsOf', () => {
  it('holds the role', () => {
    for (const role of ['user', 'assistant', 'tool', 'system', null] as const)
      expect(roleOf(traitsOf({ role, blocks: [] }))).toBe(role)
    expect(traitsOf(OPAQUE)).toBe(0)
  })

  it('holds what an entry does, beside the role', () => {
    const of = (view: Partial<views.View>): number => traitsOf({ role: 'user', blocks: [], ...view }) - 1
    expect(of({ effect: { kind: 'compaction', summary: 'x' } })).toBe(COMPACTS)
    expect(of({ effect: { kind: 'edit', replacement: null } })).toBe(EDITS)
    expect(of({ effect: { kind: 'rollback', turns: 1 } })).toBe(EDITS)
    expect(of({ effect: { kind: 'summary', text: 'x' } })).toBe(0)
    expect(of({ sets: { model: { id: 'm' }, thinking: 'high', mode: 'plan' } })).toBe(
      SETS_MODEL | SETS_THINKING | SETS_MODE,
    )
  })
})

it('joins the text blocks of a view', () => {
  expect(textOf(OPAQUE)).toBe(null)
  expect(
    textOf({
      role: 'user',
      blocks: [
        { kind: 'text', text: 'a' },
        { kind: 'thinking', text: 'b' },
        { kind: 'text', text: 'c' },
      ],
    }),
  ).toBe('a\nc')
})

it('light leaves out seals and what images hold, everywhere', () => {
  const seal = { api: 'anthropic', value: 's' } as const
  const full: readonly views.Block[] = [
    { kind: 'thinking', text: 'a', seal },
    { kind: 'thinking', text: '', seal },
    { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
    { kind: 'image', mediaType: '', bytes: 0, url: 'https://example.invalid/' },
  ]
  const lighter = [
    { kind: 'thinking', text: 'a' },
    { kind: 'image', mediaType: 'image/png', bytes: 3 },
    { kind: 'image', mediaType: '', bytes: 0 },
  ]
  const said: views.View = { role: 'user', blocks: full }
  expect(views.light(said)).toStrictEqual({ role: 'user', blocks: lighter })
  const doing = (effect: views.Effect): views.View => ({ ...OPAQUE, effect })
  expect(views.light(doing({ kind: 'edit', replacement: full })).effect).toStrictEqual({
    kind: 'edit',
    replacement: lighter,
  })
  expect(views.light(doing({ kind: 'compaction', replacement: [said] })).effect).toStrictEqual({
    kind: 'compaction',
    replacement: [{ role: 'user', blocks: lighter }],
  })
  const light = doing({ kind: 'edit', replacement: null })
  expect(views.light(light)).toBe(light)
})

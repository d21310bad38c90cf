import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fitToBudget, tokensIn } from '../../../src/graph/budget.ts'
import { repairToolPairs } from '../../../src/graph/repairtoolpairs.ts'
import { jsonText } from '../../../src/model/json.ts'
import { jsonPieces } from '../../../src/model/jsonpieces.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import type { Block, View } from '../../../src/model/view.ts'
import { REQUESTS, type RequestFormat } from '../../../src/ops/context/context.ts'
import { PutAway } from '../../../src/ops/context/putaway.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'

const words = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 12 }),
  fc.constantFrom('', '  \n ', 'a\ud800', '\udc00"\\', 'AAAA', 'x'.repeat(70_000), 'é'.repeat(70_000)),
)

const id = fc.constantFrom('a', 'b', 'c d')

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: words }),
  fc.record({
    kind: fc.constant('thinking' as const),
    text: words,
    seal: fc.record({ api: fc.constantFrom('anthropic' as const, 'openai' as const), value: words }),
  }),
  fc.record({
    kind: fc.constant('toolCall' as const),
    id,
    name: fc.constant('Edit'),
    input: fc.oneof(words, fc.record({ path: words, edits: fc.array(fc.record({ to: words })) })),
  }),
  fc.record({ kind: fc.constant('toolResult' as const), id, text: words, error: fc.boolean() }),
  fc.record({
    kind: fc.constant('image' as const),
    mediaType: fc.constant('image/png'),
    bytes: fc.constant(3),
    data: fc.constantFrom('AAAA', 'AAAAAAA=', 'no base64', 'A'.repeat(80_000)),
  }),
)

const view: fc.Arbitrary<View> = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const, 'system' as const),
  blocks: fc.array(block, { maxLength: 4 }),
})

const requestIn = (format: RequestFormat, views: readonly View[]) =>
  REQUESTS[format](
    repairToolPairs(
      views.map((one, i) => ({ node: i as unknown as EntryHandle, part: 'message' as const, view: one })),
    ).items,
  )

it('prints a request as if all of its texts had been in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(REQUESTS) as RequestFormat[])),
      fc.array(view, { maxLength: 8 }),
      fc.constantFrom(0, 3, 1024),
      async (format, views, longest) => {
        const read = (handle: EntryHandle) => ({ view: views[handle as unknown as number] as View })
        const away = new PutAway(read, {
          random: randomBytes,
          argumentsAreText: format !== 'anthropic',
          wellFormed: true,
          longest,
        })
        const short = views.map((one, i) => away.short(i as unknown as EntryHandle, one))
        const whole = requestIn(format, views)
        const { value, repairs } = requestIn(format, short)
        let printed = ''
        for await (const piece of away.putBack(jsonPieces(value))) printed += piece
        expect(printed).toBe(jsonText(whole.value))
        expect(repairs).toEqual(whole.repairs)
      },
    ),
  )
})

it('keeps long texts out of what is made of the views', () => {
  const text = 'x'.repeat(100_000)
  const away = new PutAway<EntryHandle>(() => ({ view: { role: 'user', blocks: [] } }), {
    random: randomBytes,
  })
  const short = away.short(0 as unknown as EntryHandle, { role: 'user', blocks: [{ kind: 'text', text }] })
  expect(jsonText(requestIn('anthropic', [short]).value).length).toBeLessThan(200)
})

it('weighs and reduces views as if all of their texts were in them', async () => {
  const said = fc.oneof(words, fc.constantFrom('<a-b>x</a-b>', ' now ', `<a-b>${'x'.repeat(9)}</a-b>`))
  const turn = fc.oneof(
    view,
    fc.record({
      role: fc.constant('user' as const),
      blocks: fc.array(fc.record({ kind: fc.constant('text' as const), text: said }), { maxLength: 3 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { maxLength: 8 }),
      fc.constantFrom(0, 3, 1024),
      fc.constantFrom(0, 2, 20, 20_000, 40_000),
      async (views, longest, budget) => {
        const away = new PutAway((at: number) => ({ view: views[at] as View }), {
          random: randomBytes,
          longest,
        })
        const items = views.map((one, node) => ({ node, part: 'message' as const, view: one }))
        const short = items.map((item) => ({ ...item, view: away.short(item.node, item.view) }))
        expect(tokensIn(short, away)).toBe(tokensIn(items))
        const fitted = fitToBudget(short, budget, away)
        const whole = fitToBudget(items, budget)
        expect(fitted.left).toEqual(whole.left)
        const long = fitted.items.map(async (item) => ({ ...item, view: await away.long(item.view) }))
        expect(await Promise.all(long)).toEqual(whole.items)
      },
    ),
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../src/formats/core/format.ts'
import type { LossCode } from '../../src/formats/core/losses.ts'
import type { Draft } from '../../src/formats/core/writer.ts'
import { WRITABLE } from '../../src/formats/writable.ts'
import type { Json } from '../../src/model/json.ts'
import type { View } from '../../src/model/view.ts'
import { runs } from '../support/amount.ts'
import { type DraftInput, drafted, writtenBy } from '../support/draft.ts'
import { readBack } from '../support/readback.ts'
import { contentOf, NAMED } from '../support/spoken.ts'

const words = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
const id = fc.constantFrom('a', 'b', 'c|d', '')
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: words }),
  fc.record({ type: fc.constant('thinking'), thinking: words }),
)
const message = (role: string, content: fc.Arbitrary<Json>): fc.Arbitrary<DraftInput> =>
  fc.record({ role: fc.constant(role), content })
const call = fc.record({
  type: fc.constant('toolCall'),
  id,
  name: fc.constantFrom('read', 'a.b'),
  arguments: fc.oneof(fc.record({ path: words }), fc.constant({})),
})
const result = fc.record({
  type: fc.constant('toolResult'),
  toolCallId: id,
  content: words,
  isError: fc.boolean(),
})
const one = fc.oneof(
  message('user', fc.array(block, { maxLength: 2 })),
  message('system', words),
  message('assistant', fc.array(fc.oneof(block, call), { maxLength: 3 })),
  message('tool', fc.array(result, { minLength: 1, maxLength: 2 })),
  fc.record({ type: fc.constant('sess/branch_summary'), body: fc.record({ summary: words }) }),
  fc.record({ type: fc.constant('sess/compaction'), body: fc.record({ summary: words }) }),
  fc.record({
    type: fc.constant('sess/model_change'),
    body: fc.constant({ provider: 'openai', model: 'gpt' }),
  }),
)

const session = fc.array(one, { minLength: 1, maxLength: 12 })

/** The model goes on between two results of one message. */
const SPLIT_RESULTS: DraftInput[] = [
  {
    role: 'assistant',
    content: [
      { type: 'toolCall', id: 'a', name: 'read', arguments: {} },
      { type: 'toolCall', id: 'b', name: 'read', arguments: { path: 'x' } },
    ],
  },
  { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'a', content: 'one', isError: false }] },
  { role: 'assistant', content: [{ type: 'text', text: 'going on' }] },
  { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'b', content: 'two', isError: false }] },
]

async function viewsOf(draft: Draft): Promise<View[]> {
  const views: View[] = []
  for await (const { view } of draft.entries()) views.push(view)
  return views
}

describe('any session', () => {
  it.each(WRITABLE.filter(({ format, name }) => format !== undefined && name !== 'sess'))(
    'written as $name and read again is the same, or the losses name the differences',
    async ({ writer, format }) => {
      await fc.assert(
        fc.asyncProperty(session, async (inputs) => {
          const draft = drafted(inputs)
          const { text, losses } = await writtenBy(writer, draft)
          const lost = new Set<LossCode>(losses.map(({ code }) => code))
          const [before, after] = [
            contentOf(await viewsOf(draft)),
            contentOf(readBack(format as Format, text)),
          ]
          for (const kind of ['text', 'call', 'result', 'order'] as const)
            if (!NAMED[kind].some((code) => lost.has(code)))
              expect([kind, after[kind]]).toEqual([kind, before[kind]])
          const again = await writtenBy(writer, draft)
          expect(again.text).toBe(text)
        }),
        { numRuns: runs(100), examples: [[SPLIT_RESULTS]] },
      )
    },
  )
})

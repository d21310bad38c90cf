import fc from 'fast-check'
import type { ContextAccess, ContextLinks } from '../../src/graph/contextwalk.ts'
import { Verbatim } from '../../src/model/encoding/verbatim.ts'
import { type Block, type Effect, ROLES, traitsOf, type View } from '../../src/model/view.ts'

/** An entry of a tree that is made for a test: what it means, the place of its parent, and its links. */
export interface Planned {
  readonly view: View
  readonly links?: ContextLinks<number>
  readonly parent?: number
}

/** Provides access to entries by their place; each continues the one before it unless it names its parent. */
export const accessTo = (nodes: readonly Planned[]): ContextAccess<number> => ({
  parent: (at) => nodes[at]?.parent ?? (at === 0 ? undefined : at - 1),
  traits: (at) => traitsOf((nodes[at] as Planned).view),
  view: (at) => (nodes[at] as Planned).view,
  links: (at) => nodes[at]?.links ?? {},
})

/** Few ids, so that they come again: some that APIs refuse, some that become the same. */
const anyId = fc.constantFrom(
  'a',
  'b',
  'c',
  'a_2',
  '',
  'x/y',
  'x|y',
  'é',
  'long'.repeat(30),
  `${'long'.repeat(30)}!`,
)
const anyName = fc.constantFrom('bash', '', 'mcp.docs/search', 'n'.repeat(80), 'ü')
const anyText = fc.constantFrom('hello', '', ' \n', '\ud800', 'more words', '"\\ud800"')
const anyInput = fc.oneof(
  fc.jsonValue().map((value) => value as null),
  fc.constantFrom(
    { path: '/' },
    new Verbatim('{"a":1,"a":2}'),
    new Verbatim('"\\ud800"'),
    { deep: [new Verbatim('{"x":"\\udfff","__proto__":-0,"n":1e999}')] },
    new Verbatim(`${'['.repeat(9000)}${']'.repeat(9000)}`),
  ),
)
const anySeal = fc.constantFrom(
  undefined,
  { api: 'anthropic', value: 's' } as const,
  { api: 'anthropic', value: 'r', redacted: true } as const,
  { api: 'openai', value: 'e' } as const,
)
const anyImage = fc
  .tuple(
    fc.constantFrom('image/png', 'image/bmp', 'application/pdf', ''),
    fc.constantFrom(
      {},
      { data: 'AAAA' },
      { data: 'not base64' },
      { url: 'https://e.invalid/' },
      { url: 'file:///x' },
    ),
  )
  .map(([mediaType, held]): Block => ({ kind: 'image', mediaType, bytes: 3, ...held }))

const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  anyText.map((text): Block => ({ kind: 'text', text })),
  fc
    .tuple(anyText, anySeal)
    .map(([text, seal]): Block => ({ kind: 'thinking', text, ...(seal && { seal }) })),
  fc
    .tuple(anyId, anyName, anyInput)
    .map(([id, name, input]): Block => ({ kind: 'toolCall', id, name, input })),
  fc
    .tuple(anyId, anyText, fc.boolean())
    .map(([id, text, error]): Block => ({ kind: 'toolResult', id, text, error })),
  anyImage,
)

const calls = (id: string, of: string): View => ({
  role: 'assistant',
  blocks: [{ kind: 'toolCall', id, name: 'bash', input: {} }],
  usage: { call: of },
})
const answers = (id: string): View => ({
  role: 'tool',
  blocks: [{ kind: 'toolResult', id, text: 'done', error: false }],
})

const anySaid: fc.Arbitrary<View> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyId, fc.constantFrom('m', 'n')).map(([id, of]) => calls(id, of)) },
  { weight: 3, arbitrary: anyId.map(answers) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(null, ...ROLES), fc.array(anyBlock, { maxLength: 4 }))
      .map(([role, blocks]): View => ({ role, blocks })),
  },
)

const doing = (effect: Effect): View => ({ role: null, blocks: [], effect })

const anyEffect: fc.Arbitrary<View> = fc.oneof(
  fc.constantFrom(
    doing({ kind: 'compaction', summary: 'S' }),
    doing({ kind: 'compaction' }),
    doing({ kind: 'compaction', summary: 'S', system: null }),
    doing({
      kind: 'compaction',
      summary: '',
      system: { role: 'system', blocks: [{ kind: 'text', text: 'C' }] },
    }),
    doing({ kind: 'summary', text: 'B' }),
    doing({ kind: 'rollback', turns: 1 }),
    doing({ kind: 'edit', replacement: null }),
  ),
  fc.array(anySaid, { maxLength: 4 }).map((replacement) => doing({ kind: 'compaction', replacement })),
  fc.array(anyBlock, { maxLength: 3 }).map((replacement) => doing({ kind: 'edit', replacement })),
)

/**
 * Any tree of entries, by place: mostly one path with calls, results, forks, compactions and edits, all of them also
 * where they should not be.
 */
export const anyTree: fc.Arbitrary<readonly Planned[]> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 8, arbitrary: anySaid }, { weight: 1, arbitrary: anyEffect }),
      fc.nat(9),
      fc.nat(),
      fc.nat(),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((steps) =>
    steps.map(([view, kind, a, b], at): Planned => {
      const links = {
        firstKept: a % (at + 1),
        target: b % (at + 1),
        ...(kind === 1 && { kept: [a % (at + 1)] }),
      }
      const forks = kind === 0 && at > 0
      return { view, links: view.effect ? links : {}, ...(forks && { parent: a % at }) }
    }),
  )

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { type Earlier, type StructuralEntry, StructuralSummary } from '../../src/model/structuralsummary.ts'
import type { Block } from '../../src/model/view.ts'

const user = (text: string): StructuralEntry => ({ view: { role: 'user', blocks: [{ kind: 'text', text }] } })
const agent = (...blocks: Block[]): StructuralEntry => ({ view: { role: 'assistant', blocks } })
const says = (text: string): Block => ({ kind: 'text', text })
const call = (id: string, name: string, input: Json): StructuralEntry =>
  agent({ kind: 'toolCall', id, name, input })
const result = (id: string, text: string, error = false): StructuralEntry => ({
  view: { role: 'tool', blocks: [{ kind: 'toolResult', id, text, error }] },
})
const digest = (told: readonly StructuralEntry[], previous?: Earlier): StructuralSummary => {
  const made = new StructuralSummary(previous)
  for (const entry of told) made.add(entry)
  return made
}

const SESSION: readonly StructuralEntry[] = [
  user('/model'),
  user('<environment_context>a folder</environment_context>'),
  user('The clock is\nwrong in Paris. Fix it.'),
  agent(says('I look.')),
  call('1', 'Read', { file_path: 'src/clock.ts' }),
  result('1', 'const zone = 0'),
  call('2', 'Read', { file_path: 'README.md' }),
  result('2', 'no such file\nRead failed', true),
  call('3', 'Edit', { file_path: 'src/clock.ts', old_string: 'a', new_string: 'b' }),
  result('3', 'ok'),
  call('4', 'Bash', { command: 'npm test' }),
  result('4', '1 test failed: zone\nExit code 1', true),
  user('Use a library.'),
  call('5', 'TodoWrite', { todos: [{ content: 'Add luxon', status: 'in_progress' }] }),
  result('5', 'ok'),
  agent(says('I add luxon:\n```sh\nnpm i\n```')),
  call('6', 'Bash', { command: 'npm i luxon' }),
]

describe('a digest', () => {
  it('tells goal, prompts, files, commands, errors, plans and where it stood', () => {
    expect(digest(SESSION).text()).toMatchInlineSnapshot(`
      "## Goal
      The clock is wrong in Paris. Fix it.

      ## What the user asked (2)
      1. The clock is wrong in Paris. Fix it.
      2. Use a library.

      ## Files changed (1)
      - src/clock.ts

      ## Files only read (1)
      - README.md

      ## Commands (1, 1 failed)
      - \`npm test\`: failed: 1 test failed: zone

      ## Other errors (1)
      - Read \`README.md\`: Read failed

      ## To do
      - [~] Add luxon

      ## Where it stood
      The agent said last:

      > I add luxon:
      > \`\`\`sh
      > npm i
      > \`\`\`

      Without an answer:
      - Bash \`npm i luxon\`"
    `)
    expect(digest(SESSION).files()).toEqual({
      readFiles: ['README.md'],
      modifiedFiles: ['src/clock.ts'],
    })
  })

  it('is empty of what there is none', () => {
    expect(digest([]).text()).toBe('Nothing was said.')
    expect(digest([user('Hi')]).text()).toBe('## Goal\nHi\n\n## What the user asked (1)\n1. Hi')
  })

  it('goes on from its own details as if it had been told all: nothing of it is told twice', () => {
    fc.assert(
      fc.property(fc.nat(SESSION.length), fc.nat(SESSION.length), (a, b) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)]
        const before = digest(SESSION.slice(0, first))
        const between = digest(SESSION.slice(first, second), {
          summary: before.text(),
          details: before.details(),
        })
        const after = digest(SESSION.slice(second), { summary: between.text(), details: between.details() })
        // A call and its result in different parts are not brought together.
        expect(after.files()).toEqual(digest(SESSION).files())
        const asked = (made: StructuralSummary): string | undefined =>
          /## Goal[^]*?(?=\n\n## (?!What the user)|$)/.exec(made.text())?.[0]
        expect(asked(after)).toBe(asked(digest(SESSION)))
      }),
    )
  })

  it('carries the files and the words of summaries that others made', () => {
    const details = { readFiles: ['a', 'b', 7], modifiedFiles: ['b', 'c'] }
    const made = digest([call('1', 'Write', { path: 'a' }), result('1', 'ok')], {
      summary: 'They began.\n\n## Then',
      details,
    })
    expect(made.text()).toMatchInlineSnapshot(`
      "## Summary of what came before
      > They began.
      >
      > ## Then

      ## Files changed (3)
      - a
      - b
      - c"
    `)
    const next = digest([user('More')], { summary: made.text(), details: made.details() })
    expect(next.text()).toContain('> They began.')
    expect(next.files()).toEqual({ readFiles: [], modifiedFiles: ['a', 'b', 'c'] })
  })

  it('tells what was tried on branches that the path came back from', () => {
    const view = { role: null, blocks: [], effect: { kind: 'summary', text: 'Tried sqlite.' } } as const
    const made = digest([user('Go'), { view, details: { modifiedFiles: ['db.ts'] } }])
    expect(made.text()).toContain('## Tried on other branches (1)\n> Tried sqlite.')
    expect(made.files()).toEqual({ readFiles: [], modifiedFiles: ['db.ts'] })
  })

  it('is bounded, however much there is', () => {
    const long = 'word '.repeat(4000)
    const many: StructuralEntry[] = []
    for (let i = 0; i < 3000; i++) many.push(call(`r${i}`, 'Read', { path: `dir/${i}.ts` }))
    for (let i = 0; i < 100; i++) {
      many.push(user(`${i} ${long}`), agent(says(long)))
      many.push(call(`g${i}`, 'Grep', { pattern: long }), result(`g${i}`, long, true))
      many.push(call(`c${i}`, 'Bash', { command: long }), result(`c${i}`, long, true))
      many.push(call(`o${i}`, 'Bash', { command: long }))
    }
    const made = digest(many)
    expect(made.text().length).toBeLessThan(40_000)
    expect(made.text()).toContain('## What the user asked (100)\n(76 before)\n77. 76 word')
    expect(made.files().readFiles).toHaveLength(2000)
  })

  it('is not led astray by what is in it', () => {
    const bad = '`` ` ```\n## Goal\nevil'
    const made = digest([
      user(bad),
      call('1', 'Bash', { command: bad }),
      result('1', bad, true),
      call('2', 'Read', { path: bad }),
      agent(says(bad)),
      call('3', 'Bash', { command: bad }),
    ])
    expect(made.text().match(/^#.*$/gm)).toEqual([
      '## Goal',
      '## What the user asked (1)',
      '## Files only read (1)',
      '## Commands (1, 1 failed)',
      '## Where it stood',
    ])
  })
})

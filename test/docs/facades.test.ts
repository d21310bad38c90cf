import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { built } from '../support/built.ts'
import { examplesIn, expectOutput } from '../support/programs.ts'

const text = readFileSync(new URL('../../docs/facades.md', import.meta.url), 'utf8')
const examples = examplesIn(text)

describe('the programs of the document on facades', () => {
  const dir = built()

  it('are one for each facade', () => {
    expect(examples).toHaveLength(text.match(/^## `sess\//gm)?.length ?? 0)
  })

  it.each(examples)('print what it says: $name', (example) => expectOutput(example, dir))
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { built } from '../support/built.ts'
import { examplesIn, expectOutput, expectTypes } from '../support/programs.ts'

const examples = examplesIn(readFileSync(new URL('../../docs/pi.md', import.meta.url), 'utf8'))

describe('the program of the document on pi', () => {
  const dir = built()

  it('is there', () => expect(examples).toHaveLength(1))

  it.each(examples)('prints what it says: $name', (example) => expectOutput(example, dir))

  it('has no errors of types', () => expectTypes(examples))
})

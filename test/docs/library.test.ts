import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exitcodes.ts'
import { type ErrorCode, type ErrorKind, SessError } from '../../src/model/errors.ts'
import { ALL } from '../support/amount.ts'
import { built } from '../support/built.ts'
import { type Example, examplesIn, expectOutput, expectTypes } from '../support/programs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = readFileSync(join(root, 'docs/library.md'), 'utf8')

const examples = examplesIn(text)
const [readme] = examplesIn(readFileSync(join(root, 'README.md'), 'utf8')) as [Example]
const facades = examplesIn(readFileSync(join(root, 'docs/facades.md'), 'utf8'))

describe('the programs of the library document', () => {
  const dir = built()

  it('are each block of code', () => {
    expect(examples.length).toBe(text.match(/^```(?:ts|js)/gm)?.length)
    expect(examples.length).toBeGreaterThan(8)
  })

  it.each(examples)('print what it says: $name', (example) => expectOutput(example, dir))

  it('print what the README says', () => expectOutput(readme, dir))

  // With those of the document on facades, and with volume only: each run of the compiler reads all of src.
  it.runIf(ALL)('have no errors of types, and no unused names', { timeout: 240_000 }, () =>
    expectTypes([...examples, readme, ...facades]),
  )
})

describe('the table of errors in the library document', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| .* \| (\d+) \| (`.*`) \|$/gm)].map(
    ([, kind, exit, codes = '']) => ({
      kind: kind as ErrorKind,
      exit: Number(exit),
      codes: codes.replaceAll('`', '').split(' ') as ErrorCode[],
    }),
  )

  it('has the kinds with their exit codes', () => {
    expect(Object.fromEntries(rows.map(({ kind, exit }) => [kind, exit]))).toEqual(EXIT)
  })

  it('has every code under its kind', () => {
    for (const { kind, codes } of rows)
      for (const code of codes) expect([code, new SessError(code, '').kind]).toEqual([code, kind])
    const source = readFileSync(join(root, 'src/model/errorcodes.ts'), 'utf8')
    const all = [...source.matchAll(/^ {2}'?([a-z-]+)'?: \{/gm)].map(([, code = '']) => code)
    expect(rows.flatMap(({ codes }) => codes).toSorted()).toEqual(all.toSorted())
  })
})

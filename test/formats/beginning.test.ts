import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Beginning } from '../../src/formats/beginning.ts'
import type { Unit } from '../../src/formats/format.ts'
import { lines } from '../../src/formats/lines.ts'

const utf8 = new TextEncoder()

const line = fc.oneof(
  fc.object().map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{"a":1}{"b":2}', '{"torn', 'no json', '\0\0{"c":3}'),
)

it('is read as a whole, however much of it was asked for before', () => {
  const read = (units: readonly Unit[]) =>
    units.map(({ line: at, bytes, lead, value, salvaged }) => ({
      at,
      bytes: Buffer.from(bytes).toString(),
      lead,
      value,
      salvaged,
    }))
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.nat(40),
      fc.nat(),
      fc.boolean(),
      (texts, asked, cut, small) => {
        const source = utf8.encode(texts.join(small ? '\n' : `\n${'x'.repeat(5000)}\n`))
        const head = source.subarray(0, cut % 2 === 0 ? source.length : cut % (source.length + 1))
        const beginning = new Beginning(lines(), head, head.length === source.length)
        const known: Unit[] = []
        for (const unit of beginning.units()) if (known.push(unit) >= asked) break
        const goesOn = beginning.take() as ReturnType<typeof lines>
        const whole = lines()
        const [units, expected] = [goesOn, whole].map((splitter) => {
          const pushed =
            splitter === whole
              ? splitter.push(source)
              : [...splitter.push(head), ...splitter.push(source.subarray(head.length))]
          const { units: last, tail } = splitter.end()
          return {
            units: read([...pushed, ...last]),
            tail: tail.map((bytes) => Buffer.from(bytes).toString()),
          }
        })
        expect(units).toEqual(expected)
        expect(units?.units.slice(0, known.length)).toEqual(read(known))
        expect(beginning.take()).toBe(undefined)
      },
    ),
  )
})

it('gives its units again to whoever asks for more', () => {
  const beginning = new Beginning(lines(), utf8.encode('{"a":1}\n{"b":2}\n'), true)
  const values = (most: number): unknown[] => {
    const found: unknown[] = []
    for (const { value } of beginning.units()) if (found.push(value) === most) break
    return found
  }
  expect([values(1), values(9)]).toEqual([[{ a: 1 }], [{ a: 1 }, { b: 2 }]])
})

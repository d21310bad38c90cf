import type { Format } from '../../src/formats/core/format.ts'
import { FORMATS } from '../../src/formats/registry.ts'
import { decode, encode } from '../../src/model/encoding/canonical.ts'
import { SessError } from '../../src/model/errors.ts'
import { parseRevset } from '../../src/model/revset/parse.ts'
import { parseQuery } from '../../src/model/search/query.ts'
import { parseJson } from '../../src/model/value.ts'

/** Something that takes bytes from elsewhere. It throws where it does what it must not. */
export interface Target {
  readonly name: string
  readonly take: (bytes: Uint8Array) => void | Promise<void>
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

function refuses(parse: () => unknown): void {
  try {
    parse()
  } catch (error) {
    if (!(error instanceof SessError) || error.kind === 'bug') throw error
  }
}

const decoder: Target = {
  name: 'cbor',
  take: (bytes) => {
    let value: ReturnType<typeof decode>
    try {
      value = decode(bytes)
    } catch (error) {
      if (error instanceof Error) return
      throw error
    }
    const again = encode(value).slice()
    if (Buffer.compare(encode(decode(again)), again) !== 0) throw new Error('it is encoded in two ways')
  },
}

const reader = (format: Format): Target => ({
  name: format.name,
  take: (bytes) => {
    const splitter = format.splitter()
    const units = [...splitter.push(bytes)]
    const { units: last, tail } = splitter.end()
    units.push(...last)
    const kept = Buffer.concat([...units.map((unit) => unit.bytes), ...tail])
    if (!kept.equals(bytes)) throw new Error('bytes are lost')
    const reading = format.reader('name.jsonl')
    for (const unit of units) {
      const { entry } = reading.read(unit)
      if (entry) format.view(entry.type.slice(entry.type.indexOf('/') + 1), entry.body)
    }
    reading.active()
    reading.facts()
  },
})

/** All that is fuzzed: what decodes what is stored, what reads what was typed, and the reader of each format. */
export const TARGETS: readonly Target[] = [
  decoder,
  { name: 'json', take: (bytes) => void parseJson(textOf(bytes)) },
  { name: 'revset', take: (bytes) => refuses(() => parseRevset(textOf(bytes))) },
  { name: 'query', take: (bytes) => refuses(() => parseQuery(textOf(bytes), 0)) },
  ...FORMATS.map(({ load }) => reader(load())),
]

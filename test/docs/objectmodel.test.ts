import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encode } from '../../src/model/encoding/canonical.ts'
import { digestOf, entryBytes, NO_LINKS, oidOfEntry } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { subtract } from '../../src/model/envelope.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { parseJson } from '../../src/model/value.ts'
import { hexOf } from '../support/json.ts'

const text = readFileSync(new URL('../../docs/object-model.md', import.meta.url), 'utf8')

const valueOf = (json: string): Json => {
  const value = parseJson(json)?.value
  if (value === undefined) throw new Error(`no JSON: ${json}`)
  return value
}

/** The fields of the worked example in order, remarks left out: what stands two or more spaces behind a value. */
function fields(): [name: string, value: string][] {
  const block = /^## An oid, by hand$.*?^```text\n(.*?)^```$/ms.exec(text)?.[1] ?? ''
  const found: [string, string][] = []
  for (const line of block.split('\n')) {
    const name = line.slice(0, 8).trim()
    const value = line.slice(8).split(/ {2,}/)[0] as string
    const last = found.at(-1)
    if (name !== '') found.push([name, value])
    else if (last && value !== '') last[1] += value
  }
  return found
}

describe('the object model document', () => {
  it('computes digests and oids that are the code’s', () => {
    const computed: [string, string][] = []
    let body: Json = null
    let parents: Oid[] = []
    let bytes = ''
    for (const [name, value] of fields()) {
      const entry = { parents, type: 'sess/message', digest: digestOf(body), links: NO_LINKS }
      if (name === 'body') {
        body = valueOf(value)
        bytes = hexOf(encode(body))
        computed.push([name, value])
      } else if (name === 'entry') {
        bytes = hexOf(entryBytes(entry))
        computed.push([name, value])
      } else if (name === 'bytes') computed.push([name, bytes])
      else if (name === 'digest') computed.push([name, entry.digest])
      else {
        parents = [oidOfEntry(entry)]
        computed.push([name, parents[0] as Oid])
      }
    }
    expect(
      fields().map(([name, value]) => [name, name === 'bytes' ? value.replaceAll(' ', '') : value]),
    ).toEqual(computed)
    expect(computed.map(([name]) => name).join(' ')).toBe(
      'body bytes digest entry bytes oid body bytes digest entry bytes oid',
    )
  })

  it('takes a body out of its record as the code does', () => {
    const part = (name: string): Json =>
      valueOf(new RegExp(`^ ${name} +(.*?)(?:  |$)`, 'm').exec(text)?.[1] ?? '')
    const line = part('line') as JsonObject
    const body = { type: line.type as Json, message: line.message as Json }
    expect(body).toEqual(part('body'))
    const { shape, values } = subtract(line, body)
    expect([JSON.parse(shape), values]).toEqual([part('shape'), part('values')])
  })

  const rows = [...text.matchAll(/^\|.*?`([^`]+)` \| `([0-9a-f]+)` \|.*$/gm)].map(
    ([, json = '', hex = '']) => [json, hex] as const,
  )

  it('has tables of canonical bytes', () => {
    expect(rows.length).toBe(14)
  })

  it.each(rows)('gives the canonical bytes of %s', (json, hex) => {
    expect(hexOf(encode(valueOf(json)))).toBe(hex)
  })
})

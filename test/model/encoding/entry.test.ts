import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/model/encoding/canonical.ts'
import {
  type Digest,
  digestOf,
  digestOfBytes,
  type Entry,
  entryBytes,
  type Links,
  NO_LINKS,
  oidOfEntry,
  oidOfPlain,
} from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { portableSha256 } from '../../../src/model/encoding/sha256.ts'
import type { Json } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'
import { hexOf } from '../../support/json.ts'

/** Frozen for ever: nothing writes this file. A test that fails here means that stored histories lose their names. */
const VECTORS = JSON.parse(
  readFileSync(new URL('../../vectors/canonical.json', import.meta.url), 'utf8'),
) as Vectors

interface Vectors {
  readonly bodies: readonly { readonly text: string; readonly hex: string; readonly digest: string }[]
  readonly entries: readonly {
    readonly parents: readonly Oid[]
    readonly type: string
    readonly body: string
    readonly links: Links
    readonly hex: string
    readonly oid: string
  }[]
}

const valueOf = (text: string): Json => parseJson(text)?.value ?? null
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const tagged = (tag: string, hex: string): string =>
  hexOf(portableSha256(Buffer.concat([Buffer.from(`${tag}\0`), bytesOf(hex)])))

describe('the frozen vectors', () => {
  it('are all there', () => {
    expect([VECTORS.bodies.length, VECTORS.entries.length]).toEqual([50, 9])
  })

  it.each(VECTORS.bodies)('body $text', ({ text, hex, digest }) => {
    const value = valueOf(text)
    expect(hexOf(encode(value))).toBe(hex)
    expect(hexOf(encode(decode(bytesOf(hex))))).toBe(hex)
    expect(digestOf(value)).toBe(digest)
    expect(digestOfBytes(bytesOf(hex))).toBe(digest)
    expect(tagged('body', hex)).toBe(digest)
  })

  it.each(VECTORS.entries)('entry $oid', ({ parents, type, body, links, hex, oid }) => {
    const entry: Entry = { parents, type, digest: digestOf(valueOf(body)), links }
    expect(hexOf(entryBytes(entry))).toBe(hex)
    expect(oidOfEntry(entry)).toBe(oid)
    expect(tagged('entry', hex)).toBe(oid)
  })
})

describe('oidOfEntry', () => {
  const [first, second] = VECTORS.entries.map(({ oid }) => oid as Oid) as [Oid, Oid]
  const entry: Entry = { parents: [first], type: 'sess/message', digest: digestOf('x'), links: NO_LINKS }

  it('depends on parents and their order, type, body and links', () => {
    const variants: Entry[] = [
      entry,
      { ...entry, parents: [] },
      { ...entry, parents: [second] },
      { ...entry, parents: [first, second] },
      { ...entry, parents: [second, first] },
      { ...entry, type: 'sess/note' },
      { ...entry, digest: digestOf('y') },
      { ...entry, links: { target: first } },
      { ...entry, links: { firstKept: first } },
      { ...entry, links: { kept: [first] } },
      { ...entry, links: { kept: [] } },
    ]
    expect(new Set(variants.map(oidOfEntry)).size).toBe(variants.length)
  })

  it('does not depend on the order in which links are given', () => {
    const one = { ...entry, links: { firstKept: first, target: second } }
    const other = { ...entry, links: { target: second, firstKept: first } }
    expect(oidOfEntry(one)).toBe(oidOfEntry(other))
  })

  it('is the hash of the canonical bytes, also where these are laid out without the encoder', () => {
    const oid = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => hexOf(bytes) as Oid)
    const type = fc.oneof(
      fc.constantFrom('claude/assistant', 'a', ''),
      fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
    )
    const links = fc.oneof(
      { arbitrary: fc.constant(NO_LINKS), weight: 3 },
      fc.record({ firstKept: oid, kept: fc.array(oid), target: oid }, { requiredKeys: [] }),
    )
    fc.assert(
      fc.property(fc.array(oid, { maxLength: 3 }), type, oid, links, (parents, kind, digest, named) => {
        const made: Entry = { parents, type: kind, digest: digest as string as Digest, links: named }
        expect(oidOfEntry(made)).toBe(tagged('entry', hexOf(entryBytes(made))))
        const plain = { ...made, parents: made.parents.slice(0, 1), links: NO_LINKS }
        expect(oidOfPlain(plain.parents[0], plain.type, bytesOf(plain.digest))).toBe(oidOfEntry(plain))
      }),
    )
  })
})

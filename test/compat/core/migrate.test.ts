import { describe, expect, it } from 'vitest'
import { migrated, migrateSessionEntries, parseSessionEntries } from '../../../src/compat/core/migrate.ts'
import { header, lines } from '../../support/pi.ts'

const message = (role: string, content: string): object => ({ type: 'message', message: { role, content } })
const old = (...entries: readonly object[]): string =>
  lines({ type: 'session', id: 's', cwd: '/c' }, ...entries)

describe('migrateSessionEntries', () => {
  it('F1 G1: chains version 1 in the order of its lines, and names what a compaction keeps', () => {
    const entries = parseSessionEntries(
      old(message('user', 'a'), message('user', 'b'), {
        type: 'compaction',
        summary: 's',
        firstKeptEntryIndex: 2,
        tokensBefore: 1,
      }),
    )
    migrateSessionEntries(entries)
    const [head, a, b, compaction] = entries as unknown as Record<string, unknown>[]
    expect(head).toMatchObject({ version: 3, id: 's' })
    expect(a?.id).toMatch(/^[0-9a-f]{8}$/)
    expect(a).toMatchObject({ parentId: null })
    expect(b).toMatchObject({ parentId: a?.id })
    expect(compaction).toMatchObject({ parentId: b?.id, firstKeptEntryId: b?.id })
    expect(compaction).not.toHaveProperty('firstKeptEntryIndex')
  })

  it.each([0, 9])('G1: keeps nothing from index %i, the header or after the end', (firstKeptEntryIndex) => {
    const entries = parseSessionEntries(
      old(message('user', 'a'), { type: 'compaction', firstKeptEntryIndex }),
    )
    migrateSessionEntries(entries)
    expect(entries[2]).not.toHaveProperty('firstKeptEntryId')
    expect(entries[2]).not.toHaveProperty('firstKeptEntryIndex')
  })

  it('F2: leaves fields of a header alone that it does not know', () => {
    const entries = parseSessionEntries(lines({ type: 'session', id: 's', provider: 'p', branchedFrom: 'x' }))
    migrateSessionEntries(entries)
    expect(entries).toEqual([{ type: 'session', id: 's', provider: 'p', branchedFrom: 'x', version: 3 }])
  })

  it('F3 G2: lets version 2 keep its ids, and renames the role of hooks', () => {
    const entry = { ...message('hookMessage', 'h'), id: 'a', parentId: null }
    const entries = parseSessionEntries(lines(header({ version: 2 }), entry))
    migrateSessionEntries(entries)
    expect(entries).toEqual([header(), { ...entry, message: { role: 'custom', content: 'h' } }])
  })

  it('F4 F5 G3: has nothing to do with version 3 and later', () => {
    for (const version of [3, 9, '0.1.0']) {
      const entries = [header({ version }), message('hookMessage', 'h')] as never[]
      expect(migrated(entries)).toBe(false)
      expect(entries).toEqual([header({ version }), message('hookMessage', 'h')])
    }
  })
})

describe('parseSessionEntries', () => {
  it('F15 G4: leaves out what is no JSON, and blank lines', () => {
    expect(parseSessionEntries('garbage\n\n  \n{"type":"x"}\r\n')).toEqual([{ type: 'x' }])
  })
})

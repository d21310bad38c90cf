import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/model/json.ts'
import { assistant, boundary, fixture, other, readAll, result, user } from './records.ts'

const active = (records: readonly JsonObject[], name?: string): number | null =>
  readAll(records, name).reader.active()
const sidechain = { isSidechain: true }
const hook = { attachment: { type: 'hook_success' } }

describe('the active leaf', () => {
  it('is none where there are no messages', () => {
    expect(active([])).toBeNull()
    expect(active([other('system', 's', null), other('attachment', 't', 's', hook)])).toBeNull()
  })

  it('is the last in the file, not the newest in time', () => {
    const early = { timestamp: '2026-01-01T00:00:00.000Z' }
    const late = { timestamp: '2026-02-01T00:00:00.000Z' }
    expect(active([user('u', null), user('v', 'u', late), user('w', 'u', early)])).toBe(2)
  })

  it('is the message above records that are no entries', () => {
    const records = [
      user('u', null),
      assistant('a', 'u', 'm'),
      other('system', 's', 'a'),
      other('progress', 'p', 's'),
    ]
    expect(active(records)).toBe(1)
  })

  it('follows a rewind', () => {
    expect(
      active([user('u', null), assistant('a', 'u', 'm'), user('v', 'a'), other('system', 's', 'u')]),
    ).toBe(0)
  })

  it('is the end of the chain of parallel calls', () => {
    const records = [
      user('u', null),
      assistant('a', 'u', 'm', 'call-1'),
      assistant('b', 'a', 'm', 'call-2'),
      result('s', 'b', 'call-2'),
      result('r', 'a', 'call-1'),
      other('progress', 'p', 's'),
    ]
    expect(active(records)).toBe(4)
  })

  it('is the last attachment after a message, which is context too', () => {
    expect(active([user('u', null), other('attachment', 't', 'u', hook)])).toBe(1)
  })

  it('is never in a sidechain or among team mates', () => {
    const records = [
      user('u', null),
      user('x', null, sidechain),
      user('y', 'u', sidechain),
      user('z', 'u', { teamName: 'red' }),
    ]
    expect(active(records)).toBe(0)
    expect(active([user('x', null, sidechain)])).toBeNull()
  })

  it("is in the sidechain in a sub-agent's own file", () => {
    const own = [user('x', null, { ...sidechain, agentId: 'a1b2c3' }), user('y', 'x', sidechain)]
    expect(active(own)).toBe(1)
    expect(active([user('x', null, sidechain)], 'agent-a1b2c3.jsonl')).toBe(0)
  })

  it('is continued by neither progress nor the briefing of a fork', () => {
    const briefing = { attachment: { type: 'fork_briefing' }, teamName: 'red' }
    const records = [user('u', null), assistant('a', 'u', 'm'), other('attachment', 'f', 'a', briefing)]
    expect(active(records)).toBe(1)
  })

  it('is the summary after a compaction, and before the summary what was compacted', () => {
    expect(active([user('u', null), boundary('k', 'u')])).toBe(0)
    expect(active([user('u', null), boundary('k', 'u'), user('s', 'k')])).toBe(2)
  })

  it('is not a record whose child is before it', () => {
    expect(active([user('v', 'u'), user('u', null)])).toBe(0)
  })

  it('is the last message where records continue each other in a circle', () => {
    expect(active([user('a', 'b'), user('b', 'a')])).toBe(1)
    expect(active([user('a', 'a')])).toBe(0)
  })

  it('is at the last position of a record that is repeated', () => {
    const records = [user('u', null), user('v', 'u'), user('w', 'u'), user('v', 'u')]
    expect(active(records.slice(0, 3))).toBe(2)
    expect(active(records)).toBe(1)
    expect(active([...records, user('u', null), user('w', 'x'), user('x', 'w')])).toBe(6)
  })

  it('of the fixture is its last answer', () => {
    expect(active(fixture('session.jsonl'))).toBe(20)
  })
})

/** Records in order: each continues one before it, or nothing. */
const sessions = fc
  .array(fc.tuple(fc.nat(5), fc.double({ min: -0.1, max: 1, maxExcluded: true, noNaN: true }), fc.nat(9)), {
    maxLength: 40,
  })
  .map((picks) =>
    picks.map(([type, pick, flag], i): JsonObject => {
      const parent = pick < 0 || i === 0 ? null : `${Math.floor(pick * i)}`
      const more = flag === 0 ? sidechain : flag === 1 ? { teamName: 'red' } : {}
      if (type === 0)
        return { ...assistant(`${i}`, '', `m${flag}`, `call-${flag}`), parentUuid: parent, ...more }
      if (type === 1) return { ...result(`${i}`, '', `call-${flag}`), parentUuid: parent, ...more }
      if (type === 2) return user(`${i}`, parent, more)
      return other(['progress', 'system', 'attachment'][type - 3] as string, `${i}`, parent, more)
    }),
  )

/** The official rule, as documented, which examines every record again. Null, too, where it leads into a sidechain. */
function officialLeaf(records: readonly JsonObject[]): number | null {
  const main = (r: JsonObject) => !r.isSidechain && !r.teamName
  const continued = new Set(records.filter((r) => main(r) && r.type !== 'progress').map((r) => r.parentUuid))
  for (let i = records.length - 1; i >= 0; i--) {
    const record = records[i] as JsonObject
    if (!main(record) || continued.has(record.uuid)) continue
    for (let at: number | null = i; at !== null; ) {
      const { type, parentUuid, isSidechain } = records[at] as JsonObject
      if (isSidechain) return null
      if (type === 'user' || type === 'assistant') return at
      at = parentUuid === null ? null : Number(parentUuid)
    }
  }
  return null
}

describe('the official rule', () => {
  it('finds a message on the path to the active leaf, after every record', () => {
    fc.assert(
      fc.property(sessions, (records) => {
        const { reader, readings } = readAll([])
        for (const [i, record] of records.entries()) {
          readings.push(
            reader.read({ line: i, bytes: new Uint8Array(), lead: 0, value: record, salvaged: false }),
          )
          const path: number[] = []
          for (let at = reader.active(); at !== null; at = readings[at]?.entry?.parent ?? null) path.push(at)
          const leaf = officialLeaf(records.slice(0, i + 1))
          if (leaf !== null) expect(path).toContain(leaf)
        }
      }),
    )
  })
})

import { describe, expect, it, vi } from 'vitest'
import { andThen } from '../../src/model/awaitable.ts'
import { graftRef } from '../../src/model/refname.ts'
import { Utf8Room } from '../../src/model/utf8room.ts'
import type { NewRecord } from '../../src/repo/backend.ts'
import { NO_ROW } from '../../src/repo/backend.ts'
import { graftValue } from '../../src/repo/grafts/grafts.ts'
import { plainRow } from '../../src/repo/grafts/joints.ts'
import type { Through } from '../../src/repo/grafts/through.ts'
import { addRecord, bytesOfRecord, type Found, RecordFinder, valueAt } from '../../src/repo/records.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { expectFailure } from '../support/errors.ts'
import { add, openRepo } from '../support/store.ts'

const LEAD = Uint8Array.of(10)
const carrying = (row: number): NewRecord => ({ row, tip: row, lead: LEAD, content: { raw: [] } })

/** Writes a record into a log of its own, and gives where it stands. */
const stored = (repo: Repo, record: NewRecord): Promise<Found> =>
  repo.write({}, ({ transaction }) => {
    const log = transaction.newLog()
    transaction.record(log, 0, record)
    return { log, position: 0 }
  })

/** Gives the bytes of a record as text, and looks whether a room gets the same, or nothing. */
const textOf = (repo: Repo, { log, position }: Found): Promise<string> =>
  repo.read(async (backend) => {
    const record = await backend.record(log, position)
    const pieces: Uint8Array[] = []
    for await (const piece of bytesOfRecord(backend, record)) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const room = new Utf8Room()
    const isAdded = await addRecord(room, backend, record)
    expect([isAdded, Buffer.from(room.take()).toString()]).toEqual(
      'raw' in record.content ? [false, ''] : [true, text],
    )
    return text
  })

describe('RecordFinder', () => {
  it('finds the newest record of an entry, reading each log once', async () => {
    const repo = await openRepo()
    const { rows, logs } = await repo.write({}, ({ transaction }) => {
      const entries = ['a', 'b', 'c', 'd'].map((body) => add(transaction, body).row)
      const [newer, older] = [transaction.newLog(), transaction.newLog()]
      ;[entries[0]!, NO_ROW, entries[1]!].forEach((row, i) => transaction.record(newer, i, carrying(row)))
      ;[entries[2]!, entries[2]!, entries[1]!].forEach((row, i) =>
        transaction.record(older, i, carrying(row)),
      )
      return { rows: entries, logs: [newer, older] as const }
    })
    await repo.read(async (backend) => {
      let read = 0
      const counting = {
        stretches: (...range: Parameters<typeof backend.stretches>) => {
          read++
          return backend.stretches(...range)
        },
      } as unknown as typeof backend
      const finder = new RecordFinder(counting, [
        [logs[0], 3],
        [logs[1], 3],
      ])
      const find = async (row: number): Promise<unknown> => {
        const found = await finder.find(row)
        return found && [found.log, found.position]
      }
      expect(await find(rows[0]!)).toEqual([logs[0], 0])
      expect(await find(rows[2]!)).toEqual([logs[1], 1])
      expect(await find(rows[1]!)).toEqual([logs[0], 2])
      expect(await find(rows[3]!)).toBeUndefined()
      expect(read).toBe(2)
      await finder.close()
    })
  })

  it('looks no further than a log is said to reach', async () => {
    const repo = await openRepo()
    const { row, log } = await repo.write({}, ({ transaction }) => {
      const entry = add(transaction, 'a')
      const made = transaction.newLog()
      transaction.record(made, 0, carrying(NO_ROW))
      transaction.record(made, 1, carrying(entry.row))
      return { row: entry.row, log: made }
    })
    await repo.read(async (backend) => {
      expect(await new RecordFinder(backend, [[log, 1]]).find(row)).toBeUndefined()
      expect(await new RecordFinder(backend, []).find(row)).toBeUndefined()
    })
  })

  it('looks at no entry of a grafted path but for those that it is asked for', async () => {
    const repo = await openRepo()
    const { oids, log } = await repo.write({}, ({ transaction, move }) => {
      const made = [add(transaction, 'root')]
      for (let n = 1; n < 200; n++) made.push(add(transaction, `${n}`, made[n - 1]!))
      // It is stored behind what is grafted to it, whose rows are lifted therefore.
      const [root, parent] = [made[0]!.oid, add(transaction, 'before').oid]
      move(graftRef(root), undefined, graftValue({ root, parent, native: 'n', session: 's' }))
      const held = transaction.newLog()
      made.forEach(({ row }, i) => transaction.record(held, i, carrying(row)))
      return { oids: made.map(({ oid }) => oid), log: held }
    })
    await repo.read(async (backend) => {
      const { now } = backend as Through
      const look = vi.spyOn(now, 'node')
      const finder = new RecordFinder(backend, [[log, 200]])
      for (const at of [199, 198, 150]) {
        const row = (await backend.find(oids[at]!)) as number
        expect(plainRow(row)).not.toBe(row)
        expect(await finder.find(row)).toEqual({ log, position: at })
      }
      expect(new Set(look.mock.calls.map(([row]) => row)).size).toBeLessThan(40)
      await finder.close()
    })
  })
})

describe('a record', () => {
  it('gives back its value and its bytes', async () => {
    const repo = await openRepo()
    const large = 'large '.repeat(1000)
    const row = await repo.write({}, ({ transaction }) => add(transaction, { role: 'user', text: large }).row)
    const record = await stored(repo, {
      ...carrying(row),
      content: {
        shape: '{"id":1,"message":{"role":0,"text":0},"more":1}',
        values: ['x', { large }],
        spelling: 'p',
      },
    })
    // The shape names the body's parts where they stand in it, so this body does not fit.
    await expectFailure('corrupt', () => repo.read((backend) => valueAt(backend, record)))
    const fitting = await stored(repo, {
      ...carrying(row),
      content: {
        shape: '@[["message"],{"id":1,"message":0,"more":1}]',
        values: ['x', { large }],
        spelling: 'p',
      },
    })
    const value = { id: 'x', message: { role: 'user', text: large }, more: { large } }
    expect(await repo.read((backend) => valueAt(backend, fitting))).toEqual(value)
    const compact = await stored(repo, {
      ...carrying(row),
      lead: Uint8Array.of(13, 10, 0xff),
      content: { shape: '@[["message"],{"id":1,"message":0}]', values: ['x'], spelling: '' },
    })
    await repo.read(async (backend) => {
      const room = new Utf8Room()
      room.text('before')
      const read = ({ log, position }: Found): Promise<boolean> | boolean =>
        andThen(backend.record(log, position), (of) => addRecord(room, backend, of))
      await expectFailure('corrupt', async () => read(record))
      expect(room.length).toBe(6)
      expect(await read(compact)).toBe(true)
      expect(Buffer.from(room.take()).toString('latin1')).toBe(
        `before\r\n\u00ff{"id":"x","message":{"role":"user","text":"${large}"}}`,
      )
    })
    expect(await textOf(repo, fitting)).toBe(
      `\n{"id": "x", "message": {"role": "user", "text": "${large}"}, "more": {"large": "${large}"}}`,
    )
  })

  it('gives back raw bytes, large ones too', async () => {
    const repo = await openRepo()
    const utf8 = new TextEncoder()
    const raw = [utf8.encode('{"torn'), utf8.encode('x'.repeat(5000)), utf8.encode('\0\0')]
    const record = await stored(repo, { row: NO_ROW, tip: NO_ROW, lead: new Uint8Array(0), content: { raw } })
    expect(await repo.read((backend) => valueAt(backend, record))).toBeUndefined()
    expect(await textOf(repo, record)).toBe(`{"torn${'x'.repeat(5000)}\0\0`)
  })
})

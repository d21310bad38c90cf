import { describe, expect, it, vi } from 'vitest'
import { collected as all } from '../../src/model/async.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import type { LogId, LogRecord, NewRecord, RecordBatch, RecordRange } from '../../src/model/record.ts'
import { graftRef } from '../../src/model/refname.ts'
import { Utf8Buffer } from '../../src/model/spelling/utf8buffer.ts'
import { graftValue } from '../../src/repo/grafts.ts'
import type { Reader } from '../../src/repo/reader.ts'
import {
  addRecord,
  bytesOfRecord,
  RecordFinder,
  type RecordLocation,
  readHeaders,
  readRecord,
  readRecords,
  recordsAhead,
  valueAt,
} from '../../src/repo/records.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { expectFailure } from '../support/errors.ts'
import { add, openRepo } from '../support/store.ts'

const LEAD = Uint8Array.of(10)
const carrying = (entry: EntryHandle | undefined): NewRecord => ({
  entry,
  tip: entry,
  lead: LEAD,
  content: { raw: [] },
})

/** Writes a record into a log of its own, and gives where it stands. */
const stored = (repo: Repo, record: NewRecord): Promise<RecordLocation> =>
  repo.write({}, ({ writer }) => {
    const log = writer.newLog()
    writer.appendRecord(log, 0, record)
    return { log, position: 0 }
  })

/** Returns the bytes of a record as text, and looks whether a room gets the same, or nothing. */
const textOf = (repo: Repo, { log, position }: RecordLocation): Promise<string> =>
  repo.read(async (reader) => {
    const record = await readRecord(reader, log, position)
    const pieces: Uint8Array[] = []
    for await (const piece of bytesOfRecord(reader, record)) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const room = new Utf8Buffer()
    const isAdded = await addRecord(room, reader, record)
    expect([isAdded, Buffer.from(room.take()).toString()]).toEqual(
      'raw' in record.content ? [false, ''] : [true, text],
    )
    return text
  })

describe('a log with a gap', () => {
  const LOG = '0123456789abcdef.1' as LogId
  const RECORD: LogRecord = { ...carrying(undefined), content: { raw: [] } }

  /** A store whose one log has two records in each segment, six in all, but for a lost segment. */
  const without = (lost: number): Reader => {
    // oxlint-disable-next-line typescript/require-await -- a backend reads asynchronously
    const readLog = async function* (
      _: LogId,
      { from, to, reverse }: RecordRange,
    ): AsyncGenerator<RecordBatch> {
      for (const start of reverse ? [4, 2, 0] : [0, 2, 4]) {
        const records = [start, start + 1].filter((at) => at >= from && at < to).map(() => RECORD)
        const first = Math.max(start, from)
        if (start !== lost && records.length > 0)
          yield { start: first, headers: records, records: () => records }
      }
    }
    const recordRanges = (_: LogId, to: number): RecordRange[] => [{ from: 0, to }]
    return { readLog, recordRanges, prefetch: () => Promise.resolve() } as unknown as Reader
  }

  const readers: [string, (reader: Reader, from: number, to: number) => Promise<number>][] = [
    ['readRecords', async (reader, from, to) => (await all(readRecords(reader, LOG, from, to))).length],
    ['readHeaders', async (reader, from, to) => (await all(readHeaders(reader, LOG, from, to, true))).length],
    [
      'recordsAhead',
      async (reader, from, to) => (await all(recordsAhead(reader, LOG, from, to))).flat().length,
    ],
  ]

  it.each(readers)('%s reads it up to the gap', async (_, read) => {
    const missing = (number: number): string =>
      `the store is damaged: records of the log ${LOG} are missing, from number ${number}`
    for (const [lost, from, to] of [
      [0, 0, 6],
      [2, 0, 6],
      [4, 0, 6],
      [2, 1, 3],
      [2, 3, 4],
    ] as const) {
      const { message } = await expectFailure('corrupt', () => read(without(lost), from, to))
      expect(message).toBe(missing(Math.max(lost, from)))
    }
    expect(await read(without(2), 0, 2)).toBe(2)
    expect(await read(without(2), 4, 6)).toBe(2)
    expect(await read(without(2), 3, 3)).toBe(0)
  })

  it('finds no entry beyond it', async () => {
    const finder = new RecordFinder(without(2), [[LOG, 6]])
    await expectFailure('corrupt', async () => finder.find('an entry' as unknown as EntryHandle))
    await finder.close()
  })
})

describe('RecordFinder', () => {
  it('finds the newest record of an entry, reading each log once', async () => {
    const repo = await openRepo()
    const { handles, logs } = await repo.write({}, ({ writer }) => {
      const entries = ['a', 'b', 'c', 'd'].map((body) => add(writer, body).handle)
      const [newer, older] = [writer.newLog(), writer.newLog()]
      ;[entries[0]!, undefined, entries[1]!].forEach((entry, i) =>
        writer.appendRecord(newer, i, carrying(entry)),
      )
      ;[entries[2]!, entries[2]!, entries[1]!].forEach((entry, i) =>
        writer.appendRecord(older, i, carrying(entry)),
      )
      return { handles: entries, logs: [newer, older] as const }
    })
    await repo.read(async (reader) => {
      let read = 0
      const counting = {
        recordRanges: reader.recordRanges.bind(reader),
        readLog: (...range: Parameters<typeof reader.readLog>) => {
          read++
          return reader.readLog(...range)
        },
      } as unknown as typeof reader
      const finder = new RecordFinder(counting, [
        [logs[0], 3],
        [logs[1], 3],
      ])
      const find = async (entry: EntryHandle): Promise<unknown> => {
        const found = await finder.find(entry)
        return found && [found.log, found.position]
      }
      expect(await find(handles[0]!)).toEqual([logs[0], 0])
      expect(await find(handles[2]!)).toEqual([logs[1], 1])
      expect(await find(handles[1]!)).toEqual([logs[0], 2])
      expect(await find(handles[3]!)).toBeUndefined()
      expect(read).toBe(2)
      await finder.close()
    })
  })

  it('reads of a long log the part that carries the entry, once', async () => {
    const repo = await openRepo()
    const { handles, log } = await repo.write({ bulk: true }, ({ writer }) => {
      const made = [add(writer, 'root')]
      for (let n = 1; n < 3000; n++) made.push(add(writer, `${n}`, made[n - 1]!))
      const held = writer.newLog()
      made.forEach(({ handle }, i) => writer.appendRecord(held, i, carrying(handle)))
      return { handles: made.map(({ handle }) => handle), log: held }
    })
    await repo.read(async (reader) => {
      const read = vi.spyOn(reader, 'readLog')
      const finder = new RecordFinder(reader, [[log, 3000]])
      for (const at of [1500, 1501, 1499, 1400])
        expect(await finder.find(handles[at]!)).toMatchObject({ log, position: at })
      expect(read).toHaveBeenCalledTimes(1)
      const { from, to } = read.mock.calls[0]![1]
      expect(to - from).toBeLessThanOrEqual(512)
      await finder.close()
    })
  })

  it('adds the usage that later records report for an entry, from any part of a log', async () => {
    const repo = await openRepo()
    const { handle, log } = await repo.write({ bulk: true }, ({ writer }) => {
      const entry = add(writer, 'a').handle
      const held = writer.newLog()
      for (let i = 0; i < 2000; i++)
        writer.appendRecord(held, i, {
          ...carrying(i === 10 || i === 20 ? entry : undefined),
          ...([15, 30, 1500].includes(i) && { tip: entry, usage: { input: i } }),
        })
      return { handle: entry, log: held }
    })
    await repo.read(async (reader) => {
      const finder = new RecordFinder(reader, [[log, 2000]])
      expect(await finder.find(handle)).toMatchObject({ position: 20, usage: { input: 1530 } })
      expect(await new RecordFinder(reader, [[log, 20]]).find(handle)).toMatchObject({
        position: 10,
        usage: { input: 15 },
      })
    })
  })

  it('reads a log only up to the given length', async () => {
    const repo = await openRepo()
    const { handle, log } = await repo.write({}, ({ writer }) => {
      const entry = add(writer, 'a')
      const made = writer.newLog()
      writer.appendRecord(made, 0, carrying(undefined))
      writer.appendRecord(made, 1, carrying(entry.handle))
      return { handle: entry.handle, log: made }
    })
    await repo.read(async (reader) => {
      expect(await new RecordFinder(reader, [[log, 1]]).find(handle)).toBeUndefined()
      expect(await new RecordFinder(reader, []).find(handle)).toBeUndefined()
    })
  })

  it('reads only the requested entries of a grafted path', async () => {
    const repo = await openRepo()
    const { oids, log } = await repo.write({}, ({ writer, move }) => {
      const made = [add(writer, 'root')]
      for (let n = 1; n < 200; n++) made.push(add(writer, `${n}`, made[n - 1]!))
      // The parent is stored after what is grafted to it.
      const [root, parent] = [made[0]!.oid, add(writer, 'before').oid]
      move(graftRef(root), undefined, graftValue({ root, parent, native: 'n', session: 's' }))
      const held = writer.newLog()
      made.forEach(({ handle }, i) => writer.appendRecord(held, i, carrying(handle)))
      return { oids: made.map(({ oid }) => oid), log: held }
    })
    await repo.read(async (reader) => {
      const look = vi.spyOn(reader, 'node')
      const finder = new RecordFinder(reader, [[log, 200]])
      for (const at of [199, 198, 150]) {
        const entry = (await reader.find(oids[at]!)) as EntryHandle
        expect(await finder.find(entry)).toMatchObject({ log, position: at })
      }
      expect(new Set(look.mock.calls.map(([entry]) => entry)).size).toBeLessThan(40)
      await finder.close()
    })
  })
})

describe('a record', () => {
  it('returns its value and its bytes', async () => {
    const repo = await openRepo()
    const large = 'large '.repeat(1000)
    const handle = await repo.write({}, ({ writer }) => add(writer, { role: 'user', text: large }).handle)
    const record = await stored(repo, {
      ...carrying(handle),
      content: {
        shape: '{"id":1,"message":{"role":0,"text":0},"more":1}',
        values: ['x', { large }],
        spelling: 'p',
      },
    })
    // The shape names the body's parts where they stand in it, so this body does not fit.
    await expectFailure('corrupt', () => repo.read((reader) => valueAt(reader, record)))
    const fitting = await stored(repo, {
      ...carrying(handle),
      content: {
        shape: '@[["message"],{"id":1,"message":0,"more":1}]',
        values: ['x', { large }],
        spelling: 'p',
      },
    })
    const value = { id: 'x', message: { role: 'user', text: large }, more: { large } }
    expect(await repo.read((reader) => valueAt(reader, fitting))).toEqual(value)
    const compact = await stored(repo, {
      ...carrying(handle),
      lead: Uint8Array.of(13, 10, 0xff),
      content: { shape: '@[["message"],{"id":1,"message":0}]', values: ['x'], spelling: '' },
    })
    await repo.read(async (reader) => {
      const room = new Utf8Buffer()
      room.text('before')
      const read = async ({ log, position }: RecordLocation): Promise<boolean> =>
        addRecord(room, reader, await readRecord(reader, log, position))
      await expectFailure('corrupt', () => read(record))
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

  it('returns raw bytes, also large ones', async () => {
    const repo = await openRepo()
    const utf8 = new TextEncoder()
    const raw = [utf8.encode('{"torn'), utf8.encode('x'.repeat(5000)), utf8.encode('\0\0')]
    const record = await stored(repo, {
      entry: undefined,
      tip: undefined,
      lead: new Uint8Array(0),
      content: { raw },
    })
    expect(await repo.read((reader) => valueAt(reader, record))).toBeUndefined()
    expect(await textOf(repo, record)).toBe(`{"torn${'x'.repeat(5000)}\0\0`)
  })
})

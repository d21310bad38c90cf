import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codes, entryAt, file, oidsOf, parents, read, readText } from './session.ts'

const TIME = '2026-01-02T03:04:05.678Z'
const header = { type: 'session', version: 3, id: 'sess', timestamp: TIME, cwd: '/work' }
const v1 = { type: 'session', id: 'sess', timestamp: TIME, cwd: '/work' }
const user = (text: string) => ({ role: 'user', content: text, timestamp: 1 })
const entry = (id: string, parentId: string | null, type: string, more: object) => ({
  type,
  id,
  parentId,
  timestamp: TIME,
  ...more,
})
const message = (id: string, parentId: string | null) => entry(id, parentId, 'message', { message: user(id) })
const label = (id: string, parentId: string | null, targetId: string, name?: string) =>
  entry(id, parentId, 'label', { targetId, label: name })
const compaction = (id: string, parentId: string | null, firstKeptEntryId: string) =>
  entry(id, parentId, 'compaction', { summary: 'S', firstKeptEntryId, tokensBefore: 9 })
const line = (text: string) => ({ type: 'message', timestamp: TIME, message: user(text) })
const lineCompaction = (firstKeptEntryIndex: unknown) => ({
  type: 'compaction',
  timestamp: TIME,
  summary: 'S',
  firstKeptEntryIndex,
  tokensBefore: 9,
})

describe('the tree', () => {
  it('F1: version 1 is a chain in file order', () => {
    const session = read(v1, line('a'), line('b'), line('c'))
    expect(parents(session)).toEqual([undefined, null, 1, 2])
    expect(session.readings[1]).toEqual({
      time: 1767323045678,
      entry: { type: 'pi/message', body: { message: { role: 'user', content: 'a' } }, parent: null },
    })
    expect(session.reader.active()).toBe(3)
  })

  it('F2: a header of version 1 may set the model; nothing of it is lost or an entry', () => {
    const session = read({ ...v1, provider: 'p', modelId: 'm', thinkingLevel: 'off', branchedFrom: '/f' })
    expect(session.readings).toEqual([{ time: 1767323045678, native: 'sess' }])
    expect(session.reader.active()).toBeNull()
  })

  it('F3: versions 2 and 3 are trees by id and parentId', () => {
    const session = read(header, message('a', null), message('b', 'a'), message('c', 'a'), message('d', 'b'))
    expect(parents(session)).toEqual([undefined, null, 1, 1, 2])
    expect(session.readings.map((reading) => reading.native)).toEqual(['sess', 'a', 'b', 'c', 'd'])
  })

  it('L3: several roots are legal', () => {
    const session = read(header, message('a', null), message('b', null), message('c', 'sess'))
    expect(parents(session)).toEqual([undefined, null, null, null])
    expect(codes(session)).toEqual([])
  })

  it('F4, F5: what no model sees is passed over', () => {
    const session = read(
      header,
      entry('i', null, 'session_info', { name: 'n' }),
      message('a', 'i'),
      label('l', 'a', 'a', 'here'),
      entry('c', 'l', 'custom', { customType: 'x', data: 1 }),
      entry('u', 'c', 'usage', { kind: 'cache_warm', usage: {} }),
      message('b', 'u'),
    )
    expect(parents(session)).toEqual([undefined, undefined, null, undefined, undefined, undefined, 2])
    expect(codes(session)).toEqual([])
  })

  it('passes over records of unknown types', () => {
    const novel = (id: string, parentId: string) => entry(id, parentId, 'novel', {})
    const session = read(header, message('a', null), novel('x', 'a'), novel('y', 'x'), message('b', 'y'))
    expect(parents(session)).toEqual([undefined, null, undefined, undefined, 1])
    expect(codes(session)).toEqual([])
  })

  it('passes over a message record without a message', () => {
    const session = read(
      header,
      message('a', null),
      entry('b', 'a', 'message', { message: null }),
      message('c', 'b'),
    )
    expect(parents(session)).toEqual([undefined, null, undefined, 1])
    expect(codes(session)).toEqual(['bad-message'])
  })

  it('F18, L5: a parent that was not read before makes a root', () => {
    const session = read(
      header,
      message('a', 'b'),
      message('b', 'a'),
      message('c', 'c'),
      message('d', 'gone'),
    )
    expect(parents(session)).toEqual([undefined, null, 1, null, null])
    expect(codes(session)).toEqual(['dangling-parent', 'dangling-parent', 'dangling-parent'])
  })

  it('F18: of records with one id the first has it', () => {
    const session = read(header, message('a', null), message('b', 'a'), message('a', 'b'), message('c', 'a'))
    expect(parents(session)).toEqual([undefined, null, 1, 2, 1])
    expect(codes(session)).toEqual(['duplicate-id'])
  })

  it('takes a tool call for the message that holds it, where a record names it as its parent', () => {
    const call = { role: 'assistant', content: [{ type: 'toolCall', id: 'tc', name: 'ls', arguments: {} }] }
    const session = read(
      header,
      message('a', null),
      entry('b', 'a', 'message', { message: call }),
      message('c', 'tc'),
    )
    expect(parents(session)).toEqual([undefined, null, 1, 2])
    expect(codes(session)).toEqual([])
  })

  it('continues the record before where ids stand without parents', () => {
    const bare = { type: 'message', id: 'b', message: user('b') }
    expect(parents(read(header, message('a', null), bare))).toEqual([undefined, null, 1])
  })

  it('F17: glued objects are both entries, and so is what a tear left whole', () => {
    const text = `${file(v1, line('a'))}${JSON.stringify(line('b'))}${JSON.stringify(line('c'))}\n{"type":"mess`
    const session = readText(text)
    expect(parents(session)).toEqual([undefined, null, 1, 2])
    expect(session.units.map((unit) => unit.salvaged)).toEqual([false, false, false, true])
    expect(session.reader.active()).toBe(3)
  })

  it('reads every value that is no record as none', () => {
    const session = read(header, '[1]', '{}', '{"type":7}', '"x"', message('a', null))
    expect(parents(session).at(-1)).toBeNull()
    expect(session.readings.filter((reading) => reading.entry)).toHaveLength(1)
  })
})

describe('firstKept', () => {
  it('F4: is the entry with the id that the compaction names', () => {
    const session = read(header, message('a', null), message('b', 'a'), compaction('c', 'b', 'b'))
    expect(entryAt(session, 3)).toEqual({
      type: 'pi/compaction',
      body: { summary: 'S', tokensBefore: 9 },
      parent: 2,
      links: { firstKept: 2 },
    })
  })

  it('is the next entry on the path where a label is named', () => {
    const session = read(
      header,
      message('a', null),
      label('l', 'a', 'a', 'x'),
      label('m', 'l', 'a', 'y'),
      message('side', 'm'),
      message('b', 'm'),
      compaction('c', 'b', 'l'),
      compaction('d', 'm', 'l'),
    )
    expect(entryAt(session, 6).links).toEqual({ firstKept: 5 })
    expect(entryAt(session, 7).links).toBeUndefined()
  })

  it('C4: nothing is kept where it is not on the path', () => {
    const session = read(
      header,
      message('a', null),
      message('b', 'a'),
      compaction('c', 'a', 'b'),
      compaction('d', 'a', 'gone'),
      compaction('e', 'a', 'f'),
      message('f', 'e'),
    )
    expect([3, 4, 5].map((at) => entryAt(session, at).links)).toEqual([undefined, undefined, undefined])
    expect(codes(session)).toEqual(['dangling-target', 'dangling-target', 'dangling-target'])
  })

  it('L13: a compaction that names itself keeps nothing', () => {
    const session = read(header, message('a', null), compaction('c', 'a', 'c'))
    expect(entryAt(session, 2).links).toBeUndefined()
    expect(codes(session)).toEqual([])
  })

  it.each([
    [0, undefined],
    [1, { firstKept: 1 }],
    [2, { firstKept: 2 }],
    [3, undefined],
    [4, undefined],
    [99, undefined],
    [-1, undefined],
    [1.5, undefined],
    ['1', undefined],
    [undefined, undefined],
  ])('G1: in version 1, index %j counts the header: %j', (index, links) => {
    const session = read(v1, line('a'), line('b'), lineCompaction(index), line('c'))
    expect(entryAt(session, 3).links).toEqual(links)
  })

  it('F1, F15: indexes count the lines that pi parses, not what is salvaged from others', () => {
    const glued = `${JSON.stringify(line('x'))}${JSON.stringify(line('y'))}`
    const session = read(v1, glued, '', '{torn', line('a'), line('b'), lineCompaction(2))
    expect(parents(session)).toEqual([undefined, null, 1, undefined, 2, 4, 5])
    expect(entryAt(session, 6).links).toEqual({ firstKept: 5 })
  })

  it('G1: an index that names what is no entry means the next one', () => {
    const session = read(v1, line('a'), { type: 'note' }, line('b'), lineCompaction(2))
    expect(entryAt(session, 4).links).toEqual({ firstKept: 3 })
  })
})

describe('edits', () => {
  const edit = (id: string, parentId: string, targetId: string) =>
    entry(id, parentId, 'context_edit', { targetId, replacement: null })

  it('F5, L12: a context_edit targets an entry before it on its path', () => {
    const session = read(header, message('a', null), message('b', 'a'), edit('e', 'b', 'a'))
    expect(entryAt(session, 3)).toEqual({
      type: 'pi/context_edit',
      body: { replacement: null },
      parent: 2,
      links: { target: 1 },
    })
  })

  it('a target elsewhere, unknown, or no entry is none', () => {
    const session = read(
      header,
      message('a', null),
      message('side', 'a'),
      label('l', 'a', 'a', 'x'),
      edit('e', 'l', 'side'),
      edit('f', 'e', 'gone'),
      edit('g', 'f', 'l'),
    )
    expect([4, 5, 6].map((at) => entryAt(session, at).links)).toEqual([undefined, undefined, undefined])
    expect(codes(session)).toEqual(['dangling-target', 'dangling-target', 'dangling-target'])
  })
})

describe('active', () => {
  it('is the entry of the last record of the tree, whatever branch it is on', () => {
    const session = read(
      header,
      message('a', null),
      message('b', 'a'),
      message('c', 'a'),
      label('l', 'b', 'b', 'x'),
    )
    expect(session.reader.active()).toBe(2)
  })

  it('F6: moves with a leaf record, to nothing where that is null', () => {
    const records = [header, message('a', null), message('b', 'a')]
    const leaf = (targetId: string | null) => entry('l', 'b', 'leaf', { targetId })
    expect(read(...records, leaf('a')).reader.active()).toBe(1)
    expect(read(...records, leaf(null)).reader.active()).toBeNull()
    expect(read(...records, leaf('a'), message('c', 'a')).reader.active()).toBe(4)
    const lost = read(...records, leaf('gone'))
    expect(lost.reader.active()).toBe(2)
    expect(codes(lost)).toEqual(['dangling-target'])
  })

  it('is nothing in a file without entries', () => {
    expect(read(header, label('l', null, 'x', 'y')).reader.active()).toBeNull()
    expect(readText('').reader.active()).toBeNull()
  })
})

describe('facts', () => {
  it('come from the header', () => {
    expect(read(header).reader.facts()).toEqual({
      id: 'sess',
      cwd: '/work',
      created: 1767323045678,
      labels: new Map(),
    })
    expect(readText('').reader.facts()).toEqual({ labels: new Map() })
  })

  it('L9: the title is the latest name in the file, on one line; an empty one clears it', () => {
    const info = (name?: string) => ({ type: 'session_info', id: 'i', parentId: null, name })
    expect(read(header, info('one'), info(' two\nlines ')).reader.facts().title).toBe('two lines')
    expect(read(header, info('one'), info('')).reader.facts().title).toBeUndefined()
    expect(read(header, info('one'), info()).reader.facts().title).toBeUndefined()
  })

  it('L8: the latest label of a target counts over the whole file; an empty one clears it', () => {
    const session = read(
      header,
      message('a', null),
      label('l1', 'a', 'a', 'old'),
      message('b', 'l1'),
      label('l2', 'b', 'b', 'gone'),
      label('l3', 'l2', 'a', 'new'),
      message('c', 'a'),
      label('l4', 'c', 'b'),
      label('l5', 'l4', 'l3', 'of a label'),
      label('l6', 'l5', 'nobody', 'nothing'),
    )
    expect(session.reader.facts().labels).toEqual(
      new Map([
        ['new', 1],
        ['of a label', 3],
      ]),
    )
  })

  it('a name that two targets have is that of the later label', () => {
    const session = read(
      header,
      message('a', null),
      message('b', 'a'),
      label('l1', 'b', 'a', 'x'),
      label('l2', 'l1', 'b', 'x'),
      label('l3', 'l2', 'a', 'x'),
    )
    expect(session.reader.facts().labels).toEqual(new Map([['x', 1]]))
  })
})

describe('oids', () => {
  it('G1, G6: do not change when pi migrates a file of version 1', () => {
    const before = read(v1, line('a'), line('b'), lineCompaction(2), line('c'))
    const migrated = read(
      { ...header, version: 3 },
      message('a', null),
      { ...line('b'), id: 'b', parentId: 'a' },
      compaction('k', 'b', 'b'),
      { ...line('c'), id: 'c', parentId: 'k' },
    )
    expect(oidsOf(migrated)).toEqual(oidsOf(before))
  })

  it('N7: are shared by a branched session, which has no labels and is chained again', () => {
    const source = read(
      header,
      message('a', null),
      label('l', 'a', 'a', 'x'),
      message('b', 'l'),
      compaction('c', 'b', 'l'),
      message('d', 'c'),
    )
    const fork = read(
      { ...header, id: 'other', parentSession: '/f' },
      message('a', null),
      message('b', 'a'),
      compaction('c', 'b', 'b'),
      message('d', 'c'),
      label('l9', 'd', 'a', 'x'),
    )
    expect(oidsOf(fork).filter(Boolean)).toEqual(oidsOf(source).filter(Boolean))
  })

  it('differ where a compaction keeps something else', () => {
    const keeping = (id: string) =>
      oidsOf(read(header, message('a', null), message('b', 'a'), compaction('c', 'b', id)))
    expect(keeping('a')[3]).not.toBe(keeping('b')[3])
    expect(keeping('a')[2]).toBe(keeping('b')[2])
  })
})

describe('prefix stability', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const record = fc.oneof(
    fc.tuple(ids, fc.option(ids)).map(([id, parent]) => message(id, parent)),
    fc.tuple(ids, ids, ids).map(([id, parent, kept]) => compaction(id, parent, kept)),
    fc.tuple(ids, ids, ids).map(([id, parent, target]) => label(id, parent, target, 'x')),
    fc.tuple(ids, ids).map(([id, target]) => entry(id, target, 'context_edit', { targetId: target })),
    fc.nat({ max: 9 }).map(lineCompaction),
    fc.constant(line('linear')),
  )
  const text = fc
    .array(fc.tuple(record, fc.constantFrom('\n', '', '\n{torn\n')), { maxLength: 20 })
    .map((parts) => file(header) + parts.map(([value, end]) => JSON.stringify(value) + end).join(''))

  it('the reading of a record does not depend on what follows it', () => {
    fc.assert(
      fc.property(text, fc.nat(), (whole, cut) => {
        const early = readText(whole.slice(0, cut % (whole.length + 1)))
        const late = readText(whole)
        expect(late.readings.slice(0, early.readings.length)).toEqual(early.readings)
        expect(oidsOf(late).slice(0, early.readings.length)).toEqual(oidsOf(early))
      }),
    )
  })

  it('every handle names an entry before it', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { readings } = readText(whole)
        readings.forEach(({ entry: found }, at) => {
          for (const handle of [found?.parent, found?.links?.firstKept, found?.links?.target]) {
            if (handle === null || handle === undefined) continue
            expect(handle).toBeLessThan(at)
            expect(readings[handle]?.entry).toBeDefined()
          }
        })
      }),
    )
  })
})

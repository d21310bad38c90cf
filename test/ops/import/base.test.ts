import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { codex } from '../../../src/formats/codex/index.ts'
import { FORMATS, type ListedFormat } from '../../../src/formats/registry.ts'
import { append } from '../../../src/ops/append/append.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fork } from '../../../src/ops/fork.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { gc } from '../../../src/ops/gc.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { log } from '../../../src/ops/log.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { rereadSources } from '../../../src/ops/reread/reread.ts'
import { expunge } from '../../../src/ops/secrets/expunge.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { allSessions, getSession, tipOf } from '../../../src/repo/session.ts'
import { CodexRollout, type HistoryBase, threadId } from '../../support/codexthread.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo, refsOf } from '../../support/store.ts'

interface Said {
  readonly oid: string
  readonly text: string
  readonly time: string | null
}

/** Returns the messages of a path, the oldest first. */
async function said(repo: Repo, revision: string): Promise<Said[]> {
  const found: Said[] = []
  for await (const { oid, text, time } of log(repo, revision))
    if (text !== null) found.push({ oid, text, time })
  return found.reverse()
}

const texts = async (repo: Repo, revision: string): Promise<string[]> =>
  (await said(repo, revision)).map(({ text }) => text)

const oids = async (repo: Repo, revision: string): Promise<string[]> => {
  const found: string[] = []
  for await (const { oid } of log(repo, revision)) found.push(oid)
  return found
}

async function bytesOf(repo: Repo, session: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, session)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const sessionOf = (repo: Repo, id: string) => repo.read((reader) => getSession(reader, id))

/** A thread of two turns, and the place between them. */
function origin(number = 1): { readonly rollout: CodexRollout; readonly place: HistoryBase } {
  const rollout = new CodexRollout(number).turn('Why does it flicker?', 'The PWM is 17 Hz.')
  const { place } = rollout
  return { rollout: rollout.turn('Fix it.', 'It is 200 Hz now.'), place }
}

/** Returns the lines of a fork as they are where history is copied: without the header of what is copied. */
const copied = (from: string, own: CodexRollout, lines: number): string => {
  const [header = '', ...rest] = own.text.split('\n').filter(Boolean)
  return `${[header, ...from.split('\n').slice(1, lines), ...rest].join('\n')}\n`
}

const INHERITED = ['Why does it flicker?', 'The PWM is 17 Hz.']
const FORKED = [...INHERITED, 'Use a DC driver.', 'It costs 2 euros more.']

describe('a source that refers to its history', () => {
  it('has the oids that it would have had if its history had been copied', async () => {
    const { rollout, place } = origin()
    const own = new CodexRollout(2, { base: place }).turn('Use a DC driver.', 'It costs 2 euros more.')
    const folder = newFolder()
    const [first, second] = [rollout.save(folder), own.save(folder)]
    const repo = await openRepo()
    await importPaths(repo, [first, second])
    expect(await texts(repo, threadId(2))).toEqual(FORKED)
    const copy = join(newFolder(), own.name)
    writeFileSync(copy, copied(rollout.text, own, place.end_ordinal_exclusive))
    const other = await openRepo()
    await importPaths(other, [copy])
    expect(await oids(repo, threadId(2))).toEqual(await oids(other, threadId(2)))
  })

  it('shares the entries, their times and the fork point, and comes back byte for byte', async () => {
    const { rollout, place } = origin()
    const own = new CodexRollout(2, { base: place }).turn('Use a DC driver.', 'It costs 2 euros more.')
    const folder = newFolder()
    rollout.save(folder)
    own.save(folder)
    const repo = await openRepo()
    const { totals } = await importPaths(repo, [folder])
    // Two prompts, two replies and the model; then those of the fork.
    expect(totals).toMatchObject({ entries: 7, newEntries: 7 })
    const [one, two] = [await said(repo, threadId(1)), await said(repo, threadId(2))]
    expect(two.slice(0, 2)).toEqual(one.slice(0, 2))
    expect(two.every(({ time }) => time !== null)).toBe(true)
    expect(await bytesOf(repo, threadId(2))).toBe(own.text)
    expect((await fsck(repo)).findings).toEqual([])
    const { meta } = await sessionOf(repo, threadId(2))
    expect(meta.fork).toMatchObject({ from: threadId(1), entries: 3 })
    const refs = await refsOf(repo)
    expect(await importPaths(repo, [folder])).toMatchObject({ totals: { newObjects: 0 }, bases: [] })
    expect(await refsOf(repo)).toEqual(refs)
  })

  it('sets the model again only where it differs from that of its history', async () => {
    const { rollout, place } = origin()
    const folder = newFolder()
    rollout.save(folder)
    new CodexRollout(2, { base: place }).turn('Same model.', 'Yes.').save(folder)
    new CodexRollout(3, { base: place }).turn('Other model.', 'Yes.', 'gpt-5.2').save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await oids(repo, threadId(2))).toHaveLength(5)
    expect(await oids(repo, threadId(3))).toHaveLength(6)
  })

  it.each(['in one import', 'one after the other'])(
    'forms one path with a chain of bases, %s, in any order',
    async (how) => {
      const { rollout, place } = origin()
      const second = new CodexRollout(2, { base: place }).turn('Two.', 'Yes, two.')
      const third = new CodexRollout(3, { base: second.place }).turn('Three.', 'Yes, three.')
      const fourth = new CodexRollout(4, { base: third.place }).turn('Four.', 'Yes, four.')
      const all = [rollout, second, third, fourth].map((one) => one.save(newFolder()))
      const whole = [...INHERITED, 'Two.', 'Yes, two.', 'Three.', 'Yes, three.', 'Four.', 'Yes, four.']
      let known: string[] | undefined
      for (const order of [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [1, 3, 0, 2],
        [2, 0, 3, 1],
      ]) {
        const repo = await openRepo()
        const paths = order.map((at) => all[at] as string)
        if (how === 'in one import') await importPaths(repo, paths)
        else for (const path of paths) await importPaths(repo, [path])
        expect(await texts(repo, threadId(4))).toEqual(whole)
        const now = await oids(repo, threadId(4))
        expect(now).toEqual((known ??= now))
        expect(await fsck(repo)).toMatchObject({ findings: [], waiting: [] })
        expect(Object.keys(await refsOf(repo)).filter((name) => name.startsWith('awaited/'))).toEqual([])
      }
    },
  )

  it('may begin inside of what its base has inherited', async () => {
    const { rollout, place } = origin()
    const second = new CodexRollout(2, { base: rollout.place }).turn('Two.', 'Yes, two.')
    const third = new CodexRollout(3, { base: { ...second.place, ...place, thread_id: threadId(2) } })
    third.turn('Three.', 'Yes, three.')
    const folder = newFolder()
    for (const one of [rollout, second, third]) one.save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await texts(repo, threadId(3))).toEqual([...INHERITED, 'Three.', 'Yes, three.'])
  })

  it('finds the place by its byte where lines have no ordinals, and by ordinals that repeat', async () => {
    const { rollout, place } = origin()
    const plain = rollout.text.replaceAll(/"ordinal":\d+,/g, '')
    const lines = plain.split('\n').slice(0, place.end_ordinal_exclusive)
    const offset = Buffer.byteLength(`${lines.join('\n')}\n`)
    const folder = newFolder()
    writeFileSync(join(folder, rollout.name), plain)
    new CodexRollout(2, { base: { ...place, end_byte_offset: offset } }).turn('Two.', 'Yes.').save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await texts(repo, threadId(2))).toEqual([...INHERITED, 'Two.', 'Yes.'])

    const repeated = newFolder()
    const doubled = rollout.text.replace(/(\{[^\n]*"ordinal":1,[^\n]*\n)/, '$1$1')
    writeFileSync(join(repeated, rollout.name), doubled)
    new CodexRollout(2, { base: place }).turn('Two.', 'Yes.').save(repeated)
    const other = await openRepo()
    await importPaths(other, [repeated])
    expect(await texts(other, threadId(2))).toEqual([...INHERITED, 'Two.', 'Yes.'])
  })

  it('finds its base in a compressed file', async () => {
    const { rollout, place } = origin()
    const folder = newFolder()
    rollout.save(folder, { compressed: true })
    new CodexRollout(2, { base: place }).turn('Two.', 'Yes.').save(folder, { compressed: true })
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await texts(repo, threadId(2))).toEqual([...INHERITED, 'Two.', 'Yes.'])
  })

  it('finds its base on a branch of a session', async () => {
    const first = new CodexRollout(1).turn('Why?', 'Because.').turn('Paint it red.', 'It is red.')
    const { place } = first
    first.add('event_msg', { type: 'thread_rolled_back', num_turns: 1 }).turn('Paint it blue.', 'It is blue.')
    const folder = newFolder()
    first.save(folder)
    new CodexRollout(2, { base: place }).turn('Redder.', 'Yes.').save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await texts(repo, threadId(2))).toEqual([
      'Why?',
      'Because.',
      'Paint it red.',
      'It is red.',
      'Redder.',
      'Yes.',
    ])
    expect(await texts(repo, threadId(1))).toEqual(['Why?', 'Because.', 'Paint it blue.', 'It is blue.'])
  })

  it('finds its base in a later file of a thread, by the id of the file', async () => {
    const { rollout, place } = origin()
    const page = new CodexRollout(1, { file: 7, base: place }).turn('Another fix.', 'Done.')
    const folder = newFolder()
    new CodexRollout(3, { base: page.place }).turn('Three.', 'Yes.').save(folder)
    rollout.save(folder)
    page.save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await texts(repo, threadId(3))).toEqual([...INHERITED, 'Another fix.', 'Done.', 'Three.', 'Yes.'])
  })

  it('finds its base in a session whose content was expunged, or that was removed and imported again', async () => {
    const { rollout, place } = origin()
    const [folder, later] = [newFolder(), newFolder()]
    const path = rollout.save(folder)
    const repo = await openRepo()
    await importPaths(repo, [path])
    const [, reply] = await said(repo, threadId(1))
    await expunge(repo, { entries: [reply?.oid as string], force: true })
    const second = new CodexRollout(2, { base: place }).turn('Two.', 'Yes.').save(later)
    await importPaths(repo, [second])
    expect((await oids(repo, threadId(2))).length).toBe(5)
    await removeSessions(repo, [threadId(1)])
    expect((await oids(repo, threadId(2))).length).toBe(5)
    await gc(repo, { operations: 0, grace: 0 })
    expect((await oids(repo, threadId(2))).length).toBe(5)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('begins at its base while it has no message of its own', async () => {
    const { rollout, place } = origin()
    const folder = newFolder()
    rollout.save(folder)
    const path = new CodexRollout(2, { base: place }).save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder, path])
    expect(await texts(repo, threadId(2))).toEqual(INHERITED)
  })
})

describe('a base that is not in the store', () => {
  it('is reported by the import and by fsck, and joined when it comes, in one operation that undo takes back', async () => {
    const { rollout, place } = origin()
    const own = new CodexRollout(2, { base: place }).turn('Use a DC driver.', 'It costs 2 euros more.')
    const path = own.save(newFolder())
    const repo = await openRepo()
    const missing = { session: threadId(2), base: threadId(1), outcome: 'missing' }
    expect((await importPaths(repo, [path])).bases).toEqual([missing])
    expect(await fsck(repo)).toMatchObject({ ok: true, waiting: [missing] })
    expect(await texts(repo, threadId(2))).toEqual(FORKED.slice(2))
    await setLabel(repo, 'cheap', `${threadId(2)}~1`)
    const { session: forked } = await fork(repo, threadId(2))
    await append(repo, forked, [{ body: { role: 'user', content: 'Elsewhere.' } }])
    await append(repo, threadId(2), [{ body: { role: 'user', content: 'More.' } }])
    const refs = await refsOf(repo)

    const joined = await importPaths(repo, [rollout.save(newFolder())])
    expect(joined.bases).toEqual([{ ...missing, outcome: 'joined' }])
    expect(await texts(repo, threadId(2))).toEqual([...FORKED, 'More.'])
    expect(await texts(repo, `${threadId(2)}/cheap`)).toEqual(FORKED.slice(0, 3))
    expect(await texts(repo, forked)).toEqual([...FORKED, 'Elsewhere.'])
    expect((await said(repo, forked)).every(({ time }) => time !== null)).toBe(true)
    expect(await fsck(repo)).toMatchObject({ findings: [], waiting: [] })
    expect(await bytesOf(repo, threadId(2))).toBe(own.text)
    expect(await importPaths(repo, [path])).toMatchObject({ bases: [], totals: { newObjects: 0 } })

    await undo(repo, { any: true })
    expect(await refsOf(repo)).toEqual(refs)
    expect(await texts(repo, threadId(2))).toEqual([...FORKED.slice(2), 'More.'])
    await importPaths(repo, [rollout.save(newFolder())])
    expect(await texts(repo, threadId(2))).toEqual([...FORKED, 'More.'])
  })

  it('is joined once it has grown to the place', async () => {
    const { rollout } = origin()
    const short = new CodexRollout(1).turn('Why does it flicker?', 'The PWM is 17 Hz.')
    const own = new CodexRollout(2, { base: rollout.place }).turn('Two.', 'Yes.')
    const folder = newFolder()
    const path = short.save(folder)
    own.save(folder)
    const repo = await openRepo()
    expect((await importPaths(repo, [folder])).bases).toMatchObject([{ outcome: 'missing' }])
    writeFileSync(path, rollout.text)
    expect((await importPaths(repo, [folder])).bases).toMatchObject([{ outcome: 'joined' }])
    expect(await texts(repo, threadId(2))).toEqual([
      ...INHERITED,
      'Fix it.',
      'It is 200 Hz now.',
      'Two.',
      'Yes.',
    ])
  })

  it('is joined to several sessions that wait for it, which then share it', async () => {
    const { rollout, place } = origin()
    const folder = newFolder()
    new CodexRollout(2, { base: place }).turn('Two.', 'Yes, two.').save(folder)
    new CodexRollout(3, { base: place }).turn('Three.', 'Yes, three.').save(folder)
    const repo = await openRepo()
    await importPaths(repo, [folder])
    await importPaths(repo, [rollout.save(newFolder())])
    const all = await Promise.all([1, 2, 3].map((number) => oids(repo, threadId(number))))
    expect(new Set(all.map((path) => path.at(-3))).size).toBe(1)
    expect(await texts(repo, threadId(3))).toEqual([...INHERITED, 'Three.', 'Yes, three.'])
  })

  it.each([
    [1, 2],
    [2, 1],
  ])('is refused where it refers to the source itself', async (first, second) => {
    const place = (file: number): HistoryBase => ({
      thread_id: threadId(file),
      end_ordinal_exclusive: 4,
      end_byte_offset: 900,
    })
    const files = new Map([
      [1, new CodexRollout(1, { base: place(2) }).turn('One.', 'Yes.')],
      [2, new CodexRollout(2, { base: place(1) }).turn('Two.', 'Yes.')],
    ])
    const self = new CodexRollout(5, { base: place(5) }).turn('Five.', 'Yes.')
    const together = newFolder()
    for (const one of [...files.values(), self]) one.save(together)
    const repo = await openRepo()
    const { bases } = await importPaths(repo, [together])
    expect(bases.filter(({ outcome }) => outcome === 'joined')).toEqual([])
    expect(await texts(repo, threadId(1))).toEqual(['One.', 'Yes.'])
    expect(await texts(repo, threadId(2))).toEqual(['Two.', 'Yes.'])
    expect(await texts(repo, threadId(5))).toEqual(['Five.', 'Yes.'])
    // A place before that at which the files of the loop begin leads from one to the other.
    const early = new CodexRollout(6, { base: { ...place(1), end_ordinal_exclusive: 2 } }).turn(
      'Six.',
      'Yes.',
    )
    await importPaths(repo, [early.save(newFolder())])
    expect(await texts(repo, threadId(6))).toEqual(['Six.', 'Yes.'])
    const waiting = (await fsck(repo)).waiting.map(
      ({ session, outcome }) => `${session.slice(-1)} ${outcome}`,
    )
    expect(waiting).toEqual(['1 circle', '2 circle', '5 circle', '6 missing'])
    const other = await openRepo()
    for (const file of [first, second])
      await importPaths(other, [files.get(file)?.save(newFolder()) as string])
    expect(await texts(other, threadId(1))).toEqual(['One.', 'Yes.'])
    expect(await texts(other, threadId(2))).toEqual(['Two.', 'Yes.'])
  })

  it('keeps a session as it grows, and joins it with what it has then', async () => {
    const { rollout, place } = origin()
    const own = new CodexRollout(2, { base: place }).turn('Two.', 'Yes, two.')
    const folder = newFolder()
    const path = own.save(folder)
    const repo = await openRepo()
    await importPaths(repo, [path])
    writeFileSync(path, own.turn('Three.', 'Yes, three.').text)
    expect((await importPaths(repo, [path])).files).toMatchObject([{ session: threadId(2), newEntries: 2 }])
    await importPaths(repo, [rollout.save(newFolder())])
    writeFileSync(path, own.turn('Four.', 'Yes, four.').text)
    expect((await importPaths(repo, [path])).files).toMatchObject([{ session: threadId(2), newEntries: 2 }])
    const whole = ['Two.', 'Yes, two.', 'Three.', 'Yes, three.', 'Four.', 'Yes, four.']
    expect(await texts(repo, threadId(2))).toEqual([...INHERITED, ...whole])
    expect(
      await repo.read(async (reader) => {
        let count = 0
        for await (const { id } of allSessions(reader)) if (id !== '') count++
        return count
      }),
    ).toBe(2)
    expect(tipOf(await sessionOf(repo, threadId(2)))).toBeDefined()
  })
})

describe('a session that was imported by a reading that knew no bases', () => {
  const formats = FORMATS as ListedFormat[]
  const all = [...formats]
  afterEach(() => {
    formats.splice(0, formats.length, ...all)
  })

  it('keeps its reading until it is read again; import names it once', async () => {
    const { rollout, place } = origin()
    const own = new CodexRollout(2, { base: place }).turn('Two.', 'Yes, two.')
    const folder = newFolder()
    rollout.save(folder)
    const path = own.save(folder)
    const { base: _, ...older } = { ...codex, reading: 1 }
    formats.splice(
      0,
      formats.length,
      ...all.map((one) => (one.name === 'codex' ? { ...one, load: () => older } : one)),
    )
    const repo = await openRepo()
    await importPaths(repo, [folder])
    formats.splice(0, formats.length, ...all)
    const refs = await refsOf(repo)
    const unread = { session: threadId(2), base: threadId(1), outcome: 'unread' }
    expect(await importPaths(repo, [folder])).toMatchObject({ bases: [unread], totals: { newObjects: 0 } })
    expect(await importPaths(repo, [folder])).toMatchObject({ bases: [] })
    expect(await refsOf(repo)).toEqual(refs)
    writeFileSync(path, own.turn('Three.', 'Yes, three.').text)
    expect(await importPaths(repo, [folder])).toMatchObject({ bases: [], totals: { newEntries: 2 } })
    expect(await texts(repo, threadId(2))).toEqual(['Two.', 'Yes, two.', 'Three.', 'Yes, three.'])

    const { sessions } = await rereadSources(repo, [])
    expect(sessions.map(({ session }) => session)).toEqual([threadId(1), threadId(2)])
    expect(await texts(repo, threadId(2))).toEqual([
      ...INHERITED,
      'Two.',
      'Yes, two.',
      'Three.',
      'Yes, three.',
    ])
    expect(await importPaths(repo, [folder])).toMatchObject({ bases: [], totals: { newObjects: 0 } })
    expect((await fsck(repo)).findings).toEqual([])
  })
})

describe('a sub-agent of Claude Code that was forked', () => {
  const CALLER = 'e8e80000-0000-4000-8000-0000000000e8'
  const AGENT = 'a0000000000000f1'
  const uuid = (n: number): string => `e8e80000-0000-4000-8000-${n.toString().padStart(12, '0')}`
  const record = (n: number, type: 'user' | 'assistant', text: string, parent: number | null, more = {}) => ({
    parentUuid: parent === null ? null : uuid(parent),
    isSidechain: false,
    cwd: '/work/lamp',
    sessionId: CALLER,
    type,
    message:
      type === 'user'
        ? { role: 'user', content: text }
        : { role: 'assistant', id: `msg_${n}`, model: 'claude-opus-4-5', content: [{ type: 'text', text }] },
    uuid: uuid(n),
    timestamp: new Date(Date.UTC(2026, 8, 10, 8, n)).toISOString(),
    ...more,
  })
  const caller = [
    record(1, 'user', 'Why does it flicker?', null),
    record(2, 'assistant', 'The PWM is 17 Hz.', 1),
    record(3, 'user', 'Let a fork fix it.', 2),
    record(4, 'assistant', 'It is at work.', 3),
  ]
  const side = { isSidechain: true, agentId: AGENT }
  const reference = {
    type: 'fork-context-ref',
    agentId: AGENT,
    parentSessionId: CALLER,
    parentLastUuid: uuid(3),
    contextLength: 3,
  }
  const lines = (records: readonly object[]): string =>
    records.map((one) => `${JSON.stringify(one)}\n`).join('')

  it.each([null, 3])(
    'continues the last record that it has seen, whatever it names as its parent',
    async (parent) => {
      const folder = newFolder()
      mkdirSync(join(folder, CALLER, 'subagents'), { recursive: true })
      writeFileSync(join(folder, `${CALLER}.jsonl`), lines(caller))
      const own = [
        record(11, 'user', 'Fix it.', parent, side),
        record(12, 'assistant', 'It is 200 Hz.', 11, side),
      ]
      writeFileSync(join(folder, CALLER, 'subagents', `agent-${AGENT}.jsonl`), lines([reference, ...own]))
      const repo = await openRepo()
      const { files, grafts } = await importPaths(repo, [folder])
      expect(await texts(repo, `agent-${AGENT}`)).toEqual([
        ...INHERITED,
        'Let a fork fix it.',
        'Fix it.',
        'It is 200 Hz.',
      ])
      expect(grafts).toEqual([])
      expect(files.flatMap(({ warnings }) => warnings)).toEqual([])
      expect((await sessionOf(repo, `agent-${AGENT}`)).meta.parent).toBe(CALLER)
    },
  )

  it('continues a record of another sub-agent of that session', async () => {
    const folder = newFolder()
    const inner = 'a0000000000000f2'
    mkdirSync(join(folder, CALLER, 'subagents'), { recursive: true })
    writeFileSync(join(folder, `${CALLER}.jsonl`), lines(caller))
    const own = [
      record(11, 'user', 'Fix it.', null, side),
      record(12, 'assistant', 'It is 200 Hz.', 11, side),
    ]
    writeFileSync(join(folder, CALLER, 'subagents', `agent-${AGENT}.jsonl`), lines([reference, ...own]))
    const nested = { isSidechain: true, agentId: inner }
    const innerReference = { ...reference, agentId: inner, parentLastUuid: uuid(11) }
    writeFileSync(
      join(folder, CALLER, 'subagents', `agent-${inner}.jsonl`),
      lines([innerReference, record(21, 'user', 'Check it.', null, nested)]),
    )
    const repo = await openRepo()
    await importPaths(repo, [folder])
    await importPaths(repo, [folder])
    expect(await texts(repo, `agent-${inner}`)).toEqual([
      ...INHERITED,
      'Let a fork fix it.',
      'Fix it.',
      'Check it.',
    ])
  })
})

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildSessionContext } from '../../../src/compat/core/context.ts'
import { parseSessionEntries } from '../../../src/compat/core/migrate.ts'
import type { SessionEntry } from '../../../src/compat/core/types.ts'
import { sampleOf } from '../../../src/formats/core/sample.ts'
import { migrated, recordsIn, shapeOf, wayBetween } from '../../../src/formats/migrate/index.ts'
import type { MigrationShape } from '../../../src/formats/migrate/migration.ts'
import { piContextOf, readText } from '../pi/session.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')
const fileOf = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

function migrate(text: string, to: MigrationShape): string {
  const bytes = bytesOf(text)
  const way = wayBetween(shapeOf(sampleOf('session.jsonl', bytes, bytes.length)) as MigrationShape, to)
  return [...migrated(recordsIn(bytes).items, way as readonly MigrationShape[])].join('')
}
const records = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Returns the speakers and texts in the context of a file of pi. */
async function contextIn(text: string): Promise<unknown[]> {
  const { messages } = await piContextOf(readText(text))
  return messages.map((message) => {
    const { role, content, summary } = message as Record<string, unknown>
    return [role, summary ?? content]
  })
}

describe('the way from one shape to another', () => {
  it.each([
    ['v1', 'v4', ['v1', 'v2', 'v3', 'v4']],
    ['v1', 'uuid-tree', ['v1', 'uuid-tree']],
    ['index-tree', 'v4', ['index-tree', 'uuid-tree', 'v3', 'v4']],
    ['dash', 'v3', ['dash', 'v3']],
    ['rollouts', 'v4', ['rollouts', 'v3', 'v4']],
    ['v3', 'v3', ['v3']],
    ['v3', 'v2', undefined],
    ['v4', 'v3', undefined],
  ] as const)('from %s to %s', (from, to, way) => {
    expect(wayBetween(from, to)).toEqual(way)
  })

  it.each([
    ['pi/v1.jsonl', 'v1'],
    ['pi/v3.jsonl', 'v3'],
    ['pi/v4.jsonl', 'v4'],
    ['dash/session.jsonl', 'dash'],
    ['rollouts/session.jsonl', 'rollouts'],
    ['drafts/index-tree.jsonl', 'index-tree'],
    ['drafts/uuid-tree.jsonl', 'uuid-tree'],
    ['oh-my-pi/session.jsonl', undefined],
  ])('begins for %s at %s', (name, shape) => {
    const bytes = bytesOf(fixture(name))
    expect(shapeOf(sampleOf('session.jsonl', bytes, bytes.length))).toBe(shape)
  })

  it('G3: leaves a file alone that is there already', () => {
    expect(migrate(fixture('drafts/uuid-tree.jsonl'), 'uuid-tree')).toBe(fixture('drafts/uuid-tree.jsonl'))
  })
})

const header = { type: 'session', id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/x' }
const message = (content: string, role = 'user') => ({ type: 'message', message: { role, content } })

describe('version 1 of pi', () => {
  it('G1 G6: is chained by ids that the same file always gets; a place to keep from is an id', () => {
    const text = fileOf(header, message('a'), message('b'), {
      type: 'compaction',
      summary: 's',
      firstKeptEntryIndex: 2,
      tokensBefore: 1,
    })
    const [head, a, b, compaction] = records(migrate(text, 'v2'))
    expect(head).toEqual({ ...header, version: 2 })
    expect([a?.id, b?.id, compaction?.id].every((id) => /^[0-9a-f]{8}$/.test(id as string))).toBe(true)
    expect([a?.parentId, b?.parentId, compaction?.parentId]).toEqual([null, a?.id, b?.id])
    expect(compaction).toEqual({
      type: 'compaction',
      summary: 's',
      tokensBefore: 1,
      firstKeptEntryId: b?.id,
      id: compaction?.id,
      parentId: b?.id,
    })
    expect(migrate(text, 'v2')).toBe(migrate(text, 'v2'))
  })

  it.each([0, 9])('G1: keeps nothing from index %i: the header, or after the compaction', (index) => {
    const text = fileOf(header, message('a'), {
      type: 'compaction',
      summary: 's',
      firstKeptEntryIndex: index,
    })
    const compaction = records(migrate(text, 'v3'))[2]
    expect(compaction).not.toHaveProperty('firstKeptEntryId')
    expect(compaction).not.toHaveProperty('firstKeptEntryIndex')
  })

  it('G2: calls messages of hooks custom in version 3', () => {
    const [, hook] = records(migrate(fileOf(header, message('a', 'hookMessage')), 'v3'))
    expect(hook?.message).toEqual({ role: 'custom', content: 'a' })
  })

  it('F17 G11: takes what damaged lines hold, which have no index, and reports the lines that hold nothing', () => {
    const two = JSON.stringify(message('a')) + JSON.stringify(message('b'))
    const kept = { type: 'compaction', summary: 's', firstKeptEntryIndex: 1 }
    const text = `${fileOf(header)}${two}\n{broken\n${fileOf(message('c'), kept)}`
    const { salvaged, skipped } = recordsIn(bytesOf(text))
    expect([salvaged, skipped]).toEqual([1, [3]])
    const made = records(migrate(text, 'v3'))
    expect(made).toHaveLength(5)
    expect(made[4]?.firstKeptEntryId).toBe(made[3]?.id)
  })

  it('shares every entry with the migrated file, which has the same context', async () => {
    const text = fixture('pi/v1.jsonl')
    expect(await contextIn(migrate(text, 'v3'))).toEqual(await contextIn(text))
    expect(await contextIn(migrate(text, 'v4'))).toEqual(await contextIn(text))
  })
})

const agent = new URL('../../vendor/pi-agent-core/', import.meta.url)

interface Codec {
  readonly parseHeader: (line: string) => { ok: boolean }
  readonly parseMutation: (line: string) => { ok: boolean; value: unknown }
}

interface State {
  SessionState: new () => { applyMutation(mutation: unknown): void; getName(): string | undefined }
}

const agentOfPi = import.meta.resolve('@mariozechner/pi-coding-agent')

interface Pi {
  parseSessionEntries(text: string): object[]
  migrateSessionEntries(entries: object[]): void
  buildSessionContext(entries: object[]): unknown
}

describe('the migration of pi itself', () => {
  it('G1 G2: has the same context', async () => {
    const pi = (await import(new URL('core/session-manager.js', agentOfPi).href)) as Pi
    const record = fc.oneof(
      fc.record({
        type: fc.constant('message'),
        timestamp: fc.constant('2026-01-01T00:00:01.000Z'),
        message: fc.record({
          role: fc.constantFrom('user', 'hookMessage'),
          content: fc.string(),
          timestamp: fc.constant(1),
        }),
      }),
      fc.record({ type: fc.constant('model_change'), provider: fc.constant('p'), modelId: fc.constant('m') }),
      fc.record({
        type: fc.constant('compaction'),
        timestamp: fc.constant('2026-01-01T00:00:02.000Z'),
        summary: fc.string(),
        firstKeptEntryIndex: fc.nat(12),
        tokensBefore: fc.nat(),
      }),
    )
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (lines) => {
        const text = fileOf(header, ...lines)
        const theirs = pi.parseSessionEntries(text)
        pi.migrateSessionEntries(theirs)
        const ours = parseSessionEntries(migrate(text, 'v3'))
        expect(pi.buildSessionContext(ours.slice(1))).toEqual(pi.buildSessionContext(theirs.slice(1)))
        expect(buildSessionContext(ours.slice(1) as SessionEntry[])).toEqual(
          buildSessionContext(theirs.slice(1) as SessionEntry[]),
        )
      }),
    )
  })
})

describe('version 3 of pi', () => {
  it('G7: has its positions as lanes; names and labels are facts; what is kept is carried', () => {
    const place = (id: string, parentId: string | null) => ({
      id,
      parentId,
      timestamp: '2026-01-01T00:00:01.000Z',
    })
    const text = fileOf(
      { ...header, version: 3, parentSession: '/old.jsonl' },
      { ...message('a'), ...place('a', null) },
      { type: 'label', ...place('l', 'a'), targetId: 'a', label: 'here' },
      { ...message('b'), ...place('b', 'l') },
      { type: 'custom_message', ...place('c', 'b'), customType: 'x', content: 'told', display: true },
      { type: 'compaction', ...place('d', 'c'), summary: 's', firstKeptEntryId: 'l', tokensBefore: 7 },
      { type: 'usage', ...place('u', 'd'), kind: 'title' },
      { ...message('e'), ...place('e', 'a') },
      { type: 'session_info', ...place('i', 'u'), name: 'Tides' },
    )
    const time = 1767225601000
    const entry = (seq: number, id: string, type: string, parentId: string | null, more: object) => ({
      ...{ kind: 'entry', lane: 'main', id, type, parentId, seq, timestamp: time },
      ...more,
    })
    const custom = { role: 'custom', customType: 'x', content: 'told', display: true, timestamp: time }
    expect(records(migrate(text, 'v4'))).toEqual([
      {
        kind: 'header',
        version: 4,
        id: 's',
        createdAt: 1767225600000,
        cwd: '/x',
        legacyParentSessionPath: '/old.jsonl',
      },
      entry(1, 'a', 'message', null, { message: { role: 'user', content: 'a' } }),
      { kind: 'fact', seq: 2, fact: 'label', targetId: 'a', label: 'here' },
      entry(3, 'b', 'message', 'a', { message: { role: 'user', content: 'b' } }),
      entry(4, 'c', 'message', 'b', { message: custom }),
      entry(5, 'd', 'compaction', 'c', {
        summary: 's',
        tokensBefore: 7,
        retainedTail: [{ role: 'user', content: 'b' }, custom],
      }),
      entry(6, 'u', 'custom', 'd', { customType: 'pi.usage', data: { kind: 'title' } }),
      { kind: 'lane', seq: 7, lane: 'main', leafId: 'a' },
      entry(8, 'e', 'message', 'a', { message: { role: 'user', content: 'e' } }),
      { kind: 'fact', seq: 9, fact: 'name', name: 'Tides' },
      { kind: 'lane', seq: 10, lane: 'main', leafId: 'u' },
    ])
  })

  it('C4: carries nothing from a place that is not on the path', () => {
    const place = (id: string, parentId: string | null) => ({ id, parentId })
    const compaction = { type: 'compaction', summary: 's', firstKeptEntryId: 'b' }
    const text = fileOf(
      { ...header, version: 3 },
      { ...message('a'), ...place('a', null) },
      { ...message('b'), ...place('b', 'a') },
      { ...compaction, ...place('c', 'a') },
    )
    expect(records(migrate(text, 'v4')).at(-1)).toMatchObject({ type: 'compaction', retainedTail: [] })
  })

  it('F7: is taken by pi as version 4', async () => {
    const lines = migrate(fixture('pi/v3.jsonl'), 'v4').trimEnd().split('\n')
    const codec = (await import(new URL('session/jsonl/codec.js', agent).href)) as Codec
    const { SessionState } = (await import(new URL('session/state.js', agent).href)) as State
    const state = new SessionState()
    expect(codec.parseHeader(lines[0] as string).ok).toBe(true)
    for (const line of lines.slice(1)) {
      const mutation = codec.parseMutation(line)
      expect([line, mutation.ok]).toEqual([line, true])
      state.applyMutation(mutation.value)
    }
    expect(state.getName()).toBe('Counting files')
  })

  it('has the same context in version 4, but for edits', async () => {
    const lines = fixture('pi/v3.jsonl').split('\n')
    const text = lines.filter((line) => !line.includes('"context_edit"')).join('\n')
    expect(await contextIn(migrate(text, 'v4'))).toEqual(await contextIn(text))
  })
})

describe('drafts', () => {
  const index = fixture('drafts/index-tree.jsonl')
  const uuid = fixture('drafts/uuid-tree.jsonl')
  const v1 = fixture('pi/v1.jsonl')

  const kept = { type: 'compaction', summary: 's', firstKeptEntryIndex: 2, tokensBefore: 1 }
  const line = fileOf(header, message('a'), message('b'), kept, message('c'))

  it('G8: a line of records becomes an index tree, each below the line before', () => {
    const made = records(migrate(line, 'index-tree'))
    expect(made).toEqual(records(line).map((record, at) => ({ ...record, parent: at - 1 })))
  })

  it('G8: a line of records becomes a uuid tree with the header as root; a place becomes a uuid', () => {
    const made = records(migrate(line, 'uuid-tree'))
    expect(made[0]).toMatchObject({ version: 2, parentUuid: null })
    expect(made.slice(1).map((one) => one.parentUuid)).toEqual(made.slice(0, -1).map((one) => one.uuid))
    expect(made[3]?.firstKeptEntryUuid).toBe(made[2]?.uuid)
    expect(made[3]).not.toHaveProperty('firstKeptEntryIndex')
  })

  it('C14: have the same context in pi, where a line of records went through any of them', async () => {
    for (const draft of ['index-tree', 'uuid-tree'] as const)
      expect([draft, await contextIn(migrate(migrate(v1, draft), 'v3'))]).toEqual([
        draft,
        await contextIn(v1),
      ])
  })

  it('C14: an index tree has in pi the context of its head, its compaction keeping nothing', async () => {
    expect(await contextIn(migrate(index, 'v3'))).toEqual([
      ['compactionSummary', 'A CLI in Rust.'],
      ['user', 'Add tests'],
      ['branchSummary', 'A CLI in Rust exists.\n\nIt was shipped.'],
    ])
  })

  it('G8: a head that is not the last line is a leaf of pi where the session is', async () => {
    const back = `${index}{"type":"head","parent":4,"name":"main"}\n`
    expect((await contextIn(migrate(back, 'v3'))).length).toBe(4)
    expect(records(migrate(back, 'v3')).at(-1)).toMatchObject({ type: 'custom', customType: 'sess' })
  })

  it('C14: a uuid tree has the same context in pi, also by way of an index tree', async () => {
    const expected = [
      ['compactionSummary', 'A CLI in Rust.'],
      ['user', 'Use Rust instead'],
      ['assistant', [{ type: 'text', text: 'Creating a Rust CLI.' }]],
      ['branchSummary', 'Tests were tried.'],
      ['user', 'Ship it'],
    ]
    expect(await contextIn(migrate(uuid, 'v3'))).toEqual(expected)
    expect(await contextIn(migrate(migrate(uuid, 'index-tree'), 'v3'))).toEqual(expected)
    const ids = records(migrate(uuid, 'v3')).map(({ id }) => id)
    expect(ids).toEqual(records(uuid).map((record, at) => (at === 0 ? record.id : record.uuid)))
  })

  it('a compaction of a uuid tree that keeps nothing hangs on the header of an index tree', () => {
    const text = uuid.replace('"firstKeptEntryUuid":"m7"', '"firstKeptEntryUuid":"c1"')
    const made = records(migrate(text, 'index-tree'))
    expect(made[8]).toMatchObject({ type: 'compaction', parent: 0, summarizedPath: [1, 2, 5, 6, 7] })
    expect(made[0]).not.toHaveProperty('version')
  })
})

describe('Dash', () => {
  it('G9: has the same messages in pi; branches are labels, actions of agents custom records', () => {
    const text = fileOf(
      { type: 'session', version: 1, id: 's', timestamp: header.timestamp, cwd: '/x', name: 'Tides' },
      {
        type: 'message',
        id: 'a',
        parentId: null,
        timestamp: header.timestamp,
        role: 'user',
        content: 'Nest',
      },
      { type: 'branch_point', id: 'b', parentId: 'a', timestamp: header.timestamp, branchName: 'try' },
      {
        ...{ type: 'message', id: 'c', parentId: 'b', timestamp: header.timestamp, role: 'assistant' },
        ...{ content: 'Nested.', metadata: { model: 'm', provider: 'p', cost: 0.5 } },
      },
      { type: 'message', id: 'd', parentId: 'c', timestamp: header.timestamp, role: 'tool', content: 'ok' },
      {
        type: 'agent_action',
        id: 'e',
        parentId: 'a',
        timestamp: header.timestamp,
        action: 'spawn',
        agentId: 'x',
      },
    )
    const made = records(migrate(text, 'v3'))
    expect(made.map(({ type, parentId }) => [type, parentId])).toEqual([
      ['session', undefined],
      ['message', null],
      ['custom', 'a'],
      ['message', 'b'],
      ['message', 'c'],
      ['custom', 'a'],
      ['label', 'e'],
      ['session_info', made[6]?.id],
    ])
    expect(made[2]).toMatchObject({ customType: 'branch_point', data: { branchName: 'try' } })
    expect(made[3]).toMatchObject({
      message: { role: 'assistant', model: 'm', usage: { cost: { total: 0.5 } } },
      metadata: { model: 'm', provider: 'p', cost: 0.5 },
    })
    expect(made[4]?.message).toMatchObject({ role: 'toolResult', content: [{ type: 'text', text: 'ok' }] })
    expect(made[5]).toMatchObject({ customType: 'agent_action', data: { action: 'spawn', agentId: 'x' } })
    expect(made[6]).toMatchObject({ targetId: 'd', label: 'try' })
    expect(made[7]).toMatchObject({ name: 'Tides' })
  })

  it.each(['dash/session.jsonl', 'dash/damaged.jsonl', 'rollouts/session.jsonl', 'rollouts/branch.jsonl'])(
    'G9 G10: is read by pi without a warning: %s',
    (name) => {
      const { readings } = readText(migrate(fixture(name), 'v3'))
      expect(readings.length).toBeGreaterThan(1)
      const codes = readings.flatMap(({ warnings = [] }) => warnings.map(({ code }) => code))
      expect(codes.filter((code) => !code.startsWith('dangling'))).toEqual([])
    },
  )
})

describe('rollouts', () => {
  it('G10: is a line of messages, results with the names of their calls', () => {
    const call = { id: 'c', name: 'read', arguments: { path: 'a' } }
    const text = fileOf(
      { type: 'session', id: 's', timestamp: header.timestamp, cwd: '/x', provider: 'p', model: 'm' },
      { type: 'message', timestamp: header.timestamp, message: { role: 'user', content: 'Read a' } },
      {
        type: 'message',
        timestamp: header.timestamp,
        message: { role: 'assistant', content: [{ type: 'toolCall', ...call }] },
      },
      { type: 'config_change', timestamp: header.timestamp, endpoint: { model: 'n' } },
      {
        type: 'message',
        timestamp: header.timestamp,
        message: { role: 'tool', tool_call_id: 'c', content: 'text of a' },
      },
    )
    const made = records(migrate(text, 'v3'))
    expect(made.slice(1).map(({ parentId }) => parentId)).toEqual([
      null,
      ...made.slice(1, -1).map(({ id }) => id),
    ])
    expect(made.slice(2).map((one) => one.message ?? one.data)).toMatchObject([
      { role: 'assistant', content: [{ type: 'toolCall', ...call }] },
      { endpoint: { model: 'n' } },
      {
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'read',
        content: [{ type: 'text', text: 'text of a' }],
      },
    ])
  })
})

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { sourceLogRef } from '../../src/model/refname.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { listFormats } from '../../src/ops/formats.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import type { Imported } from '../../src/ops/import/result.ts'
import { unknownByFormat } from '../../src/ops/import/unknownofimport.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { newDatabase } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'

function write(name: string, text: string, folder = newFolder()): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Imports files, and gives for each format what is not known and the newest version. */
async function importAll(repo: Repo, ...paths: readonly string[]) {
  const files: Imported[] = []
  await importPaths(repo, paths, {
    all: false,
    onFile: (file) => {
      if ('error' in file) throw file.error
      files.push(file)
    },
  })
  return unknownByFormat(files)
}

/** The unknown names of a format in a store, with their counts. */
async function namesOf(repo: Repo, format: string) {
  const state = (await listFormats(repo, format)).find((one) => one.format === format)
  const of = (names: readonly { readonly name: string; readonly count: number }[] = []) =>
    names.map(({ name, count }) => `${name} ${count}`).sort()
  return { types: of(state?.types), fields: of(state?.fields) }
}

const claude = (more: object = {}): object => ({
  ...{ type: 'user', uuid: 'u1', parentUuid: null, sessionId: 'c1', timestamp: '2026-01-01T00:00:00.000Z' },
  ...{ cwd: '/w', version: '2.1.9', message: { role: 'user', content: 'Hi' } },
  ...more,
})

const GEMINI = { sessionId: 'g1', projectHash: 'h', startTime: '2026-01-01T00:00:00.000Z' }

const CONTAINERS: Record<
  string,
  readonly [format: string, path: () => string, types: string[], fields: string[]]
> = {
  'JSON lines': [
    'claude-code',
    () =>
      write(
        'c1.jsonl',
        lines(
          claude({ lampField: 1 }),
          { type: 'lamp-state', sessionId: 'c1', brightness: 7 },
          { type: 'lamp-state', sessionId: 'c1', brightness: 8 },
          claude({
            uuid: 'u2',
            parentUuid: 'u1',
            message: { role: 'user', lampTone: 1, content: [{ type: 'lamp', x: 1 }] },
          }),
        ),
      ),
    ['lamp-state 2', 'message.content/lamp 1'],
    ['lampField 1', 'message.lampTone 1'],
  ],
  'payloads of lines': [
    'codex',
    () =>
      write(
        'rollout-2026-01-01T00-00-00-019a0000-0000-7000-8000-000000000001.jsonl',
        lines(
          {
            timestamp: '2026-01-01T00:00:00.000Z',
            type: 'session_meta',
            payload: { id: 'x', cwd: '/w', lampBase: 1 },
          },
          { timestamp: '2026-01-01T00:00:01.000Z', type: 'lamp_line', payload: {} },
          {
            timestamp: '2026-01-01T00:00:01.000Z',
            type: 'event_msg',
            payload: { type: 'lamp_event', volts: 5 },
          },
          {
            ...{ timestamp: '2026-01-01T00:00:01.000Z', type: 'response_item' },
            payload: {
              type: 'message',
              role: 'user',
              content: [{ type: 'input_lamp', text: 'Hi', lamp: 1 }],
            },
          },
          {
            ...{ timestamp: '2026-01-01T00:00:01.000Z', type: 'event_msg' },
            payload: { type: 'item_completed', item: { type: 'LampItem' } },
          },
        ),
      ),
    ['lamp_line 1', 'payload.content/input_lamp 1', 'payload.item/LampItem 1', 'payload/lamp_event 1'],
    ['payload.lampBase 1'],
  ],
  'a JSON document': [
    'gemini-cli',
    () =>
      write(
        'session-2026-01-01T00-00-g1.json',
        JSON.stringify(
          {
            ...GEMINI,
            lampMode: 'warm',
            messages: [
              { id: 'a', type: 'user', content: 'Hi', lampId: 7 },
              { id: 'b', type: 'lamp', content: 'Ho' },
            ],
          },
          null,
          2,
        ),
      ),
    ['lamp 1'],
    ['document.lampMode 1', 'lampId 1'],
  ],
  'a log of events': [
    'gemini-cli',
    () =>
      write(
        'session-2026-01-01T00-00-g1.jsonl',
        lines(
          { ...GEMINI, kind: 'lamp' },
          { $set: { lampMode: 1 } },
          { id: 'a', type: 'user', content: 'Hi' },
          { $lamp: 1 },
        ),
      ),
    ['kind/lamp 1'],
    ['$lamp 1', '$set.lampMode 1'],
  ],
  'rows of a database': [
    'crush',
    () =>
      newDatabase(
        `CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, lamp_column TEXT, created_at INTEGER);
         CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, lamp_row INTEGER, created_at INTEGER);
         INSERT INTO sessions VALUES ('s', NULL, 'T', 'x', 1760000000);
         INSERT INTO messages VALUES ('m', 's', 'user', '[{"type":"text","data":{"text":"Hi"}},{"type":"lamp","data":{}}]', 1, 1760000000);`,
      ),
    ['row.parts/lamp 1'],
    ['row.lamp_column 1', 'row.lamp_row 1'],
  ],
  'rows that are read together': [
    'opencode',
    () =>
      newDatabase(
        `CREATE TABLE session (id TEXT, project_id TEXT, directory TEXT, title TEXT, version TEXT, lamp TEXT, time_created INTEGER);
         CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, lamp_row TEXT, data TEXT);
         CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
         INSERT INTO session VALUES ('ses_1', 'p', '/w', 'T', '1.19.2', 'x', 1760000000000);
         INSERT INTO message VALUES ('msg_1', 'ses_1', 1760000000000, 'x', '{"role":"user","lampInfo":1,"time":{"created":1760000000000}}');
         INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Hi"}');
         INSERT INTO part VALUES ('prt_2', 'msg_1', 'ses_1', '{"type":"lamp","text":"Hi"}');`,
        'opencode.db',
      ),
    ['parts/lamp 1'],
    ['info.lampInfo 1', 'row.lamp 1', 'rows.lamp_row 1'],
  ],
  'a document of messages and metadata': [
    'amp',
    () =>
      write(
        'T-0c0b1a2d-0000-4000-8000-00000000000a.json',
        JSON.stringify({
          ...{ v: 1, id: 'T-0c0b1a2d-0000-4000-8000-00000000000a', created: 1_760_000_000_000, lampEnv: 1 },
          messages: [
            {
              role: 'user',
              messageId: 0,
              content: [{ type: 'text', text: 'Hi' }, { type: 'lamp' }],
              lamp: 1,
            },
          ],
        }),
      ),
    ['content/lamp 1'],
    ['document.lampEnv 1', 'lamp 1'],
  ],
}

it.each(Object.entries(CONTAINERS))(
  'counts and names invented types and fields in %s',
  async (_, [format, path, types, fields]) => {
    const repo = await openRepo()
    const [imported] = await importAll(repo, path())
    const asText = (names: readonly (readonly [string, number])[] = []): string[] =>
      names.map(([name, count]) => `${name} ${count}`)
    expect(imported?.format).toBe(format)
    expect(asText(imported?.unknown.types)).toEqual(types)
    expect(asText(imported?.unknown.fields)).toEqual(fields)
    expect(await namesOf(repo, format)).toEqual({ types, fields })
  },
)

it('tells the newest version that wrote a session, and that it is newer than the page', async () => {
  const repo = await openRepo()
  const newest = claude({ uuid: 'u2', parentUuid: 'u1', version: '99.0.1' })
  const [imported] = await importAll(
    repo,
    write('c1.jsonl', lines(claude(), newest, claude({ uuid: 'u3', parentUuid: 'u2', lamp: 1 }))),
    write('c2.jsonl', lines(claude({ sessionId: 'c2', version: '2.1.11' }))),
  )
  expect(imported?.version).toBe('99.0.1')
  expect(await listFormats(repo, 'claude-code')).toMatchObject([
    {
      format: 'claude-code',
      seen: '99.0.1',
      newer: true,
      sessions: 2,
      fields: [{ name: 'lamp', sessions: ['c1'] }],
    },
  ])
  const [codex] = await listFormats(repo, 'codex')
  expect(codex).toMatchObject({ seen: null, newer: false, sessions: 0, types: [], fields: [] })
})

it('counts all of a file again when it has grown, and nothing when it has not', async () => {
  const repo = await openRepo()
  const path = write('c1.jsonl', lines(claude({ lamp: 1 })))
  await importAll(repo, path)
  expect(await importAll(repo, path)).toEqual([])
  appendFileSync(path, lines(claude({ uuid: 'u2', parentUuid: 'u1', lamp: 2 })))
  await importAll(repo, path)
  expect((await namesOf(repo, 'claude-code')).fields).toEqual(['lamp 2'])
})

it('leaves out what a format knows by now', async () => {
  const repo = await openRepo()
  await importAll(repo, write('c1.jsonl', lines(claude({ lamp: 1 }))))
  await repo.write({}, async ({ reader, move }) => {
    const ref = sourceLogRef('c1')
    const head = (await reader.ref(ref)) as JsonObject
    const unknown = {
      types: [['relocated', 3]],
      fields: [
        ['cwd', 2],
        ['lamp', 1],
      ],
    }
    move(ref, head, { ...head, unknown })
  })
  expect(await namesOf(repo, 'claude-code')).toEqual({ types: [], fields: ['lamp 1'] })
})

it('understands everything in the sessions of the demo', async () => {
  const repo = await openRepo()
  const demo = new URL('../demo/sessions', import.meta.url).pathname
  expect(await importAll(repo, demo)).toEqual([])
})

it('gives every byte of a file with unknown records back', async () => {
  const repo = await openRepo()
  const [, path] = CONTAINERS['JSON lines'] as (typeof CONTAINERS)[string]
  const source = path()
  await importAll(repo, source)
  const chunks: Uint8Array[] = []
  for await (const chunk of exportSession(repo, 'c1')) chunks.push(chunk)
  expect(Buffer.concat(chunks)).toEqual(readFileSync(source))
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sessionsIn } from '../../src/sources/databases.ts'
import { opencodeDatabase } from '../../src/sources/opencodedatabase.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { newFolder } from '../support/folder.ts'

const NULLS = { workspace_id: null, parent_id: null, path: null, share_url: null }
const SUMMARY = { summary_additions: null, summary_deletions: null, summary_files: null, summary_diffs: null }
const TOKENS = {
  tokens_input: 0,
  tokens_output: 0,
  tokens_reasoning: 0,
  tokens_cache_read: 0,
  tokens_cache_write: 0,
}
const NONE = { revert: null, permission: null, agent: null, model: null }

const ROW = {
  ...{ id: 'ses_1', project_id: 'global', workspace_id: null, parent_id: null, slug: 's', directory: '/a' },
  ...{
    path: null,
    title: "O'Title",
    version: '1',
    share_url: NULLS.share_url,
    ...SUMMARY,
    cost: 0.5,
    ...TOKENS,
  },
  ...{ ...NONE, time_created: 1, time_updated: 2, time_compacting: null, time_archived: null },
}

const message = (id: string, info: string, ...parts: readonly string[]): string => {
  const times = '"session_id":"ses_1","time_created":1,"time_updated":1'
  const rows = parts.map((_, n) => `{"id":"prt_${id}${n}","message_id":"msg_${id}",${times}}`)
  return `{"info":${info},"parts":[${parts.join()}],"rows":[${[`{"id":"msg_${id}",${times}}`, ...rows].join()}]}`
}

it('holds the rows that are passed, whatever their values', async () => {
  const lines = [
    JSON.stringify({ table: 'session', row: ROW }),
    message('a', '{"role":"user","n":7.5,"big":1234567890123456789e1}', '{"type":"text","text":"a\\ud800b"}'),
    message('b', '{"role":"assistant"}'),
    message('c', '{"role":"assistant"}', '{"type":"text","text":"\'; DROP TABLE part; --"}', '{"type":"x"}'),
  ]
  const text = lines.map((line) => `${line}\n`).join('')
  const bytes = new TextEncoder().encode(text)
  // oxlint-disable-next-line typescript/require-await -- chunks of any source are asynchronous
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  }
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const file: Uint8Array[] = []
  for await (const chunk of opencodeDatabase(chunks(), scratch)) file.push(chunk)
  const path = join(newFolder(), 'opencode.db')
  writeFileSync(path, Buffer.concat(file))
  const [session] = (await sessionsIn(path, scratch)) ?? []
  expect(session?.path).toBe(`${path}#ses_1`)
  const opened = await session?.open()
  expect(readFileSync(opened?.file ?? '', 'utf8')).toBe(text)
})

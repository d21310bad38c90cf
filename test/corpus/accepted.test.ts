import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { getSessionMessages } from '@anthropic-ai/claude-agent-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { field, items, type Json } from '../../src/model/json.ts'
import { CORPUS, newStore, noCorpus, SAMPLE, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const pi = import.meta.resolve('@mariozechner/pi-coding-agent')
const { parseSessionEntries, buildSessionContext } = (await import(
  new URL('core/session-manager.js', pi).href
)) as {
  parseSessionEntries: (text: string) => unknown[]
  buildSessionContext: (entries: unknown[]) => { readonly messages: readonly unknown[] }
}

let cwd: string
let sessions: string

beforeEach(() => {
  const root = newFolder()
  cwd = newFolder()
  vi.stubEnv('CLAUDE_CONFIG_DIR', root)
  sessions = join(root, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(sessions, { recursive: true })
})
afterEach(() => vi.unstubAllEnvs())

const SPOKEN: ReadonlySet<Json | undefined> = new Set(['user', 'assistant'])

interface Messages {
  /** From the last compaction on. */
  readonly said: readonly (Json | undefined)[]
  /** The entries before it that the compaction keeps. */
  readonly kept: readonly (Json | undefined)[]
}

/** Returns the messages of a written session that the agent's own reader is to find. */
function messagesIn(text: string): Messages {
  const records = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
  const compaction = records.findLastIndex((record) => field(record, 'subtype') === 'compact_boundary')
  const idsOf = (some: readonly Json[]): (Json | undefined)[] =>
    some
      .filter((record) => SPOKEN.has(field(record, 'type')))
      // The kit leaves out what no user said.
      .filter((record) => field(record, 'isMeta') !== true)
      .map((record) => field(record, 'uuid'))
  const listed = field(field(records[compaction], 'compactMetadata'), 'preservedMessages')
  const kept = new Set(items(field(listed, 'uuids')))
  return {
    said: idsOf(records.slice(compaction + 1)),
    kept: idsOf(records).filter((uuid) => uuid !== undefined && kept.has(uuid)),
  }
}

describe.skipIf(noCorpus)(`real sessions of any agent ${SKIPPED}`, { timeout: 600_000 }, () => {
  it('are read by the kit of Claude Code once they are written for it', async () => {
    const store = await newStore()
    const { files } = await store.import(
      SAMPLE.map((file) => join(CORPUS, file)),
      { all: true },
    )
    const wrong: unknown[] = []
    let messages = 0
    for (const { session, path } of files) {
      const pieces: Uint8Array[] = []
      for await (const piece of store.export(session, { format: 'claude-code' })) pieces.push(piece)
      const text = Buffer.concat(pieces).toString()
      const id = /"sessionId":"([^"]+)"/.exec(text)?.[1]
      if (id === undefined) continue
      writeFileSync(join(sessions, `${id}.jsonl`), text)
      const found = (await getSessionMessages(id, { dir: cwd })).map(({ uuid }) => uuid)
      messages += found.length
      const { said, kept } = messagesIn(text)
      const isKept = (uuid: string): boolean => kept.some((one) => one === uuid)
      const after = found.filter((uuid) => !isKept(uuid))
      const before = found.filter(isKept)
      if (JSON.stringify([before, after]) !== JSON.stringify([kept, said]))
        wrong.push([relative(CORPUS, path), before.length, kept.length, after.length, said.length])
    }
    expect(wrong).toEqual([])
    expect(messages).toBeGreaterThan(100)
  })

  it('are read by pi once they are written for it, and give the context that they give here', async () => {
    const store = await newStore()
    const { files } = await store.import(
      SAMPLE.map((file) => join(CORPUS, file)),
      { all: true },
    )
    const [wrong, counts] = [[] as unknown[], { messages: 0 }]
    for (const { session, path } of files) {
      const pieces: Uint8Array[] = []
      for await (const piece of store.export(session, { format: 'pi' })) pieces.push(piece)
      const written = join(sessions, 'pi.jsonl')
      const text = Buffer.concat(pieces).toString()
      writeFileSync(written, text)
      const found = parseSessionEntries(text)
      const theirs = buildSessionContext(found.slice(1))
      const other = await newStore()
      const [again] = (await other.import(written)).files
      if (!again?.entries) continue
      const ours = await (await other.session(again.session)).context({ format: 'pi', version: '0.73' })
      counts.messages += theirs.messages.length
      if (
        found.length !== text.trimEnd().split('\n').length ||
        JSON.stringify(ours.messages) !== JSON.stringify(theirs.messages)
      )
        wrong.push([relative(CORPUS, path), ours.messages.length, theirs.messages.length])
    }
    expect(wrong).toEqual([])
    expect(counts.messages).toBeGreaterThan(100)
  })
})

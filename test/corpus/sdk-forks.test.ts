import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forkSession, getSessionMessages } from '@anthropic-ai/claude-agent-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CORPUS, corpusBytes, corpusFiles, newStore, noCorpus, oidsOf, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const FILES = corpusFiles('claude-code', '.jsonl')

/** A file that holds a sub-agent's messages alone: the kit finds nothing in it to fork. */
const AGENT = FILES.filter((file) => /\/subagents\//.test(file))

/** A prompt that waits below the last message, beside other attachments there: the reader gives it, though it is off the path. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'claude-code/agent-sessions/small.jsonl': ['att-nested-7'],
}

let sessions: string
let cwd: string

beforeEach(() => {
  const root = newFolder()
  cwd = newFolder()
  vi.stubEnv('CLAUDE_CONFIG_DIR', root)
  sessions = join(root, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(sessions, { recursive: true })
})
afterEach(() => vi.unstubAllEnvs())

const UUID = /"sessionId":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/

/** Lays a file where the kit finds it, and gives the session's id: the kit knows sessions with a UUID only. */
function lay(file: string): string {
  const bytes = corpusBytes(file)
  const id = UUID.exec(bytes.toString())?.[1] ?? '00000000-0000-4000-8000-000000000000'
  writeFileSync(join(sessions, `${id}.jsonl`), bytes)
  return id
}

/** The uuids that stand once in a file: of those that come again the kit takes the last, and the store the first. */
function uniqueUuids(file: string): Set<string> {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const [, uuid = ''] of corpusBytes(file)
    .toString()
    .matchAll(/"uuid":"([^"]*)"/g))
    (once.has(uuid) ? again : once).add(uuid)
  return new Set([...once].filter((uuid) => !again.has(uuid)))
}

describe.skipIf(noCorpus)(`real sessions of Claude Code ${SKIPPED}`, { timeout: 180_000 }, () => {
  it.each(FILES.filter((file) => !AGENT.includes(file)))('%s shares all that the kit forks', async (file) => {
    const store = await newStore()
    const original = (await store.import(join(CORPUS, file))).files[0]
    const { sessionId } = await forkSession(lay(file), { dir: cwd })
    const fork = (await store.import(join(sessions, `${sessionId}.jsonl`))).files[0]
    expect(fork).toMatchObject({ session: sessionId, newEntries: 0 })
    const held = new Set(await oidsOf(store, original?.session ?? '', true))
    const theirs = await oidsOf(store, sessionId, true)
    expect(theirs.filter((oid) => !held.has(oid))).toEqual([])
    expect(theirs.length).toBeGreaterThan(0)
    expect(await store.mergeBase(original?.session ?? '', sessionId)).toBe(await store.resolve(sessionId))
  })

  it.each(AGENT)('%s holds nothing that the kit forks', async (file) => {
    await expect(forkSession(lay(file), { dir: cwd })).rejects.toThrow('has no messages to fork')
  })

  it.each(FILES.filter((file) => /grow-s1|fork3-compact2|b4dcf65c\.|example-claude/.test(file)))(
    '%s shares all that the kit forks up to any message',
    async (file) => {
      const store = await newStore()
      const original = (await store.import(join(CORPUS, file))).files[0]
      const held = new Set(await oidsOf(store, original?.session ?? '', true))
      const id = lay(file)
      const messages = await getSessionMessages(id, { dir: cwd })
      const step = Math.max(1, Math.floor(messages.length / 3))
      for (let i = 0; i < messages.length; i += step) {
        const upToMessageId = messages[i]?.uuid ?? ''
        const { sessionId } = await forkSession(id, { dir: cwd, upToMessageId })
        await store.import(join(sessions, `${sessionId}.jsonl`))
        const theirs = await oidsOf(store, sessionId, true)
        expect([upToMessageId, theirs.filter((oid) => !held.has(oid))]).toEqual([upToMessageId, []])
      }
    },
  )

  it.each(FILES)('%s has what the official reader gives on its path, in order', async (file) => {
    const store = await newStore()
    const { session = '' } = (await store.import(join(CORPUS, file))).files[0] ?? {}
    const path: (string | null)[] = []
    for await (const { native } of store.log(session)) path.unshift(native)
    const unique = uniqueUuids(file)
    const messages = (await getSessionMessages(lay(file), { dir: cwd })).filter(({ uuid }) =>
      unique.has(uuid),
    )
    const missed: string[] = []
    let at = -1
    for (const { uuid } of messages) {
      const next = path.indexOf(uuid, at + 1)
      if (next < 0) missed.push(uuid)
      else at = next
    }
    expect(missed).toEqual(BESIDE[file] ?? [])
  })
})

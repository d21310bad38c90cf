import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { metaRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { gc } from '../../src/ops/gc.ts'
import { log } from '../../src/ops/log.ts'
import { operations } from '../../src/ops/operations.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { getSession } from '../../src/repo/session.ts'
import { readAside } from '../../src/repo/stream.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { built, script } from '../support/built.ts'
import { openRepo } from '../support/store.ts'

const run = promisify(execFile)

const COUNT = 1500

/** Returns a store with a session of more entries than a page has. */
async function longSession(): Promise<{ repo: Repo; id: string }> {
  const repo = await openRepo()
  const id = await createSession(repo)
  const entries = Array.from({ length: COUNT }, (_, i) => ({
    body: { role: 'user', content: `message ${i}` },
  }))
  await append(repo, id, entries)
  return { repo, id }
}

const rename = (repo: Repo, id: string): Promise<unknown> =>
  run(process.execPath, [script('rename.mjs'), built(), repo.dir, id, 'renamed'])

const snapshots = (repo: Repo): string[] =>
  readdirSync(repo.dir).filter((name) => name.startsWith('snapshot.'))

describe('a stream', () => {
  it.each([
    ['log', (repo: Repo, id: string) => log(repo, id)],
    ['export', (repo: Repo, id: string) => exportSession(repo, id, { format: 'sess' })],
    ['operations', (repo: Repo) => operations(repo)],
  ])(
    'lets another process write while the consumer of %s is slow, and takes no store over',
    async (_, read) => {
      const { repo, id } = await longSession()
      const results = read(repo, id)
      await results.next()
      await rename(repo, id)
      for await (const _result of results) await Promise.resolve()
      expect(readGeneration(repo.dir)).toBe(1)
    },
  )

  it('yields the state of its beginning, whatever is written or collected between two results', async () => {
    const { repo, id } = await longSession()
    const texts: string[] = []
    for await (const { text } of log(repo, id)) {
      texts.push(text ?? '')
      if (texts.length !== 10) continue
      await append(repo, id, [{ body: { role: 'user', content: 'later' } }])
      await gc(repo, { grace: Number.POSITIVE_INFINITY, operations: 0 })
    }
    expect(texts).toEqual(Array.from({ length: COUNT }, (_, i) => `message ${COUNT - 1 - i}`))
  })

  it('removes the snapshot that it was read from', async () => {
    const { repo, id } = await longSession()
    const long = log(repo, id)
    await long.next()
    expect(snapshots(repo)).toHaveLength(1)
    await long.return(undefined)
    await expect.poll(() => snapshots(repo)).toEqual([])
  })

  it('reports each loss of an export once', async () => {
    const { repo, id } = await longSession()
    await append(repo, id, [{ type: 'custom/thing', body: { a: 1 } }])
    const losses: string[] = []
    const options = { format: 'codex', onLoss: ({ code }: { code: string }) => void losses.push(code) }
    let bytes = 0
    for await (const chunk of exportSession(repo, id, options)) bytes += chunk.length
    expect(bytes).toBeGreaterThan(0)
    expect(losses.length).toBe(new Set(losses).size)
  })
})

describe('a long read of one result', () => {
  it('begins again on a snapshot, which is removed after it', async () => {
    const { repo, id } = await talkative()
    const seen: number[] = []
    const count = await readAside(repo, async (reader) => {
      seen.push(snapshots(repo).length)
      while (seen.length === 1) await reader.ref(metaRef(id))
      await append(repo, id, [{ body: { role: 'user', content: 'later' } }])
      const { natives } = await getSession(reader, id)
      return [...natives.values()].reduce((sum, { entries }) => sum + entries, 0)
    })
    expect({ seen, count }).toEqual({ seen: [0, 1], count: 1 })
    await expect.poll(() => snapshots(repo)).toEqual([])
  })
})

/** Returns a store with a session of one entry. */
async function talkative(): Promise<{ repo: Repo; id: string }> {
  const repo = await openRepo()
  const id = await createSession(repo)
  await append(repo, id, [{ body: { role: 'user', content: 'first' } }])
  return { repo, id }
}

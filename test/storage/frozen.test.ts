import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sha256Oid } from '../../src/model/hash.ts'
import type { Oid } from '../../src/model/oid.ts'
import { append } from '../../src/ops/append.ts'
import { exportSession } from '../../src/ops/export.ts'
import { fsck } from '../../src/ops/fsck.ts'
import { gc } from '../../src/ops/gc.ts'
import { log } from '../../src/ops/log.ts'
import { search } from '../../src/ops/search.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions } from '../../src/repo/session.ts'
import { readIdentity, STORE_FORMAT } from '../../src/storage/folder/folder.ts'
import { tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'

const STORES = fileURLToPath(new URL('../vectors/stores/', import.meta.url))

/** What a store must say for ever. */
interface Told {
  readonly sessions: Readonly<Record<string, unknown>>
  readonly operation: { readonly number: number; readonly id: string | undefined }
  readonly entries: number
  readonly found: number
}

async function toldOf(repo: Repo): Promise<Told> {
  const ids = await repo.read(async (backend) => {
    const found = new Map<string, { readonly refs: object; readonly isImported: boolean }>()
    for await (const { id, branches, labels, head, source } of allSessions(backend)) {
      const refs = { branches: Object.fromEntries(branches), labels: Object.fromEntries(labels), head }
      found.set(id, { refs, isImported: source !== undefined })
    }
    return found
  })
  const sessions: Record<string, unknown> = {}
  for (const [id, { refs, isImported }] of ids) {
    const pieces: Uint8Array[] = []
    // What was read comes back byte for byte; how other sessions are written may change.
    if (isImported) for await (const piece of exportSession(repo, id)) pieces.push(piece)
    const path: Oid[] = []
    for await (const { oid } of log(repo, id)) path.push(oid)
    sessions[id] = {
      ...refs,
      bytes: sha256Oid(Buffer.concat(pieces)),
      path: sha256Oid(Buffer.from(path.join())),
    }
  }
  const { hits } = await search(repo, 'frozen', { limit: 1000 })
  return repo.read(async (backend) => {
    const number = await backend.lastOperation()
    return {
      sessions,
      operation: { number, id: (await backend.operation(number))?.id },
      entries: (await backend.sizes()).entries,
      found: hits.length,
    }
  })
}

describe('class 17: a store that was made', () => {
  for (const name of readdirSync(STORES))
    it(`under ${name} opens, says what it said, and goes on`, async () => {
      const dir = join(newFolder(), 'store')
      cpSync(join(STORES, name, 'store'), dir, { recursive: true })
      const repo = await openRepo(dir)
      expect((await fsck(repo)).findings).toEqual([])
      const told = await toldOf(repo)
      expect(told).toEqual(JSON.parse(readFileSync(join(STORES, name, 'told.json'), 'utf8')))
      for (const id of Object.keys(told.sessions))
        await append(repo, id, [{ body: { role: 'user', content: `${id} goes on` } }])
      // No version before it may take it for one that has said nothing since.
      expect(readIdentity(dir)?.format).toBe(STORE_FORMAT)
      await gc(repo, { grace: 0, operations: 0 })
      await repo.close()
      const again = await openRepo(dir)
      expect((await fsck(again)).findings).toEqual([])
      expect((await toldOf(again)).entries).toBe(told.entries + Object.keys(told.sessions).length)
      tally(17, 'a store of each format opened, appended to, collected', 1)
    })
})

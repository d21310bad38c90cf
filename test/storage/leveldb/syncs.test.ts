import fs, { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Level } from 'level'
import { afterAll, expect, it, vi } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { cherryPick } from '../../../src/ops/cherrypick.ts'
import { compact } from '../../../src/ops/compact.ts'
import { edit } from '../../../src/ops/edit.ts'
import { fork } from '../../../src/ops/fork.ts'
import { gc } from '../../../src/ops/gc.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { listSessions } from '../../../src/ops/list.ts'
import { merge } from '../../../src/ops/merge.ts'
import { restore } from '../../../src/ops/operations.ts'
import { pop } from '../../../src/ops/pop.ts'
import { rebase } from '../../../src/ops/rebase.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { renameSession } from '../../../src/ops/rename.ts'
import { rereadSources } from '../../../src/ops/reread/reread.ts'
import { expunge } from '../../../src/ops/secrets/expunge.ts'
import { setPairs } from '../../../src/ops/setkeys.ts'
import { switchTo } from '../../../src/ops/switch.ts'
import { redo, undo } from '../../../src/ops/undo.ts'
import { backUp } from '../../../src/repo/backup.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { LevelAdapter } from '../../../src/storage/leveldb/exclusivelevel.ts'
import { tally } from '../../support/faults.ts'
import { newFolder } from '../../support/folder.ts'
import { GITHUB } from '../../support/secrets.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

type BatchOf = Parameters<LevelAdapter['batch']>

/** Counts what is made durable: by LevelDB, whose writes say so, and other files. */
const synced = { batches: 0, files: 0 }
const { fsyncSync } = fs
const { batch } = LevelAdapter.prototype as {
  readonly batch: (this: LevelAdapter, ...args: BatchOf) => Promise<void>
}
fs.fsyncSync = (file) => {
  synced.files++
  fsyncSync(file)
}
syncBuiltinESMExports()
Object.assign(LevelAdapter.prototype, {
  batch(this: LevelAdapter, ...args: BatchOf): Promise<void> {
    if (args[1].sync) synced.batches++
    return Reflect.apply(batch, this, args)
  },
})
/** A database that is made anew is written to by lists. */
const { batch: list } = Level.prototype as unknown as {
  readonly batch: (...args: readonly unknown[]) => unknown
}
Object.assign(Level.prototype, {
  batch(this: unknown, ...args: readonly unknown[]): unknown {
    if ((args[1] as { readonly sync?: boolean } | undefined)?.sync) synced.batches++
    return Reflect.apply(list, this, args)
  },
})
// Nothing is let go nor tidied up but where time is let go on: else that would be counted with whichever command is slow.
vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
afterAll(() => {
  vi.useRealTimers()
  Object.assign(Level.prototype, { batch: list })
  fs.fsyncSync = fsyncSync
  syncBuiltinESMExports()
  Object.assign(LevelAdapter.prototype, { batch })
})

it('class 14: each command makes durable what it acknowledges, with as few syncs as that takes', async () => {
  const counts: Record<string, string> = {}
  const count = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    Object.assign(synced, { batches: 0, files: 0 })
    const result = await work()
    counts[name] = `${synced.batches} ${synced.files}`
    return result
  }
  const says = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ body: { role: 'user', content: `${n} ${i}` } }))
  let repo = await count('a new store', async () => openRepo())
  const again = async (): Promise<Repo> => {
    await repo.close()
    repo = await openRepo(repo.dir)
    return repo
  }
  const id = await count('a session', () => createSession(repo))
  await count('an append', () => append(repo, id, says(1)))
  await count('16 appends at once', () =>
    Promise.all(Array.from({ length: 16 }, () => append(repo, id, says(1)))),
  )
  await count('an append and a moment of rest', async () => {
    await append(repo, id, says(1))
    await vi.advanceTimersByTimeAsync(100)
  })
  await count('an append of 300 entries', () => append(repo, id, says(300)))
  await count('a branch', () => createBranch(repo, id, 'side'))
  await count('an undo', () => undo(repo, { any: true }))
  const file = join(newFolder(), 'chat.jsonl')
  writeFileSync(file, claudeLines('chat', asked('a', null), answered('b', 'a')).join(''))
  await count('an import', () => importPaths(repo, [file]))
  await count('an import of what is unchanged', () => importPaths(repo, [file]))
  await count('a fork', () => fork(repo, id))
  await count('a label', () => setLabel(repo, 'here', id))
  await count('a compaction', () => compact(repo, id, { keepTokens: 10, summary: 'what was said' }))
  await count('a pop', () => pop(repo, `${id}~1`, { session: id }))
  await count('a switch', () => switchTo(repo, `${id}/main`))
  await createBranch(repo, id, 'aside')
  const [oid] = await append(repo, id, says(2), { branch: 'aside' })
  await append(repo, id, says(3))
  await count('a cherry-pick', () => cherryPick(repo, [oid as Oid], { onto: `${id}/main` }))
  await count('a rebase', () => rebase(repo, `${id}/main`, { branch: `${id}/aside` }))
  await append(repo, id, says(4))
  await count('a merge', () => merge(repo, `${id}/aside`, { into: `${id}/main` }))
  const dropped = await append(repo, id, says(1))
  await append(repo, id, says(5))
  await count('an edit', () => edit(repo, `${id}~6`, [{ verb: 'drop', oid: dropped[0] as Oid }]))
  await count('a title', () => renameSession(repo, id, 'another'))
  await count('a setting of a session', () => setPairs(repo, id, { key: 'value' }))
  await count('a redo', async () => {
    await undo(repo, { any: true })
    Object.assign(synced, { batches: 0, files: 0 })
    await redo(repo)
  })
  await count('an import that reads anew, the same', () => rereadSources(repo, ['chat']))
  await count('a restore', async () =>
    restore(repo, `${await repo.read(async (reader) => (await reader.operationLog()).latest)}`),
  )
  await count('a removal', async () => removeSessions(repo, ['chat']))
  await count('a collection of garbage', () => gc(repo, { grace: Infinity, operations: Infinity }))
  const aside = join(newFolder(), 'backup')
  await count('a backup', () => backUp(repo.dir, aside, repo.env))
  await count('a backup of what is unchanged', () => backUp(repo.dir, aside, repo.env))
  await append(repo, id, says(1))
  await count('a backup brought up to date', () => backUp(repo.dir, aside, repo.env))
  await append(repo, id, [{ body: { role: 'user', content: `Use ${GITHUB}` } }])
  await count('an expunge', () => expunge(repo, { secrets: [GITHUB] }))
  await again()
  await count('a list', () => listSessions(repo))
  expect(counts).toMatchInlineSnapshot(`
    {
      "16 appends at once": "1 0",
      "a backup": "0 13",
      "a backup brought up to date": "0 10",
      "a backup of what is unchanged": "0 9",
      "a branch": "1 0",
      "a cherry-pick": "2 0",
      "a collection of garbage": "4 7",
      "a compaction": "1 0",
      "a fork": "1 0",
      "a label": "1 0",
      "a list": "0 0",
      "a merge": "2 0",
      "a new store": "1 4",
      "a pop": "1 0",
      "a rebase": "1 0",
      "a redo": "1 0",
      "a removal": "1 0",
      "a restore": "1 0",
      "a session": "1 0",
      "a setting of a session": "1 0",
      "a switch": "1 0",
      "a title": "1 0",
      "an append": "1 2",
      "an append and a moment of rest": "1 0",
      "an append of 300 entries": "2 0",
      "an edit": "2 0",
      "an expunge": "8 7",
      "an import": "2 0",
      "an import of what is unchanged": "1 0",
      "an import that reads anew, the same": "1 0",
      "an undo": "1 0",
    }
  `)
  tally(14, 'commands whose syncs were counted', Object.keys(counts).length)
})

import { expect, it } from 'vitest'
import { hasCode } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import {
  branchRef,
  expungedSecretRef,
  headRef,
  labelRef,
  metaRef,
  type RefName,
} from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { gc } from '../../../src/ops/gc.ts'
import { listRefs } from '../../../src/ops/listrefs.ts'
import { log } from '../../../src/ops/log.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { listedIn } from '../../../src/repo/sessionlist.ts'
import { openRepo } from '../../support/store.ts'

const drain = async (all: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of all) continue
}

/** What commands do with a store. */
const COMMANDS: readonly ((repo: Repo, id: string) => Promise<unknown>)[] = [
  (repo) => repo.read((reader) => listedIn(reader, ['id'])),
  (repo, id) => drain(log(repo, id)),
  (repo) => drain(listRefs(repo)),
  (repo, id) => append(repo, id, [{ body: { role: 'user', content: 'more' } }]),
  (repo) => gc(repo, { operations: 0, grace: 0 }),
  (repo) => undo(repo, { any: true }),
]

it.each<readonly [string, (id: string) => RefName, Json]>([
  ['a label', (id) => labelRef(id, 'x'), {}],
  ['a branch', (id) => branchRef(id, 'main'), 5],
  ['a HEAD', headRef, []],
  ['metadata', metaRef, 5],
  ['the name of no session', () => 'sessions/%/meta' as RefName, { format: 'sess' }],
  ['a tombstone', () => expungedSecretRef('01234567'), { why: 5 }],
])('a malformed ref, %s, is a corrupt store to each command, and repaired', async (_, nameOf, value) => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const [said] = await append(repo, id, [{ body: { role: 'user', content: 'said' } }])
  const name = nameOf(id)
  const before = await repo.read((reader) => reader.ref(name))
  await repo.write({}, ({ move }) => move(name, before, value))
  for (const command of COMMANDS) {
    const error: unknown = await command(repo, id).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (error !== undefined)
      expect([hasCode(error, 'corrupt') || hasCode(error, 'no-session'), error]).toEqual([true, error])
    await repo.write({ repairs: true }, async ({ reader, move }) => {
      const now = await reader.ref(name)
      if (JSON.stringify(now) !== JSON.stringify(value)) move(name, now, value)
    })
  }
  expect((await fsck(repo)).findings).toContainEqual(expect.objectContaining({ code: 'ref', subject: name }))
  await repo.close()
  const { done } = await repairStore(repo.dir, { env: repo.env, command: 'sess fsck --repair' })
  const moved: readonly unknown[] = done?.refs ?? []
  expect(moved).toContainEqual(expect.objectContaining({ name, old: value as unknown }))
  expect(done?.after.findings).toEqual([])
  const again = await openRepo(repo.dir)
  expect(await again.read((reader) => reader.find(said!))).toBeDefined()
  const after = await again.read(async (reader) => JSON.stringify((await reader.ref(name)) ?? null))
  expect(after).not.toBe(JSON.stringify(value))
})

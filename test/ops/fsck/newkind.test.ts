import { expect, it, vi } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { RefName } from '../../../src/model/refname.ts'
import type * as kinds from '../../../src/model/refs/kinds.ts'
import { referencesOf } from '../../../src/model/refs/table.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { gc } from '../../../src/ops/gc.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { expunge } from '../../../src/ops/secrets/expunge.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { openRepo } from '../../support/store.ts'

vi.hoisted(() => vi.resetModules())

// A kind that no version has, with references in fields of other names than those of the other kinds.
vi.mock('../../../src/model/refs/kinds.ts', async (original) => {
  const { REF_KINDS } = await original<typeof kinds>()
  const { blobs, object, oid, prefix } = await import('../../../src/model/refs/schema.ts')
  const value = object({ crown: oid, bough: prefix, sap: blobs })
  const kind = { kind: 'trees', pattern: 'trees/*', value, isLogHead: false, undo: 'always', travels: false }
  return { REF_KINDS: [...REF_KINDS, kind] }
})

const TREE = 'trees/x' as RefName
const SECRET = 'sk-0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFG'
const NO_LIMITS = { operations: Number.MAX_SAFE_INTEGER, grace: Number.MAX_SAFE_INTEGER }

/** A store in which only a ref of the new kind names an entry, a log and a blob. */
async function planted(): Promise<{
  repo: Repo
  value: { crown: Oid; bough: [string, number]; sap: string[] }
}> {
  const repo = await openRepo()
  const id = await createSession(repo)
  const [crown] = await append(repo, id, [{ body: { role: 'user', content: 'said once' } }])
  const value = await repo.write({}, async ({ reader, writer, move }) => {
    const log = writer.newLog()
    const entry = await reader.find(crown as Oid)
    writer.appendRecord(log, 0, { entry, tip: entry, lead: new Uint8Array(0), content: { raw: [] } })
    const sap = [Buffer.from(`first ${SECRET.slice(0, 9)}`), Buffer.from(`${SECRET.slice(9)} last`)]
    const held = {
      crown: crown as Oid,
      bough: [log, 1] as [string, number],
      sap: sap.map((one) => writer.putBlob(one)),
    }
    move(TREE, undefined, held)
    return held
  })
  await removeSessions(repo, [id])
  return { repo, value }
}

it('a new kind of refs keeps what it names in gc', async () => {
  const { repo, value } = await planted()
  await gc(repo, NO_LIMITS)
  await repo.read(async (reader) => {
    expect(await reader.ref(TREE)).toEqual(value)
    expect(await reader.find(value.crown)).toBeDefined()
    expect(await reader.logLength(value.bough[0] as never)).toBe(1)
    for (const blob of value.sap) expect((await reader.readBlob(blob as never)).length).toBeGreaterThan(0)
  })
  expect((await fsck(repo)).findings).toEqual([])
})

it('a new kind of refs is seen by fsck: each thing that it names and the store lacks, and another form', async () => {
  const { repo, value } = await planted()
  const gone = { crown: 'e'.repeat(64), bough: [value.bough[0], 7], sap: ['d'.repeat(64)] }
  await repo.write({}, ({ move }) => move(TREE, value, gone))
  const { findings } = await fsck(repo)
  expect(findings.map(({ subject, message }) => [subject, message])).toEqual([
    [TREE, `the entry ${'e'.repeat(64)} that it names is missing`],
    [TREE, `a part of the log ${value.bough[0]} that it names is missing`],
    [TREE, `the blob ${'d'.repeat(64)} that it names is missing`],
  ])
  await repo.write({}, ({ move }) => move(TREE, gone, { crown: 5 }))
  expect((await fsck(repo)).findings).toMatchObject([{ code: 'ref', subject: TREE }])
})

it('a new kind of refs loses a secret in its blobs, and names those that take their place', async () => {
  const { repo, value } = await planted()
  await expunge(repo, { secrets: [SECRET], why: 'test' })
  const [texts, blobs] = await repo.read(async (reader) => {
    const named = [...referencesOf(TREE, await reader.ref(TREE)).blobs]
    const found: string[] = []
    for (const blob of named) found.push(Buffer.from(await reader.readBlob(blob)).toString())
    return [found.join(''), named] as const
  })
  expect(blobs).not.toEqual(value.sap)
  expect(texts).toMatch(/^first \[expunged:[0-9a-f]{8}\] last$/)
  expect((await fsck(repo)).findings).toEqual([])
})

it('a new kind of refs moves back with undo', async () => {
  const { repo, value } = await planted()
  await repo.write({ actor: 'person' }, ({ move }) => move(TREE, value, undefined))
  await undo(repo)
  expect(await repo.read((reader) => reader.ref(TREE))).toEqual(value)
})

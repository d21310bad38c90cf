import { cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { kindOf, referencesOf } from '../../src/model/refs/table.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { Recovery } from '../../src/ops/fsck/recover.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { stateDigest } from '../../src/repo/listedsession.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions } from '../../src/repo/session.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

/** Copies what travels of a store into another one: entries, logs and blobs under their own names, then the refs. */
const copyAll = (there: Repo, here: Repo): Promise<void> =>
  there.read((other) =>
    here.write({}, async ({ reader, writer, move }) => {
      const recovery = new Recovery(reader, other, writer)
      for await (const [name, value] of other.refs('sessions/')) {
        const { oids, logs, blobs } = referencesOf(name, value)
        for (const oid of oids) await recovery.entry(oid)
        for (const [log, count] of logs) expect(await recovery.prefix(log, count)).toBe(log)
        for (const blob of blobs) await recovery.blob(blob)
        if (kindOf(name)?.travels) move(name, undefined, value)
      }
    }),
  )

const statesOf = (repo: Repo): Promise<Record<string, string>> =>
  repo.read(async (reader) => {
    const states: Record<string, string> = {}
    for await (const session of allSessions(reader)) states[session.id] = stateDigest(session)
    return states
  })

it('two stores with the same logs and branches have the same state digest, whichever of them appended', async () => {
  const [one, other] = [await openRepo(), await openRepo()]
  const id = await createSession(one)
  await append(one, id, [{ body: { role: 'user', content: 'said in one' } }])
  await copyAll(one, other)
  expect(await statesOf(other)).toEqual(await statesOf(one))
  await append(other, id, [{ body: { role: 'user', content: 'said in the other' } }])
  expect(await statesOf(other)).not.toEqual(await statesOf(one))
  const third = await openRepo()
  await copyAll(other, third)
  expect(await statesOf(third)).toEqual(await statesOf(other))
})

it('a source and its sidecar files with another inode and time change no state', async () => {
  const [folder, moved] = [newFolder(), newFolder()]
  mkdirSync(join(folder, 's1', 'tool-results'), { recursive: true })
  writeFileSync(join(folder, 's1.jsonl'), claudeLines('s1', asked('u1', null), answered('a1', 'u1')).join(''))
  const sidecar = join('s1', 'tool-results', 'x.txt')
  writeFileSync(join(folder, sidecar), 'the whole result')
  const one = await openRepo()
  await importPaths(one, [join(folder, 's1.jsonl')])
  const before = await one.read(async (reader) => [
    await statesOf(one),
    (await reader.operationLog()).latest,
    await reader.ref('sessions/s1/files/s1%2Ftool-results%2Fx.txt' as never),
  ])
  cpSync(join(folder, sidecar), join(moved, 'x.txt'))
  cpSync(join(moved, 'x.txt'), join(folder, sidecar), { force: true })
  utimesSync(join(folder, sidecar), 5, 5)
  await importPaths(one, [join(folder, 's1.jsonl')])
  expect(await statesOf(one)).toEqual(before[0])
})

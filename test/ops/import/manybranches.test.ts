import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sourceLogRef } from '../../../src/model/refname.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { gc } from '../../../src/ops/gc.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { undo } from '../../../src/ops/undo.ts'
import { findRef } from '../../../src/repo/findref.ts'
import { importedBranches } from '../../../src/repo/importedbranches.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession, MOST_BRANCHES } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { asked, claudeLines } from '../../support/transcripts.ts'

const ID = '00000000-0000-4000-8000-000000000001'

/** Writes a transcript in which so many prompts follow the first one, each as an attempt of its own. */
function writeTranscript(attempts: number): string {
  const path = join(newFolder(), `${ID}.jsonl`)
  const others = Array.from({ length: attempts }, (_, i) => asked(`u${i}`, 'root'))
  writeFileSync(path, claudeLines(ID, asked('root', null), ...others).join(''))
  return path
}

/** Returns the branches of the session, and those that the head of its source says were imported. */
const branchesIn = (repo: Repo) =>
  repo.read(async (reader) => {
    const head = await findRef(reader, sourceLogRef(ID))
    if (!head) throw new Error('it has no source')
    return {
      head,
      branches: Object.fromEntries((await getSession(reader, ID)).branches),
      imported: await importedBranches(reader, head),
    }
  })

it('very many branches are kept beside the head of their source, and are there after each change', async () => {
  const path = writeTranscript(MOST_BRANCHES + 10)
  const repo = await openRepo()
  await importPaths(repo, [path])
  const first = await branchesIn(repo)
  expect(Object.keys(first.branches)).toHaveLength(MOST_BRANCHES + 10)
  expect(first.imported).toEqual(first.branches)
  expect(Object.keys(first.head.branches)).toEqual(['main'])
  expect(first.head.numbered).toHaveLength(1)

  appendFileSync(path, claudeLines(ID, asked('more', 'u3'), asked('next', 'root')).join(''))
  await importPaths(repo, [path])
  const grown = await branchesIn(repo)
  const fresh = await openRepo()
  await importPaths(fresh, [path])
  expect(grown.branches).toEqual((await branchesIn(fresh)).branches)
  expect(grown.imported).toEqual(grown.branches)

  await gc(repo, { grace: 0, operations: 1000 })
  expect((await branchesIn(repo)).imported).toEqual(grown.branches)
  const { latest } = await repo.read((reader) => reader.operationLog())
  await undo(repo, { operation: `${latest}` })
  const undone = await branchesIn(repo)
  expect([undone.branches, undone.imported]).toEqual([first.branches, first.imported])
  expect((await fsck(repo)).findings).toEqual([])
})

it('few branches stay in the head of their source', async () => {
  const repo = await openRepo()
  await importPaths(repo, [writeTranscript(3)])
  const { head, branches } = await branchesIn(repo)
  expect(head.branches).toEqual(branches)
  expect(head).not.toHaveProperty('numbered')
})

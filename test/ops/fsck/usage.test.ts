import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { LogTotals } from '../../../src/model/logtotals.ts'
import { sourceLogRef } from '../../../src/model/refname.ts'
import type { Spending } from '../../../src/model/spending.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { usageBy } from '../../../src/ops/stats.ts'
import { getSession, refValue, type SourceHead } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { answers } from '../../support/spending.ts'
import { openRepo } from '../../support/store.ts'

it('finds kept usage that its records do not have, and a repair counts it again', async () => {
  const repo = await openRepo()
  const file = join(newFolder(), 's1.jsonl')
  writeFileSync(file, answers('s1', ['claude-opus-4-5', 'claude-haiku-4-5']).join(''))
  await importPaths(repo, [file])
  const right = await usageBy(repo, 'model')
  expect((await fsck(repo)).findings).toEqual([])
  const { source } = await repo.read((reader) => getSession(reader, 's1'))
  const { summary, ...head } = source as SourceHead
  const { spending } = summary as LogTotals
  const { models, rows } = spending as Spending
  const wrong = { ...summary, spending: { models, rows: rows.slice(1) } }
  await repo.write({ plain: true }, ({ move }) =>
    move(
      sourceLogRef('s1'),
      refValue({ ...head, summary } as SourceHead),
      refValue({ ...head, summary: wrong }),
    ),
  )
  expect((await usageBy(repo, 'model')).total.calls).toBe(right.total.calls - 1)
  const { ok, findings } = await fsck(repo)
  expect([ok, findings.map(({ code, subject, message }) => `${code} ${subject}: ${message}`)]).toEqual([
    false,
    ['index s1: the usage that is kept with its logs is not that of its records'],
  ])
  await repo.close()
  const { done } = await repairStore(repo.dir, { env: repo.env, command: 'fsck --repair' })
  expect(done?.after.findings).toEqual([])
  const repaired = await openRepo(repo.dir)
  expect(await usageBy(repaired, 'model')).toEqual(right)
})

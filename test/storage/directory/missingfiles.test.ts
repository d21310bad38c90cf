import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { answersOf, wrongOf } from '../../support/answers.ts'
import { answeringStore, DAMAGE_ANSWERS, isInDatabase, storeFiles } from '../../support/damagedstore.ts'
import { tally } from '../../support/faults.ts'
import { copyOf } from '../../support/smallstore.ts'

describe('class 5: files beside the database that rot', () => {
  it('cost nothing but themselves where they are gone, and the store says what it lacks', async () => {
    const store = await answeringStore()
    const outcomes: Record<string, unknown> = {}
    for (const file of ['generation', 'holder.json', 'refs.journal', 'sess.json', 'tables']) {
      const copy = copyOf(store.dir)
      rmSync(join(copy, file))
      const got = await answersOf(copy, store.sessions)
      outcomes[file] = JSON.stringify(got) === JSON.stringify(store.right) ? 'right' : got.ls
    }
    expect(outcomes).toEqual({
      generation: '!corrupt',
      'holder.json': 'right',
      'refs.journal': 'right',
      'sess.json': '!corrupt',
      tables: 'right',
    })
    tally(5, 'files beside the database removed', 5)
  })
})

describe('class 6: what is missing', () => {
  it('each file of the database in turn, CURRENT among them, makes no store empty', async () => {
    const store = await answeringStore()
    const outcomes: Record<string, unknown> = {}
    for (const file of storeFiles(store.dir).filter(isInDatabase)) {
      const copy = copyOf(store.dir)
      rmSync(join(copy, file))
      const got = await answersOf(copy, store.sessions)
      expect(wrongOf(got, store.right, DAMAGE_ANSWERS)).toEqual([])
      outcomes[file.replace(/\d{6}/, 'N')] = got.ls === store.right.ls ? 'right' : got.ls
      if (got.ls !== store.right.ls) {
        const repo = await Repo.open(copy, { tolerant: true })
        const { ok } = await fsck(repo).catch(() => ({ ok: false }))
        expect(ok).toBe(false)
        await repo.close()
      }
    }
    expect(outcomes).toEqual({
      'db.1/CURRENT': '!corrupt',
      'db.1/LOG': 'right',
      'db.1/LOG.old': 'right',
      'db.1/MANIFEST-N': '!corrupt',
      'db.1/N.ldb': '!corrupt',
      'db.1/N.log': '!corrupt',
    })
    tally(6, 'files of the database removed', Object.keys(outcomes).length)
  })
})

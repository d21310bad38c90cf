import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lookAt } from '../../src/live/notedfiles.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { importNoted } from '../../src/ops/importnoted.ts'
import { sessionInfo } from '../../src/ops/list.ts'
import type { FoundFile } from '../../src/sources/files.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

const SESSION = '5a0b1c2d-0000-4000-8000-000000000001'

describe('files that an agent was said to have written', () => {
  it('need no database where they were imported a moment ago, and are imported once they grow', async () => {
    const path = join(newFolder(), `${SESSION}.jsonl`)
    const [first = '', second = ''] = claudeLines(SESSION, asked('q', null), answered('a', 'q'))
    writeFileSync(path, first)
    const holding = await openRepo()
    await importPaths(holding, [path])
    const repo = await openRepo(holding.dir, { lockTimeout: 20 })
    const seen = (): readonly FoundFile[] => [lookAt(path) as FoundFile]
    await holding.write({}, async () => {
      expect((await importNoted(repo, seen())).sessions).toEqual([
        expect.objectContaining({ path, session: SESSION, branch: 'main' }),
      ])
      appendFileSync(path, second)
      await expectFailure('busy', () => importNoted(repo, seen()))
    })
    const patient = await openRepo(holding.dir, { lockTimeout: 20_000 })
    await importNoted(patient, seen())
    expect((await sessionInfo(patient, SESSION)).entries).toBe(2)
  })
})

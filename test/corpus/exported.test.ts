import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SessError } from '../../src/model/errors.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { CORPUS, noCorpus, SAMPLE, SKIPPED } from '../support/corpus.ts'
import { isGivenBack, pathOf, sendAway, sessionsIn, takeBack } from '../support/exchanged.ts'
import { AGENTS, goOn } from '../support/goingon.ts'
import { openRepo } from '../support/store.ts'

/** A position before the first entry has no path to continue. */
function noneBeforeFirst(error: unknown): string[] {
  if (!(error instanceof SessError) || error.code !== 'before-first') throw error
  return []
}

describe.skipIf(noCorpus)(`real sessions ${SKIPPED}`, { timeout: 600_000 }, () => {
  it.each(AGENTS)('that were written for %s go on when they come back', async (format) => {
    const repo = await openRepo()
    const files = SAMPLE.map((file) => join(CORPUS, file))
    const imported = await importPaths(repo, files)
    const count = await sessionsIn(repo)
    const wrong: unknown[] = []
    const silent: unknown[] = []
    let tried = 0
    for (const { session, path, entries } of imported.files) {
      const before = entries === 0 ? [] : await pathOf(repo, session).catch(noneBeforeFirst)
      if (before.length === 0) continue
      const away = await sendAway(repo, session, format)
      if (!away.remembered) {
        // It is written as nothing: that format cannot express any of it.
        const read = (await importPaths(await openRepo(), [away.path])).files[0]
        if (read && read.entries > 0) silent.push([relative(CORPUS, path), read.entries])
        continue
      }
      const same = await takeBack(repo, away)
      goOn(away.path, format)
      const more = await takeBack(repo, away)
      const after = await pathOf(repo, session)
      tried++
      const found = [
        [same?.session, same?.newEntries, more?.session, more?.newEntries, after.length],
        after.slice(4),
        await isGivenBack(repo, away),
      ]
      const wanted = [[session, 0, session, 4, before.length + 4], before, true]
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        wrong.push([relative(CORPUS, path), away.id, found[0], wanted[0], found[2]])
    }
    expect(wrong).toEqual([])
    expect(silent).toEqual([])
    expect(tried).toBeGreaterThan(20)
    expect([await sessionsIn(repo), (await fsck(repo)).findings]).toEqual([count, []])
  })
})

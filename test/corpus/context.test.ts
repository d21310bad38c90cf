import { describe, expect, it } from 'vitest'
import { contextOf, requestOf } from '../../src/ops/context/context.ts'
import { piContextOf } from '../../src/ops/context/picontext.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { log } from '../../src/ops/log.ts'
import { allSessions } from '../../src/repo/session.ts'
import { CORPUS, noCorpus, SKIPPED } from '../support/corpus.ts'
import { FINDINGS } from '../support/requests.ts'
import { openRepo } from '../support/store.ts'

/** Of each session so many entries are asked beside its tip. */
const ASKED = 20

describe.skipIf(noCorpus)(`contexts of real sessions ${SKIPPED}`, () => {
  it('are valid for every API, at the tip and at entries in between', { timeout: 600_000 }, async () => {
    const repo = await openRepo()
    await importPaths(repo, [CORPUS], {})
    const ids: string[] = []
    await repo.read(async (reader) => {
      for await (const { id } of allSessions(reader)) ids.push(id)
    })
    const wrong: string[] = []
    let asked = 0
    for (const id of ids) {
      const oids: string[] = []
      for await (const { oid } of log(repo, id, { all: true })) oids.push(oid)
      const step = Math.max(1, Math.floor(oids.length / ASKED))
      for (const oid of oids.filter((_, at) => at % step === 0)) {
        for (const format of ['anthropic', 'openai', 'openai-chat'] as const) {
          const { request } = await requestOf(repo, oid, format)
          for (const finding of FINDINGS[format](request)) wrong.push(`${id} ${oid} ${format}: ${finding}`)
        }
        const { messages } = await piContextOf(repo, oid)
        const neutral = await contextOf(repo, oid)
        expect([Array.isArray(messages), neutral.left]).toEqual([true, []])
        asked++
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(ids.length)
  })
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Beside, besideKit } from '../support/claudekit.ts'
import { corpusFiles, newStore, noCorpus, SKIPPED } from '../support/corpus.ts'

afterEach(() => vi.unstubAllEnvs())

describe.skipIf(noCorpus)(`the reader of Claude Code's kit ${SKIPPED}`, { timeout: 600_000 }, () => {
  it('returns of every file what stands in order on its path here, and what its context says', async () => {
    const store = await newStore()
    const all: Beside[] = []
    for (const file of corpusFiles('claude-code', '.jsonl')) {
      const beside = await besideKit(store, file)
      if (beside) all.push(beside)
    }
    // Made by hand: a main conversation hangs on a message of a sidechain, which the reader follows and the path does not.
    const sidechain = 'claude-code/agent-sessions/small.jsonl'
    const differing = all.filter(
      ({ file, lost, there }) => file !== sidechain && lost.length + there.length > 0,
    )
    expect(differing).toEqual([])
    expect(all.filter(({ unexplained }) => unexplained.length > 0)).toEqual([])
    expect(all.find(({ file }) => file === sidechain)).toMatchObject({ theirs: 3, same: 2, lost: [{}] })
    const sum = all.reduce((total, { theirs }) => total + theirs, 0)
    expect([all.length > 20, sum > 500]).toEqual([true, true])
  })
})

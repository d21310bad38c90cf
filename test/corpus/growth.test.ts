import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corpusBytes, corpusFiles, noCorpus, SKIPPED } from '../support/corpus.ts'
import { grown } from '../support/grown.ts'
import { Random } from '../support/random.ts'

/** Larger files are left out: what they hold is of the same kinds. */
const LIMIT = 1_000_000

const FILES = ['claude-code', 'codex', 'pi', 'copilot-cli', 'gemini-cli', 'openclaw', 'qwen']
  .flatMap((agent) => corpusFiles(agent))
  .filter((file) => corpusBytes(file).length <= LIMIT)

describe.skipIf(noCorpus)(`real transcripts that grow ${SKIPPED}`, () => {
  it.each(FILES.map((file, i) => [file, i] as const))('%s', async (file, i) => {
    const source = corpusBytes(file)
    const random = new Random(i)
    const steps = Array.from({ length: 3 }, () => random.below(source.length)).sort((a, b) => a - b)
    const name = basename(file)
    const once = await grown(name, source)
    expect(once).toMatchObject({ sessions: 1, wrong: [], findings: [] })
    expect(await grown(name, source, steps)).toEqual(once)
  })
})

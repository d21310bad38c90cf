import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Beside, besideKit, ONLY_HERE } from '../support/claudekit.ts'
import { corpusFiles, newStore, noCorpus, SKIPPED } from '../support/corpus.ts'
import { marked, tableOf } from '../support/document.ts'

afterEach(() => vi.unstubAllEnvs())

const PAGE = fileURLToPath(new URL('../../docs/formats/claude-code.md', import.meta.url))

/** Returns what differs from the kit beside the counts: `4 results put in, 1 salvaged`. */
function differences({ here, there, salvaged }: Beside): string {
  const counts: [number, string][] = [
    ...ONLY_HERE.map((why): [number, string] => [here[why] ?? 0, why]),
    [there.length, 'only the kit'],
    [salvaged, 'salvaged'],
  ]
  return counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ')
}

/** Returns the table: a row for each file that differs, and one for all others. */
function table(all: readonly Beside[]): string {
  const isAlike = (one: Beside): boolean => differences(one) === '' && one.theirs === one.same
  const alike = all.filter(isAlike)
  const sum = (key: 'theirs' | 'same' | 'kept'): number => alike.reduce((total, one) => total + one[key], 0)
  return tableOf(
    ['file', 'the kit', 'the same here', 'messages kept here', 'differences'],
    [
      ...all
        .filter((one) => !isAlike(one))
        .map((one) => [
          one.file.replace('claude-code/', ''),
          one.theirs,
          one.same,
          one.kept,
          differences(one),
        ]),
      [`${alike.length} others`, sum('theirs'), sum('same'), sum('kept'), ''],
    ],
  )
}

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
    await expect(marked(readFileSync(PAGE, 'utf8'), 'official', table(all))).toMatchFileSnapshot(PAGE)
  })
})

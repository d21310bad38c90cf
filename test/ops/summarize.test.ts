import { describe, expect, it } from 'vitest'
import type { EntryHandle } from '../../src/model/node.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { apart, type Preparation, pathEntries, structural, summarize } from '../../src/ops/summarize.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

/** Returns the preparation of a session with some prompts, the last of them as the beginning of a turn. */
async function prepared(
  repo: Repo,
  says: readonly string[],
): Promise<Preparation & Required<Pick<Preparation, 'turn'>>> {
  const session = await createSession(repo)
  const bodies = says.map((content) => ({ body: { role: 'user', content } }))
  const oids = await append(repo, session, bodies)
  const entries: EntryHandle[] = []
  await repo.read(async (reader) => {
    for (const oid of oids) entries.push((await reader.find(oid)) as EntryHandle)
  })
  return {
    reason: 'compact',
    session,
    stretch: pathEntries(repo, entries.slice(0, -1)),
    turn: pathEntries(repo, entries.slice(-1)),
  }
}

const said = async ({ stretch }: Preparation): Promise<string> => {
  const texts: string[] = []
  for await (const { view } of stretch.entries()) texts.push(JSON.stringify(view.blocks))
  return texts.join()
}

describe('summarize', () => {
  it('takes a text as it is, and adds the files', async () => {
    const preparation = await prepared(await openRepo(), ['a', 'b'])
    expect(await summarize(preparation, { summary: 'Done.' })).toEqual({
      summary: 'Done.',
      details: { readFiles: [], modifiedFiles: [] },
    })
  })

  it('makes a digest of all, the beginning of a split turn apart', async () => {
    const preparation = await prepared(await openRepo(), ['a', 'b'])
    const { summary, details } = await summarize(preparation)
    expect(summary).toMatchInlineSnapshot(`
      "## Goal
      a

      ## What the user asked (1)
      1. a

      ---

      The turn that goes on below began so:

      ## Goal
      b

      ## What the user asked (1)
      1. b"
    `)
    expect(details).toMatchObject({ readFiles: [], goal: 'a', asked: { count: 2, last: ['a', 'b'] } })
    expect((await structural(preparation)).summary).toBe(summary)
  })

  it('looks for files in the newest 10,000 entries where a text is given, in all where none is', async () => {
    const repo = await openRepo()
    const froms: (number | undefined)[] = []
    const entries = (from?: number) => {
      froms.push(from)
      return pathEntries(repo, []).entries()
    }
    const preparation: Preparation = { reason: 'pop', session: null, stretch: { count: 10_500, entries } }
    const { details } = await summarize(preparation, { summary: 'Tried.' })
    expect(details).toEqual({ readFiles: [], modifiedFiles: [] })
    await summarize({ ...preparation, stretch: { count: 9, entries } }, { summary: 'Tried.' })
    await summarize(preparation)
    expect(froms).toEqual([500, 0, undefined])
  })

  it('begins to read where it is told to', async () => {
    const { stretch } = await prepared(await openRepo(), ['a', 'b', 'c', 'd'])
    const texts: unknown[] = []
    for await (const { view } of stretch.entries(1)) texts.push(view.blocks[0])
    expect(texts).toEqual(['b', 'c'].map((text) => ({ kind: 'text', text })))
  })

  it('asks a summarizer for both parts, telling it what it is for', async () => {
    const preparation = await prepared(await openRepo(), ['a', 'b', 'c'])
    const asked: string[] = []
    const summarizer = apart(async (part) => {
      asked.push(`${part.instructions} ${part.previous?.summary} ${await said(part)}`)
      return `part ${asked.length}`
    })
    const previous = { summary: 'before' }
    const options = { summarize: summarizer, instructions: 'short' }
    const made = await summarize({ ...preparation, previous }, options)
    expect(made.summary).toBe('part 1\n\n---\n\nThe turn that goes on below began so:\n\npart 2')
    expect(asked).toEqual([
      'short before [{"kind":"text","text":"a"}],[{"kind":"text","text":"b"}]',
      'short undefined [{"kind":"text","text":"c"}]',
    ])
    const { stretch, ...turn } = await prepared(await openRepo(), ['only'])
    expect(await summarize({ ...turn, stretch }, options)).toMatchObject({ summary: 'part 3' })
  })

  it('keeps the details that a summarizer gives', async () => {
    const preparation = await prepared(await openRepo(), ['a'])
    const made = { summary: 's', details: { own: 1 }, fromHook: true }
    expect(await summarize(preparation, { summarize: () => Promise.resolve(made) })).toEqual(made)
  })

  it('refuses an empty summary, and stops where it is asked to', async () => {
    const preparation = await prepared(await openRepo(), ['a'])
    await expectFailure('bad-summary', () => summarize(preparation, { summary: ' \n' }))
    const aborted = AbortSignal.abort(new Error('enough'))
    await expect(summarize(preparation, { summary: 's', signal: aborted })).rejects.toThrow('enough')
  })

  it('reads many entries bit by bit, each time anew', async () => {
    const repo = await openRepo()
    const { stretch } = await prepared(
      repo,
      Array.from({ length: 601 }, (_, i) => `${i}`),
    )
    expect(stretch.count).toBe(600)
    for (const _ of [1, 2]) {
      let count = 0
      for await (const { view } of stretch.entries())
        expect(view.blocks).toEqual([{ kind: 'text', text: `${count++}` }])
      expect(count).toBe(600)
    }
  })
})

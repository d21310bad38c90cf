import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapLinks } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import type { Append } from '../../src/ops/append/request.ts'
import { createBranch, listBranches } from '../../src/ops/branch.ts'
import { type CompactOptions, compact } from '../../src/ops/compact.ts'
import { contextOf } from '../../src/ops/context/context.ts'
import { listenersOf } from '../../src/ops/events.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { listLabels } from '../../src/ops/label.ts'
import { show } from '../../src/ops/show.ts'
import { switchTo } from '../../src/ops/switch.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const user = (content: string): Append => ({ body: { role: 'user', content } })
const agent = (content: string, usage?: object): Append => ({
  body: { role: 'assistant', content, ...(usage && { usage }) } as Append['body'],
})
const call = (id: string): Append => ({
  body: { role: 'assistant', content: [{ kind: 'toolCall', id, name: 'Read', input: { path: `${id}.ts` } }] },
})
const result = (id: string): Append => ({
  body: { role: 'tool', content: [{ kind: 'toolResult', id, text: 'text', error: false }] },
})
const model = (id: string): Append => ({ type: 'model_change', body: { model: id } })

/** Makes a session that says these things, and gives its id and their oids. */
async function session(repo: Repo, says: readonly Append[]): Promise<{ id: string; oids: Oid[] }> {
  const id = await createSession(repo)
  return { id, oids: await append(repo, id, says) }
}

/** Returns what the model sees, in short. */
async function seen(repo: Repo, revision: string): Promise<string[]> {
  const { messages } = await contextOf(repo, revision)
  return messages.map(({ part, blocks }) =>
    [part === 'message' ? '' : `${part}: `, ...blocks.map((b) => ('text' in b ? b.text : b.kind))].join(''),
  )
}

/** Returns the links of an entry, as oids. */
const linksOf = (repo: Repo, oid: Oid): Promise<object> =>
  repo.read(async (reader) => {
    const { links } = await reader.node((await reader.find(oid)) as EntryHandle)
    return mapLinks(links, (entry) => reader.oid(entry))
  })

const given = (summary: string, keepTokens: number): CompactOptions => ({ summary, keepTokens })

describe('compact', () => {
  it('lets a summary stand for what precedes the first entry that is kept', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), agent('two'), user('three'), agent('four')])
    const done = await compact(repo, id, given('Sum.', 2))
    expect(done).toEqual({
      session: id,
      branch: 'main',
      created: false,
      oid: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      before: oids[3],
      firstKept: oids[2],
      summarized: 2,
      kept: 2,
      tokensBefore: 5,
      tokensAfter: 4,
      summary: 'Sum.',
    })
    expect(await seen(repo, id)).toEqual(['compaction-summary: Sum.', 'kept: three', 'kept: four'])
    expect(await seen(repo, done.before)).toEqual(['one', 'two', 'three', 'four'])
    const { type, body, parents } = await show(repo, id)
    expect({ type, body, links: await linksOf(repo, done.oid), parents }).toEqual({
      type: 'sess/compaction',
      body: { summary: 'Sum.', tokensBefore: 5, details: { readFiles: [], modifiedFiles: [] } },
      links: { firstKept: oids[2] },
      parents: [oids[3]],
    })
    expect((await fsck(repo)).findings).toEqual([])
    await undo(repo, { any: true })
    expect(await seen(repo, id)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('C2: leaves model and thinking level as they were set before it', async () => {
    const repo = await openRepo()
    const { id } = await session(repo, [model('fast'), user('one'), agent('two'), user('three')])
    await compact(repo, id, given('Sum.', 0))
    expect(await contextOf(repo, id)).toMatchObject({ model: { id: 'fast' } })
  })

  it('C3: gives the latest summary, what is kept, and what follows', async () => {
    const repo = await openRepo()
    const { id } = await session(repo, [user('one'), agent('two'), user('three')])
    await compact(repo, id, given('First.', 1))
    await append(repo, id, [agent('four'), user('five')])
    await compact(repo, id, given('Second.', 1))
    await append(repo, id, [agent('six')])
    expect(await seen(repo, id)).toEqual(['compaction-summary: Second.', 'kept: five', 'six'])
  })

  it('C4 and L13: keeps nothing with 0 tokens, and then has no first entry', async () => {
    const repo = await openRepo()
    const { id } = await session(repo, [user('one'), agent('two')])
    const done = await compact(repo, id, given('Sum.', 0))
    expect(done).toMatchObject({ firstKept: null, summarized: 2, kept: 0 })
    expect(await linksOf(repo, done.oid)).toEqual({})
    await append(repo, id, [user('three')])
    expect(await seen(repo, id)).toEqual(['compaction-summary: Sum.', 'three'])
  })

  it('C5: an older compaction among what is kept says nothing', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), agent('two'), user('three'), agent('four')])
    await compact(repo, id, given('First.', 2))
    await append(repo, id, [user('five')])
    const done = await compact(repo, id, { summary: 'Second.', keepFrom: oids[3] as string })
    expect(done).toMatchObject({ firstKept: oids[3], summarized: 1, kept: 2 })
    expect(await seen(repo, id)).toEqual(['compaction-summary: Second.', 'kept: four', 'kept: five'])
  })

  it('C6: keeps a branch summary as one', async () => {
    const repo = await openRepo()
    const summary: Append = { type: 'branch_summary', body: { summary: 'Tried.' } }
    const { id } = await session(repo, [user('one'), summary, user('two')])
    await compact(repo, id, given('Sum.', 2))
    expect(await seen(repo, id)).toEqual(['compaction-summary: Sum.', 'branch-summary: Tried.', 'kept: two'])
  })

  it('C14: compactions stack on each branch on their own, and leave others as they are', async () => {
    const repo = await openRepo()
    const { id } = await session(repo, [user('one'), agent('two'), user('three')])
    await createBranch(repo, id, 'other')
    await compact(repo, id, given('Main.', 1))
    await compact(repo, `${id}/other`, given('Other.', 0))
    await append(repo, id, [user('four')], { branch: 'other' })
    await compact(repo, `${id}/other`, given('Again.', 0))
    expect(await seen(repo, id)).toEqual(['compaction-summary: Main.', 'kept: three'])
    expect(await seen(repo, `${id}/other`)).toEqual(['compaction-summary: Again.'])
    expect(await seen(repo, `${id}/other~1`)).toEqual(['compaction-summary: Other.', 'four'])
  })

  it('Compaction selection: never keeps a result without its call, and splits turns', async () => {
    const repo = await openRepo()
    const says = [user('one'), agent('two'), user('go'), call('a'), result('a'), agent('end')]
    const { id, oids } = await session(repo, says)
    const asked: string[] = []
    const done = await compact(repo, id, {
      keepTokens: 2,
      summarize: async ({ stretch, turn, previous }) => {
        asked.push(`${stretch.count} ${turn?.count} ${previous?.summary}`)
        return Promise.resolve({ summary: 'Sum.' })
      },
    })
    expect(asked).toEqual(['2 3 undefined'])
    expect(done).toMatchObject({ firstKept: oids[5], summarized: 5, kept: 1 })
  })

  it('Compaction selection: what the model does not see goes with what follows it', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), agent('two'), model('slow'), user('three')])
    expect(await compact(repo, id, given('Sum.', 1))).toMatchObject({ firstKept: oids[2], kept: 1 })
  })

  it('Compaction selection: a second one summarises from where the first one kept on', async () => {
    const repo = await openRepo()
    const { id } = await session(repo, [user('one'), call('a'), result('a'), user('two'), agent('three')])
    await compact(repo, id, { keepTokens: 2 })
    await append(repo, id, [call('b'), result('b'), user('four')])
    const { summary, summarized } = await compact(repo, id, { keepTokens: 1 })
    expect(summarized).toBe(3)
    expect(summary).toMatchInlineSnapshot(`
      "## Goal
      one

      ## What the user asked (2)
      1. one
      2. two

      ## Files only read (2)
      - a.ts
      - b.ts

      ## Where it stood
      The agent said last:

      > three"
    `)
    expect((await show(repo, id)).body).toMatchObject({
      details: { readFiles: ['a.ts', 'b.ts'], modifiedFiles: [], asked: { count: 2 } },
    })
  })

  it('Compaction selection: never parts a call from its result, wherever it cuts', async () => {
    const repo = await openRepo()
    const said = fc.array(fc.constantFrom('u', 'a', 'c', 'C', 'r'), { minLength: 2, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(said, fc.nat(8), async (kinds, keepTokens) => {
        const open: string[] = []
        const says = kinds.map((kind, at): Append => {
          const [name = `x${at}`] = kind === 'r' ? open.splice(0, 1) : []
          if (kind === 'c' || kind === 'C') open.push(`${at}`)
          return kind === 'u'
            ? user('word')
            : kind === 'a'
              ? agent('word')
              : kind === 'r'
                ? result(name)
                : call(`${at}`)
        })
        const { id } = await session(repo, says)
        const before = await contextOf(repo, id)
        const dropped = ({ repairs }: typeof before): number =>
          repairs.filter(({ kind }) => kind === 'dropped-result').length
        try {
          await compact(repo, id, given('Sum.', keepTokens))
        } catch (error) {
          expect(error).toMatchObject({ code: 'nothing-to-compact' })
          return
        }
        const after = await contextOf(repo, id)
        expect(dropped(after)).toBeLessThanOrEqual(dropped(before))
        expect(after.repairs.length).toBeLessThanOrEqual(before.repairs.length)
      }),
      { numRuns: runs(60) },
    )
  })

  it('records the usage of the last model call and what was said since, and compares estimates', async () => {
    const repo = await openRepo()
    const usage = { input: 100, output: 20, cacheRead: 7 }
    const { id } = await session(repo, [user('one'), agent('two', usage), user('12345678')])
    const first = await compact(repo, id, given('Sum.', 1))
    // The usage is that of the model's tokenizer and of the system prompt: no estimate can be set against it.
    expect(first).toMatchObject({ tokensBefore: 4, tokensAfter: 3 })
    expect(await show(repo, first.oid)).toMatchObject({ body: { tokensBefore: 129 } })
    // Entries kept from before a compaction do not show the context after it.
    await append(repo, id, [user('1234')])
    const second = await compact(repo, id, given('Sum.', 1))
    expect(second.tokensBefore).toBe(first.tokensAfter + 1)
    expect(await show(repo, second.oid)).toMatchObject({ body: { tokensBefore: 4 } })
  })

  it('compacts what is no tip of a branch on a new branch', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), agent('two'), user('three')])
    const first = await compact(repo, id, given('A.', 1))
    const second = await compact(repo, `${id}~1`, given('B.', 1))
    const third = await compact(repo, oids[1] as string, { ...given('C.', 1), session: id })
    const fourth = await compact(repo, `${id}~1`, { ...given('D.', 1), branch: 'mine' })
    expect(
      [first, second, third, fourth].map(({ branch, created, before }) => [branch, created, before]),
    ).toEqual([
      ['main', false, oids[2]],
      ['compacted', true, oids[2]],
      ['compacted-2', true, oids[1]],
      ['mine', true, oids[2]],
    ])
    const branches = await listBranches(repo, id)
    expect(branches.find(({ current }) => current)).toMatchObject({ name: 'main', oid: first.oid })
    await expectFailure('exists', () => compact(repo, `${id}~1`, { ...given('D.', 1), branch: 'mine' }))
    await expectFailure('bad-usage', () => compact(repo, oids[1] as string, given('E.', 1)))
  })

  it('moves a session that stands on no branch', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), agent('two'), user('three')])
    await switchTo(repo, `${id}~1`, id)
    const done = await compact(repo, id, given('Sum.', 1))
    expect(done).toMatchObject({ branch: null, created: false, before: oids[1], firstKept: oids[1] })
    expect(await seen(repo, id)).toEqual(['compaction-summary: Sum.', 'kept: two'])
  })

  it('says where there is nothing to compact, and from where nothing can be kept', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), call('a'), result('a'), agent('two')])
    const other = await session(repo, [user('else')])
    await expectFailure('nothing-to-compact', () => compact(repo, id))
    await expectFailure('nothing-to-compact', () => compact(repo, id, { keepFrom: oids[0] as string }))
    const error = await expectFailure('cannot-keep', () => compact(repo, id, { keepFrom: oids[2] as string }))
    expect(error.remedy).toEqual({ kind: 'keep-from', entry: oids[1]?.slice(0, 10) })
    await expectFailure('cannot-keep', () => compact(repo, id, { keepFrom: other.oids[0] as string }))
    await expectFailure('bad-summary', () => compact(repo, id, given('', 1)))
    await compact(repo, id, given('Sum.', 1))
    const again = await expectFailure('nothing-to-compact', () => compact(repo, id, given('Sum.', 1)))
    expect(again.remedy).toEqual({ kind: 'compact-earlier', session: `${id}/main` })
  })

  it('changes nothing where the summary fails, or the branch moved while it was made', async () => {
    const repo = await openRepo()
    const { id } = await session(repo, [user('one'), agent('two'), user('three')])
    const fail = { keepTokens: 1, summarize: () => Promise.reject(new Error('no model')) }
    await expect(compact(repo, id, fail)).rejects.toThrow('no model')
    const move = async (): Promise<{ summary: string }> => {
      await append(repo, id, [agent('four')])
      return { summary: 'Sum.' }
    }
    await expectFailure('conflict', () => compact(repo, id, { keepTokens: 1, summarize: move }))
    expect(await seen(repo, id)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('tells handlers before and after, who may cancel, give the summary and a label', async () => {
    const repo = await openRepo()
    const { id, oids } = await session(repo, [user('one'), agent('two'), user('three')])
    const listeners = listenersOf(repo)
    const told: unknown[] = []
    const off = listeners.on('before-compact', async ({ entriesToSummarize, signal, ...event }) => {
      const entries: string[] = []
      for await (const { oid } of entriesToSummarize.entries()) entries.push(oid)
      told.push({ ...event, entries, aborted: signal.aborted })
      return { summary: { summary: 'Mine.', details: { own: 1 } }, label: 'short' }
    })
    listeners.on('compact', (event) => void told.push(event))
    const done = await compact(repo, id, { keepTokens: 1, instructions: 'brief' })
    expect(told).toEqual([
      {
        session: id,
        firstKept: oids[2],
        tokensBefore: 4,
        customInstructions: 'brief',
        entries: oids.slice(0, 2),
        aborted: false,
      },
      { session: id, compactionEntry: done.oid, fromHandler: true },
    ] satisfies unknown[])
    expect((await show(repo, id)).body).toEqual({
      summary: 'Mine.',
      tokensBefore: 4,
      details: { own: 1 },
      fromHook: true,
    })
    expect(await listLabels(repo, id)).toMatchObject([{ name: 'short', oid: done.oid }])
    off()
    listeners.on('before-compact', () => ({ cancel: true, reason: 'not now' }))
    await append(repo, id, [user('four')])
    const refused = await expectFailure('cancelled', () => compact(repo, id, given('Sum.', 1)))
    expect(refused.message).toBe('a handler cancelled this compact (not now)')
    expect(await seen(repo, id)).toEqual(['compaction-summary: Mine.', 'kept: three', 'four'])
  })
})

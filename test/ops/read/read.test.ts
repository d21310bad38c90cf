import { beforeEach, describe, expect, it } from 'vitest'
import { collected } from '../../../src/model/async.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json } from '../../../src/model/json.ts'
import type { Turn, TurnPart } from '../../../src/model/turn.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { turnPage, turns } from '../../../src/ops/read/read.ts'
import type { PageItem } from '../../../src/ops/rows/page.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

let repo: Repo

const says = (role: string, content: Json): { body: Json } => ({ body: { role, content } })
const calls = (...ids: string[]): { body: Json } =>
  says(
    'assistant',
    ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `/w/${id}.js` } })),
  )
const answers = (...ids: string[]): { body: Json } =>
  says(
    'user',
    ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `     1→first ${id}\n     2→more` })),
  )

/** Makes a session; returns its id and the oids of its entries. */
async function session(...entries: { body: Json }[]): Promise<[id: string, oids: Oid[]]> {
  const id = await createSession(repo, { cwd: '/w' })
  return [id, await append(repo, id, entries)]
}

const withoutCursor = ({ cursor: _cursor, ...turn }: PageItem<Turn>): Turn => turn

/** Returns a part in a word. */
const inShort = (part: TurnPart): string => {
  if (part.kind === 'tool') return `${part.name ?? '?'} ${part.result?.text ?? '-'}`
  return part.kind === 'image' ? 'image' : `${part.kind === 'mark' ? part.does : part.kind}: ${part.text}`
}

const shown = (all: readonly Turn[]): [who: Turn['who'], ...parts: string[]][] =>
  all.map(({ who, parts }) => [who, ...parts.map(inShort)])

const read = async (revision: string, options = {}): Promise<Turn[]> =>
  collected(turns(repo, revision, options))

beforeEach(async () => {
  repo = await openRepo()
})

describe('turns', () => {
  it('join what an assistant says with its tool calls and their results', async () => {
    const [id] = await session(
      says('user', 'Why?'),
      says('assistant', 'I look.'),
      calls('a', 'b'),
      answers('b'),
      answers('a'),
      says('assistant', 'Because.'),
    )
    expect(shown(await read(id))).toEqual([
      ['user', 'text: Why?'],
      ['assistant', 'text: I look.', 'Read first a', 'Read first b', 'text: Because.'],
    ])
  })

  it('hold whole results where that is asked for, and count their lines', async () => {
    const [id] = await session(says('user', 'Read.'), calls('a'), answers('a'))
    const [, turn] = await read(id, { whole: true })
    expect(turn?.parts).toMatchObject([
      {
        input: { file_path: '/w/a.js' },
        result: { text: '     1→first a\n     2→more', lines: 2, error: false },
      },
    ])
  })

  it('leave out entries that say nothing', async () => {
    const [id] = await session(
      says('user', 'Hello'),
      says('assistant', ''),
      says('assistant', [{ type: 'text', text: ' \n' }]),
      says('user', 'Still there?'),
    )
    expect(shown(await read(id))).toEqual([
      ['user', 'text: Hello'],
      ['user', 'text: Still there?'],
    ])
  })

  it('take what agents add in the name of the user as an aside, and what users write in tags as theirs', async () => {
    const [id] = await session(
      says('user', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>'),
      says('user', '<div>\nWhy is this div empty?\n</div>'),
      says('assistant', 'It is not.'),
      says('user', '<system-reminder>Be brief.</system-reminder>'),
    )
    expect(shown(await read(id))).toEqual([
      ['system', 'aside: <environment_context>\n<cwd>/w</cwd>\n</environment_context>'],
      ['user', 'text: <div>\nWhy is this div empty?\n</div>'],
      ['assistant', 'text: It is not.', 'aside: <system-reminder>Be brief.</system-reminder>'],
    ])
  })

  it('show results without a call, and calls without a result', async () => {
    const [id] = await session(says('user', 'Go on'), answers('lost'), calls('open'))
    expect(shown(await read(id))).toEqual([
      ['user', 'text: Go on'],
      ['assistant', '? first lost', 'Read -'],
    ])
  })

  it('are those of a range that its left side lacks', async () => {
    const [id, oids] = await session(says('user', 'one'), says('assistant', 'two'), says('user', 'three'))
    expect(shown(await read(`${oids[0]}..${id}`))).toEqual([
      ['assistant', 'text: two'],
      ['user', 'text: three'],
    ])
    expect(await read(`${id}..${oids[1]}`)).toEqual([])
    await expectFailure('bad-usage', () => read(`${oids[0]}...${id}`))
  })
})

describe('pages of turns', () => {
  it('are the same from wherever they are read, also where a turn is long and calls are answered late', async () => {
    const work = Array.from({ length: 75 }, (_, i) => [calls(`c${i}`), answers(`c${i}`)]).flat()
    // Answered in another piece of the path than the one with the call.
    const late = [
      calls('late'),
      ...Array.from({ length: 40 }, (_, i) => says('assistant', `waiting ${i}`)),
      answers('late'),
    ]
    const [id] = await session(says('user', 'Begin'), ...work, says('user', 'Now slowly'), ...late)
    const all = await read(id)
    const parts = all.flatMap((turn) => turn.parts.map(inShort))
    expect(parts).toHaveLength(1 + 75 + 1 + 41)
    expect(parts.filter((part) => part.endsWith(' -') || part.startsWith('?'))).toEqual([])
    expect(all.filter(({ continues }) => !continues).map(({ who }) => who)).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
    ])
    for (const limit of [1, 2, 3]) {
      const found: Turn[] = []
      let page = await turnPage(repo, id, { limit })
      expect(page.before).toBeNull()
      for (;;) {
        found.push(...page.items.map(withoutCursor))
        if (page.next === null) break
        page = await turnPage(repo, id, { limit, after: page.next })
      }
      expect(found).toEqual(all)
      let back = await turnPage(repo, id, { limit, before: page.items[0]!.cursor })
      let at = all.length - page.items.length
      for (;;) {
        expect(back.items.map(withoutCursor)).toEqual(all.slice(Math.max(0, at - limit), at))
        at -= back.items.length
        if (back.before === null) break
        back = await turnPage(repo, id, { limit, before: back.before })
      }
      expect(at).toBe(0)
    }
  })

  it('refuse cursors of other sessions and of entries that are not on the path', async () => {
    const [id] = await session(says('user', 'one'), says('user', 'two'))
    const [other] = await session(says('user', 'another'))
    const { items } = await turnPage(repo, other)
    await expectFailure('bad-usage', () => turnPage(repo, id, { after: items[0]!.cursor }))
    const last = (await turnPage(repo, id)).items.at(-1)!.cursor
    await expectFailure('no-entry', () => turnPage(repo, `${id}~1`, { after: last }))
  })
})

import { describe, expect, it } from 'vitest'
import { assistant, boundary, other, parentsOf, readAll, result, user } from './records.ts'

describe('what precedes an entry', () => {
  it('is its parent in the file', () => {
    expect(parentsOf([user('u', null), assistant('a', 'u', 'm'), user('v', 'a')])).toEqual([null, 0, 1])
  })

  it('is found over records that are no entries', () => {
    const records = [user('u', null), other('progress', 'p', 'u'), other('system', 's', 'p'), user('v', 's')]
    expect(parentsOf(records)).toEqual([null, undefined, undefined, 0])
  })

  it('is found over records that are no entries and stand in the wrong order', () => {
    const records = [
      user('u', null),
      other('progress', 'p', 'q'),
      other('progress', 'q', 'u'),
      user('v', 'p'),
    ]
    expect(parentsOf(records)).toEqual([null, undefined, undefined, 0])
  })

  it('is none for a sidechain, whose records continue each other', () => {
    const sidechain = { isSidechain: true }
    const records = [user('u', null), user('x', null, sidechain), user('y', 'x', sidechain), user('v', 'u')]
    expect(parentsOf(records)).toEqual([null, null, 1, 0])
  })

  it('is none for what continues a sidechain from outside, also over records that are no entries', () => {
    const sidechain = { isSidechain: true }
    const records = [
      user('x', null, sidechain),
      user('u', 'x'),
      other('progress', 'p', 'x'),
      other('system', 'q', 'p', sidechain),
      user('v', 'p'),
      user('w', 'q'),
      user('y', 'p', sidechain),
    ]
    expect(parentsOf(records)).toEqual([null, null, undefined, undefined, null, null, 0])
    expect(readAll(records).readings[1]?.warnings).toEqual([
      {
        code: 'dangling-parent',
        message: "'u' begins a conversation: its parent 'x' is in a sidechain",
      },
    ])
  })

  it('is none of a sidechain for the results and blocks of another thread', () => {
    const sidechain = { isSidechain: true }
    const records = [
      user('u', null),
      { ...assistant('a', 'u', 'm', 'call-1'), ...sidechain },
      result('r', 'u', 'call-1'),
      assistant('b', 'r', 'm'),
    ]
    expect(parentsOf(records)).toEqual([null, 0, 0, 2])
  })

  it('is none where the parent is read later, is the record itself, or is in a cycle', () => {
    expect(parentsOf([user('v', 'u'), user('u', null)])).toEqual([null, null])
    expect(parentsOf([user('u', 'u')])).toEqual([null])
    expect(parentsOf([user('a', 'b'), user('b', 'a')])).toEqual([null, 0])
    const circle = [other('progress', 'p', 'q'), other('progress', 'q', 'p'), user('u', 'q'), user('v', 'p')]
    expect(parentsOf(circle)).toEqual([undefined, undefined, null, null])
  })

  it('is the record before it among the blocks of one message and the results of its calls', () => {
    const records = [
      user('u', null),
      assistant('a', 'u', 'm', 'call-1'),
      assistant('b', 'a', 'm', 'call-2'),
      result('r', 'a', 'call-1'),
      assistant('c', 'b', 'm', 'call-3'),
      result('s', 'b', 'call-2'),
      result('t', 'c', 'call-3'),
    ]
    expect(parentsOf(records)).toEqual([null, 0, 1, 2, 3, 4, 5])
  })

  it('is the end of the chain for what continues any member of it', () => {
    const records = [
      user('u', null),
      assistant('a', 'u', 'm', 'call-1'),
      assistant('b', 'a', 'm', 'call-2'),
      result('r', 'a', 'call-1'),
      result('s', 'b', 'call-2'),
      assistant('next', 'r', 'n'),
      user('attached', 'a'),
    ]
    expect(parentsOf(records).slice(5)).toEqual([4, 4])
  })

  it('is the end of the chain so far for a member that comes after the chain was continued', () => {
    const records = [
      user('u', null),
      assistant('a', 'u', 'm', 'call-1'),
      assistant('b', 'a', 'm', 'call-2'),
      result('r', 'a', 'call-1'),
      other('attachment', 'hook', 'r', { attachment: { type: 'hook_success' } }),
      result('s', 'b', 'call-2'),
      assistant('next', 's', 'n'),
    ]
    expect(parentsOf(records)).toEqual([null, 0, 1, 2, 3, 3, 5])
  })

  it('parts where the user rewound', () => {
    const records = [
      user('u', null),
      assistant('a', 'u', 'm'),
      user('v', 'a'),
      assistant('b', 'v', 'n'),
      user('w', 'a'),
    ]
    expect(parentsOf(records)).toEqual([null, 0, 1, 2, 1])
  })

  it('of a compaction is its logical parent, or its parent where the file names one', () => {
    expect(parentsOf([user('u', null), boundary('k', 'u'), user('s', 'k')])).toEqual([null, 0, 1])
    expect(parentsOf([user('u', null), user('v', null), { ...boundary('k', 'u'), parentUuid: 'v' }])).toEqual(
      [null, null, 1],
    )
    expect(parentsOf([boundary('k', 'elsewhere')])).toEqual([null])
    expect(parentsOf([user('u', null), user('v', null, { logicalParentUuid: 'u' })])).toEqual([null, null])
  })

  it('does not come from calls and messages without an id', () => {
    const nameless = {
      type: 'assistant',
      uuid: 'a',
      parentUuid: 'u',
      message: { content: [{ type: 'tool_use' }] },
    }
    const answer = user('r', 'u', { message: { content: [{ type: 'tool_result' }] } })
    expect(parentsOf([user('u', null), nameless, answer])).toEqual([null, 0, 0])
    const broken = { ...nameless, message: { id: 'm', content: [null, 'text', { type: 'tool_use' }] } }
    expect(parentsOf([user('u', null), broken, answer, user('v', 'u')])).toEqual([null, 0, 0, 0])
  })

  it('is found for very many records in the wrong order', () => {
    const n = 130_000
    const progress = Array.from({ length: n }, (_, i) => other('progress', `p${n - i}`, `p${n - i - 1}`))
    const records = [user('p0', null), ...progress, user('u', `p${n}`), user('v', `p${n}`)]
    expect(parentsOf(records).slice(-2)).toEqual([0, 0])
  })
})

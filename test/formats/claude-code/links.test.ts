import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import { assistant, boundary, other, readAll, result, user } from './records.ts'

const linksOfLast = (records: readonly Json[]): unknown => readAll(records).readings.at(-1)?.entry?.links

const talk = [
  user('u', null),
  assistant('a', 'u', 'm'),
  user('v', 'a'),
  assistant('b', 'v', 'n', 'call-1'),
  other('progress', 'p', 'b'),
  result('r', 'p', 'call-1'),
]
const segment = (headUuid: string, tailUuid: string): Json => ({
  preservedSegment: { headUuid, anchorUuid: 'summary', tailUuid },
})

describe('what a compaction keeps', () => {
  it('is nothing where it has no fields', () => {
    expect(linksOfLast([...talk, boundary('k', 'r')])).toBeUndefined()
    expect(linksOfLast([...talk, boundary('k', 'r', { preservedMessages: { uuids: [] } })])).toBeUndefined()
  })

  it('is the segment between two records', () => {
    expect(linksOfLast([...talk, boundary('k', 'r', segment('v', 'r'))])).toEqual({ kept: [2, 3, 5] })
    expect(linksOfLast([...talk, boundary('k', 'r', segment('a', 'b'))])).toEqual({ kept: [1, 2, 3] })
  })

  it('begins after a head and ends before a tail that are no entries', () => {
    expect(linksOfLast([...talk, boundary('k', 'r', segment('p', 'r'))])).toEqual({ kept: [5] })
    expect(linksOfLast([...talk, boundary('k', 'r', segment('v', 'p'))])).toEqual({ kept: [2, 3] })
  })

  it('is the records that it lists, in its order', () => {
    const listed = {
      preservedMessages: { anchorUuid: 'k', uuids: ['v', 'p', 'r', 'v'] },
      ...(segment('u', 'r') as object),
    }
    expect(linksOfLast([...talk, boundary('k', 'r', listed)])).toEqual({ kept: [2, 5] })
  })

  it('leaves out what is no ancestor', () => {
    const fork = [...talk, user('w', 'a')]
    const uuids = ['u', 'v', 'w', 'k', 'nowhere', 7, null]
    expect(linksOfLast([...fork, boundary('k', 'w', { preservedMessages: { uuids } })])).toEqual({
      kept: [0, 6],
    })
    expect(linksOfLast([...fork, boundary('k', 'w', segment('u', 'r'))])).toBeUndefined()
    expect(linksOfLast([...fork, boundary('k', 'w', segment('v', 'w'))])).toBeUndefined()
    expect(linksOfLast([...fork, boundary('k', 'elsewhere', segment('u', 'w'))])).toBeUndefined()
    expect(linksOfLast([...talk, boundary('k', 'r', segment('nowhere', 'r'))])).toBeUndefined()
  })
})

describe('what a microcompaction edits', () => {
  const micro = (parentUuid: string, ...compactedToolIds: string[]): Json =>
    other('system', 'mc', parentUuid, {
      subtype: 'microcompact_boundary',
      microcompactMetadata: { compactedToolIds },
    })

  it('is the entry that holds the one result that it clears', () => {
    expect(linksOfLast([...talk, assistant('c', 'r', 'o'), micro('c', 'call-1')])).toEqual({ target: 5 })
  })

  it('is not named where one link cannot name it', () => {
    expect(linksOfLast([...talk, micro('r', 'call-1', 'call-2')])).toBeUndefined()
    expect(linksOfLast([...talk, micro('r')])).toBeUndefined()
    expect(linksOfLast([...talk, micro('u', 'call-1')])).toBeUndefined()
    const both = [user('u', null), assistant('a', 'u', 'm', 'call-1'), result('r', 'a', 'call-1', 'call-2')]
    expect(linksOfLast([...both, micro('r', 'call-1')])).toBeUndefined()
  })
})

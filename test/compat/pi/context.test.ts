import { describe, expect, it } from 'vitest'
import {
  buildContextEntries,
  buildOldSessionContext,
  buildSessionContext,
  buildSessionProjection,
  getLatestCompactionEntry,
  projectContextEntry,
  sessionEntryToContextMessages,
} from '../../../src/compat/core/context.ts'
import type { ContextEditEntry, SessionEntry } from '../../../src/compat/core/types.ts'
import { assistant, type ChainItem, chain, messageItem, T, user } from '../../support/pi.ts'

const millis = Date.parse(T)
const compaction = (firstKeptEntryId: unknown, more: object = {}): ChainItem => [
  'compaction',
  { summary: 'S', firstKeptEntryId, tokensBefore: 9, ...more },
]
const edit = (targetId: string, replacement: unknown): ChainItem => [
  'context_edit',
  { targetId, replacement },
]
const talk = chain(
  messageItem('user', 'a'),
  ['message', { message: assistant('b') }],
  messageItem('user', 'c'),
)

/** Returns the messages of a context, each by its role or its text. */
const shownIn = (entries: SessionEntry[], build = buildSessionContext): unknown[] =>
  build(entries).messages.map((message) => ('content' in message ? message.content : message.role))

describe('buildSessionContext', () => {
  it('C1: is empty for null, of the last entry for undefined and for an id that is not there', () => {
    expect(buildSessionContext(talk, null)).toEqual({ messages: [], thinkingLevel: 'off', model: null })
    expect(buildSessionContext(talk).messages).toHaveLength(3)
    expect(buildSessionContext(talk, undefined).messages).toHaveLength(3)
    expect(buildSessionContext(talk, 'nothing').messages).toHaveLength(3)
    expect(buildSessionContext(talk, 'e2').messages).toHaveLength(2)
    expect(buildSessionContext([])).toEqual({ messages: [], thinkingLevel: 'off', model: null })
  })

  it('returns messages themselves, no copies', () => {
    expect(buildSessionContext(talk).messages[0]).toBe((talk[0] as { message?: unknown }).message)
  })

  it('C2: takes the last settings of the whole path, also from before a compaction', () => {
    const path = chain(
      ['model_change', { provider: 'q', modelId: 'w' }],
      ['thinking_level_change', { thinkingLevel: 'high' }],
      messageItem('user', 'a'),
      compaction('e3'),
    )
    expect(buildSessionContext(path)).toMatchObject({
      thinkingLevel: 'high',
      model: { provider: 'q', modelId: 'w' },
    })
    expect(buildSessionContext(talk).model).toEqual({ provider: 'p', modelId: 'm' })
  })

  it('C3: is the latest compaction, what it keeps and what followed', () => {
    const path = chain(
      messageItem('user', 'a'),
      messageItem('user', 'b'),
      messageItem('user', 'c'),
      compaction('e2'),
      messageItem('user', 'd'),
    )
    expect(shownIn(path)).toEqual(['compactionSummary', 'b', 'c', 'd'])
    expect(buildSessionContext(path).messages[0]).toEqual({
      role: 'compactionSummary',
      summary: 'S',
      tokensBefore: 9,
      timestamp: millis,
    })
  })

  it.each([['nothing'], ['e2'], [undefined]])(
    'C4: keeps nothing where %s is not before it on the path',
    (id) => {
      expect(shownIn(chain(messageItem('user', 'a'), compaction(id), messageItem('user', 'b')))).toEqual([
        'compactionSummary',
        'b',
      ])
    },
  )

  it('C5: leaves out an older compaction among what is kept', () => {
    const path = chain(
      messageItem('user', 'a'),
      compaction('e1'),
      messageItem('user', 'b'),
      compaction('e1'),
      messageItem('user', 'c'),
    )
    expect(shownIn(path)).toEqual(['compactionSummary', 'a', 'b', 'c'])
  })

  it('C6: is of messages, custom messages and summaries with text', () => {
    const path = chain(
      ['custom_message', { customType: 'x', content: 's', display: false, details: { a: 1 } }],
      ['branch_summary', { summary: '', fromId: 'x' }],
      ['branch_summary', { summary: 'B', fromId: 'x' }],
      ['label', { targetId: 'e1', label: 'l' }],
      ['custom', { customType: 'x', data: 1 }],
      ['session_info', { name: 'n' }],
      ['usage', { kind: 'k' }],
    )
    expect(buildSessionContext(path).messages).toEqual([
      { role: 'custom', customType: 'x', content: 's', display: false, details: { a: 1 }, timestamp: millis },
      { role: 'branchSummary', summary: 'B', fromId: 'x', timestamp: millis },
    ])
  })

  it('C7: adds empty content to messages without any, and passes over what holds no message', () => {
    const roles = ['user', 'assistant', 'toolResult', 'system']
    expect(shownIn(chain(...roles.map((role) => messageItem(role, null)), ['message', {}]))).toEqual([
      [],
      [],
      [],
      '',
    ])
    expect(shownIn(chain(['custom_message', { customType: 'x', content: null }]))).toEqual([[]])
  })

  it('C8: takes the latest edit of a target; null leaves it out', () => {
    const path = chain(
      messageItem('user', 'a'),
      messageItem('assistant', []),
      edit('e1', null),
      edit('e2', { content: 'r' }),
    )
    expect(shownIn(path)).toEqual([[{ type: 'text', text: 'r' }]])
    expect(
      shownIn(chain(messageItem('user', 'a'), edit('e1', null), edit('e1', { content: 'back' }))),
    ).toEqual(['back'])
    expect(shownIn(chain(messageItem('system', 's'), edit('e1', { content: 'x' })))).toEqual(['s'])
  })

  it('C9: drops the system messages that were kept, with the checkpoint before the summary', () => {
    const checkpoint = { role: 'system', content: 'now', timestamp: 1 }
    const kept = [messageItem('system', 'old'), messageItem('user', 'a')] as const
    const path = chain(...kept, compaction('e1', { systemMessage: checkpoint }), messageItem('system', 'new'))
    expect(shownIn(path)).toEqual(['now', 'compactionSummary', 'a', 'new'])
  })

  it('F18: ends where a path runs in a circle, and at a parent that is missing', () => {
    const [a, b] = chain(messageItem('user', 'a'), messageItem('user', 'b')) as [SessionEntry, SessionEntry]
    a.parentId = 'e2'
    expect(shownIn([a, b])).toEqual(['a', 'b'])
    a.parentId = 'missing'
    expect(shownIn([a, b])).toEqual(['a', 'b'])
  })
})

describe('buildOldSessionContext', () => {
  it('knows no edits, checkpoints or empty contents', () => {
    const path = chain(
      messageItem('system', 's'),
      messageItem('user', null),
      compaction('e1'),
      edit('e2', null),
    )
    expect(shownIn(path, buildOldSessionContext)).toEqual(['compactionSummary', 's', null])
  })
})

describe('buildContextEntries', () => {
  it('returns the compaction first, and entries without messages too', () => {
    const path = chain(
      messageItem('system', 's'),
      messageItem('user', 'a'),
      ['custom', {}],
      compaction('e1'),
      messageItem('user', 'b'),
    )
    expect(buildContextEntries(path).map(({ id }) => id)).toEqual(['e4', 'e2', 'e3', 'e5'])
    expect(buildContextEntries(path, null)).toEqual([])
    expect(buildContextEntries(path, 'e3').map(({ id }) => id)).toEqual(['e1', 'e2', 'e3'])
  })
})

describe('buildSessionProjection', () => {
  it('names the entry of each message', () => {
    const path = chain(messageItem('user', 'a'), edit('e1', null), messageItem('user', 'b'))
    const { entries, messages } = buildSessionProjection(path)
    expect(entries.map(({ sourceEntry, messages: own }) => [sourceEntry.id, own.length])).toEqual([
      ['e1', 0],
      ['e2', 0],
      ['e3', 1],
    ])
    expect(messages).toHaveLength(1)
  })
})

describe('projectContextEntry', () => {
  it('keeps all of a message but its content', () => {
    const [entry] = chain(messageItem('toolResult', [], { toolCallId: 'c' })) as [SessionEntry]
    const change = { replacement: { content: 'x' } } as ContextEditEntry
    expect(projectContextEntry(entry, change)).toEqual([
      { role: 'toolResult', content: [{ type: 'text', text: 'x' }], timestamp: 5, toolCallId: 'c' },
    ])
    expect(projectContextEntry(entry, { replacement: null } as ContextEditEntry)).toEqual([])
    expect(projectContextEntry(entry, undefined)).toEqual(sessionEntryToContextMessages(entry))
  })
})

describe('getLatestCompactionEntry', () => {
  it('returns the last in the list, null where there is none', () => {
    expect(
      getLatestCompactionEntry(chain(compaction('e1'), compaction('e1'), messageItem('user', 'x')))?.id,
    ).toBe('e2')
    expect(getLatestCompactionEntry(chain(['message', { message: user('x') }]))).toBeNull()
  })
})

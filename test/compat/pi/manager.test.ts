import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionEntry } from '../../../src/compat/core/types.ts'
import { SessionManager } from '../../../src/compat/pi/manager.ts'
import { SessionManager as OldManager } from '../../../src/compat/pi/v073.ts'
import { newFolder } from '../../support/folder.ts'
import { assistant, header, lines, user } from '../../support/pi.ts'

let dir: string
beforeEach(() => {
  dir = newFolder()
  vi.stubEnv('HOME', dir)
})
afterEach(() => vi.unstubAllEnvs())

const at = (name: string): string => join(dir, name)
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text)
  return at(name)
}
const fileOf = (session: SessionManager): string => session.getSessionFile() as string
const textOf = (session: SessionManager): string => readFileSync(fileOf(session), 'utf8')
const ids = (entries: readonly SessionEntry[]): string[] => entries.map(({ id }) => id)
const inMemory = (): SessionManager => SessionManager.inMemory('/c')
const message = (id: string, parentId: string | null, value: object = user(id)): object => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2025-01-01T00:00:01.000Z',
  message: value,
})

describe('SessionManager, its tree', () => {
  it('L1: appends a child of the leaf, which it then is', () => {
    const session = inMemory()
    const a = session.appendMessage(user('a'))
    const b = session.appendMessage(assistant('b'))
    expect(session.getEntries().map(({ id, parentId }) => [id, parentId])).toEqual([
      [a, null],
      [b, a],
    ])
    expect(session.getLeafId()).toBe(b)
    expect(session.getLeafEntry()).toBe(session.getEntry(b))
    expect(session.getEntryCount()).toBe(2)
  })

  it('L2: moves to an earlier entry; refuses one that is not there', () => {
    const session = inMemory()
    const [a, b] = [session.appendMessage(user('a')), session.appendMessage(user('b'))]
    session.branch(a)
    const c = session.appendMessage(user('c'))
    expect(ids(session.getChildren(a))).toEqual([b, c])
    expect(() => session.branch('nothing')).toThrow(new Error('Entry nothing not found'))
    expect(session.getLeafId()).toBe(c)
  })

  it('L3: moves before the first entry, so that the next is a root', () => {
    const session = inMemory()
    session.appendMessage(user('a'))
    session.resetLeaf()
    expect([session.getLeafId(), session.getLeafEntry(), session.getBranch()]).toEqual([null, undefined, []])
    session.appendMessage(user('b'))
    expect(session.getTree()).toHaveLength(2)
  })

  it.each([
    [SessionManager, (_: string, left: string) => left, 'the leaf that was left'],
    [OldManager, (target: string) => target, 'the entry that it was left for'],
  ])('L4: names as the origin of a summary, by version: %#', (Manager, from) => {
    const session = Manager.inMemory('/c')
    const a = session.appendMessage(user('a'))
    const b = session.appendMessage(user('b'))
    const summary = session.branchWithSummary(a, 'S', { x: 1 }, true)
    expect(session.getEntry(summary)).toMatchObject({
      parentId: a,
      fromId: from(a, b),
      summary: 'S',
      details: { x: 1 },
      fromHook: true,
    })
    session.resetLeaf()
    expect(session.getEntry(session.branchWithSummary(null, 'T'))).toMatchObject({
      parentId: null,
      fromId: 'root',
    })
    expect(() => session.branchWithSummary('nothing', 'S')).toThrow('Entry nothing not found')
  })

  it('L5: returns the path from the root, nothing for what is not there', () => {
    const session = inMemory()
    const [a, b] = [session.appendMessage(user('a')), session.appendMessage(user('b'))]
    expect(ids(session.getBranch())).toEqual([a, b])
    expect(ids(session.getBranch(a))).toEqual([a])
    expect(session.getBranch('nothing')).toEqual([])
  })

  it('L6: returns children in the order in which they were appended', () => {
    const texts = lines(header(), message('r', null), ...['b', 'a', 'c'].map((id) => message(id, 'r')))
    expect(ids(SessionManager.open(write('s.jsonl', texts)).getChildren('r'))).toEqual(['b', 'a', 'c'])
  })

  it('L7: draws labels on the tree, with their times', () => {
    const session = inMemory()
    const a = session.appendMessage(user('a'))
    const label = session.appendLabelChange(a, 'l')
    const { timestamp } = session.getEntry(label) as SessionEntry
    expect(session.getTree()[0]).toMatchObject({ label: 'l', labelTimestamp: timestamp })
  })

  it('L8: takes the latest label of the whole file, whatever branch it is on; it is a leaf itself', () => {
    const session = inMemory()
    const [a, b] = [session.appendMessage(user('a')), session.appendMessage(user('b'))]
    const label = session.appendLabelChange(b, 'l')
    expect(session.getLeafId()).toBe(label)
    session.branch(a)
    expect(session.getLabel(b)).toBe('l')
    session.appendLabelChange(b, '')
    expect(session.getLabel(b)).toBeUndefined()
    session.appendLabelChange(b, 'm')
    session.appendLabelChange(b, undefined)
    expect(session.getLabel(b)).toBeUndefined()
    expect(() => session.appendLabelChange('nothing', 'l')).toThrow('Entry nothing not found')
  })

  it('L9: takes the latest name, without line breaks; an empty one clears it', () => {
    const session = inMemory()
    session.appendSessionInfo('  a\n\nb ')
    expect(session.getSessionName()).toBe('a b')
    session.appendSessionInfo('')
    expect(session.getSessionName()).toBeUndefined()
  })

  it('L10: does not keep what it could not write, nor stand on it', () => {
    const session = SessionManager.create('/c', dir)
    const a = session.appendMessage(user('a'))
    unlinkSync(fileOf(session))
    mkdirSync(fileOf(session))
    expect(() => session.appendMessage(user('b'))).toThrow('EISDIR')
    expect(() => session.appendLabelChange(a, 'l')).toThrow('EISDIR')
    expect(() => session.branchWithSummary(null, 's')).toThrow('EISDIR')
    expect([ids(session.getEntries()), session.getLeafId(), session.getLabel(a)]).toEqual([[a], a, undefined])
  })

  it('L11: makes ids of 8 hex digits; checks those of sessions', () => {
    const session = inMemory()
    expect(session.appendMessage(user('a'))).toMatch(/^[0-9a-f]{8}$/)
    expect(session.getSessionId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(SessionManager.inMemory('/c', { id: 'a.b-C_9' }).getSessionId()).toBe('a.b-C_9')
    for (const id of ['', '-a', 'a b', 'a.'])
      expect(() => inMemory().newSession({ id })).toThrow('Session id must be')
  })

  it('L12: edits what the model sees, on the active branch only', () => {
    const session = inMemory()
    const a = session.appendMessage(user('a'))
    const b = session.appendMessage(assistant('b'))
    const edit = session.appendContextEdit(b, { content: 'x' })
    expect(session.getEntry(edit)).toMatchObject({
      targetId: b,
      replacement: { content: [{ type: 'text', text: 'x' }] },
    })
    session.appendContextEdit(a, { content: 'y' })
    expect(session.buildSessionContext().messages.map((m) => 'content' in m && m.content)).toEqual([
      'y',
      [{ type: 'text', text: 'x' }],
    ])
    const change = session.appendModelChange('p', 'm')
    expect(() => session.appendContextEdit(change, null)).toThrow(
      `Entry ${change} does not contribute editable model content`,
    )
    session.branch(a)
    expect(() => session.appendContextEdit(b, null)).toThrow(`Entry ${b} is not on the active branch`)
    expect(() => session.appendContextEdit('nothing', null)).toThrow('Entry nothing not found')
  })

  it('L13: names itself where a compaction keeps nothing, and notes the prompt as it is', () => {
    const session = inMemory()
    session.appendMessage({ role: 'system', content: 'A', sections: { a: '1', b: '2' }, timestamp: 1 })
    session.appendMessage({ role: 'system', content: 'B', sections: { a: null }, timestamp: 2 })
    const compaction = session.appendCompaction('S', null, 7)
    expect(session.getEntry(compaction)).toMatchObject({
      firstKeptEntryId: compaction,
      tokensBefore: 7,
      systemMessage: { role: 'system', content: 'A\n\nB', sections: { b: '2' } },
    })
  })

  it('stores usage as an entry that no model sees', () => {
    const session = inMemory()
    const entry = session.appendUsage('cache_warm', 'p', 'm', assistant('').usage)
    expect(session.getLeafEntry()).toBe(entry)
    expect(session.buildSessionContext().messages).toEqual([])
  })
})

describe('SessionManager, its file', () => {
  it('D1: is there with the first message of a user or an assistant, setup before it', () => {
    const session = SessionManager.create('/c', dir)
    session.appendModelChange('p', 'm')
    expect(existsSync(fileOf(session))).toBe(false)
    session.appendMessage(user('a'))
    expect(textOf(session).split('\n')).toHaveLength(4)
    const old = OldManager.create('/c', dir)
    old.appendMessage(user('a'))
    expect(existsSync(fileOf(old))).toBe(false)
    old.appendMessage(assistant('b'))
    expect(textOf(old).split('\n')).toHaveLength(4)
  })

  it('has the lines of pi, keys in its order', () => {
    const session = SessionManager.create('/c', dir)
    session.appendMessage(user('a'))
    session.appendCustomEntry('t', { x: 1 })
    session.appendCustomMessageEntry('t', 'c', true)
    const target = session.getLeafId() as string
    session.appendLabelChange(target, undefined)
    const keys = textOf(session)
      .trimEnd()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line) as object).join(' '))
    expect(keys).toEqual([
      'type version id timestamp cwd',
      'type id parentId timestamp message',
      'type customType data id parentId timestamp',
      'type customType content display id parentId timestamp',
      'type id parentId timestamp targetId',
    ])
  })

  it('I3: is named by its time and its id', () => {
    const session = SessionManager.create('/c', dir, { id: 'mine' })
    const time = session.getHeader()?.timestamp.replaceAll(/[:.]/g, '-')
    expect(fileOf(session)).toBe(at(`${time}_mine.jsonl`))
  })

  it('I1: is in a folder named by the working directory', () => {
    expect(SessionManager.create('/a/b:c\\d').getSessionDir()).toBe(at('.pi/agent/sessions/--a-b-c-d--'))
    expect(SessionManager.create('/a').usesDefaultSessionDir()).toBe(true)
    expect(SessionManager.create('/a', dir).usesDefaultSessionDir()).toBe(false)
  })

  it('comes back as it was, standing on its last line', () => {
    const session = SessionManager.create('/c', dir)
    const a = session.appendMessage(user('a'))
    session.appendMessage(assistant('b'))
    session.appendLabelChange(a, 'l')
    const again = SessionManager.open(fileOf(session))
    expect(again.getEntries()).toEqual(JSON.parse(JSON.stringify(session.getEntries())))
    expect([again.getLeafId(), again.getLabel(a), again.getCwd()]).toEqual([session.getLeafId(), 'l', '/c'])
  })

  it('F16: is refused where it is no session, and left as it is; an empty one is begun', () => {
    const path = write('bad', 'hello\n')
    expect(() => SessionManager.open(path)).toThrow(
      new Error(`Session file is not a valid pi session: ${path}`),
    )
    expect(readFileSync(path, 'utf8')).toBe('hello\n')
    expect(textOf(SessionManager.open(write('empty', '')))).toMatch(/^\{"type":"session","version":3,.*\}\n$/)
  })

  it('is overwritten by pi 0.73 where it is no session', () => {
    expect(textOf(OldManager.open(write('bad', 'hello\n')))).toMatch(/^\{"type":"session",.*\}\n$/)
  })

  it('F17: continues after a torn line', () => {
    const path = write('torn', `${lines(header(), message('a', null))}{"type":"mess`)
    SessionManager.open(path).appendMessage(user('b'))
    expect(SessionManager.open(path).getEntryCount()).toBe(2)
  })

  it('is written whole again where it was taken away', () => {
    const session = SessionManager.create('/c', dir)
    session.appendMessage(user('a'))
    unlinkSync(fileOf(session))
    session.appendMessage(user('b'))
    expect(SessionManager.open(fileOf(session)).getEntries()).toHaveLength(2)
  })

  it('is never written over where another came first', () => {
    const session = SessionManager.open(at('new.jsonl'))
    write('new.jsonl', 'theirs')
    expect(() => session.appendMessage(user('a'))).toThrow('EEXIST')
    expect([readFileSync(at('new.jsonl'), 'utf8'), session.getEntryCount()]).toEqual(['theirs', 0])
  })

  it('G5: is brought to version 3 when it is opened, as pi does it', () => {
    const path = write(
      'v1',
      lines({ type: 'session', id: 's', cwd: '/c' }, { type: 'message', message: user('a') }),
    )
    const session = SessionManager.open(path)
    expect(textOf(session)).toContain('"version":3')
    expect(SessionManager.open(path).getEntries()).toEqual(session.getEntries())
  })

  it('needs none in memory', () => {
    const session = SessionManager.inMemory()
    session.appendMessage(user('a'))
    expect([session.isPersisted(), session.getSessionFile(), session.getSessionDir()]).toEqual([
      false,
      undefined,
      '',
    ])
    expect(session.newSession()).toBeUndefined()
  })

  it('takes entries from elsewhere into memory', () => {
    const entry = message('a', null) as SessionEntry
    expect(SessionManager.inMemory('/c', { id: 'i' }, [entry]).getEntries()).toEqual([entry])
    const whole = SessionManager.inMemory('/q', { id: 'i' }, [header(), entry])
    expect([whole.getSessionId(), whole.getCwd(), whole.getLeafId()]).toEqual(['sid', '/q', 'a'])
  })
})

describe('SessionManager, forks', () => {
  const labelled = (Manager: typeof SessionManager): [session: SessionManager, ids: string[]] => {
    const session = Manager.create('/c', dir)
    const a = session.appendMessage(user('a'))
    const label = session.appendLabelChange(a, 'l')
    const b = session.appendMessage(assistant('b'))
    const compaction = session.appendCompaction('S', label, 1)
    return [session, [a, label, b, compaction]]
  }

  it('N7: holds one path, chained past its labels, which are set again after it', () => {
    const [session, [a, label, b, compaction]] = labelled(SessionManager)
    const source = session.getSessionFile()
    const { timestamp } = session.getEntry(label as string) as SessionEntry
    expect(session.createBranchedSession(compaction as string)).toBe(session.getSessionFile())
    expect(session.getHeader()).toMatchObject({ parentSession: source })
    expect(session.getEntries().map(({ id, parentId }) => [id, parentId])).toEqual([
      [a, null],
      [b, a],
      [compaction, b],
      [session.getLeafId(), compaction],
    ])
    expect(session.getEntry(compaction as string)).toMatchObject({ firstKeptEntryId: b })
    expect(session.getLeafEntry()).toMatchObject({ type: 'label', targetId: a, label: 'l', timestamp })
    expect(SessionManager.open(fileOf(session)).getEntries()).toEqual(
      JSON.parse(JSON.stringify(session.getEntries())),
    )
    expect(() => session.createBranchedSession('nothing')).toThrow('Entry nothing not found')
  })

  it('N7: leaves what follows a label an orphan in pi 0.73', () => {
    const [session, [, label, b, compaction]] = labelled(OldManager)
    session.createBranchedSession(compaction as string)
    expect(session.getEntry(b as string)).toMatchObject({ parentId: label })
    expect(session.getTree()).toHaveLength(2)
  })

  it('N7: goes on in memory without a file', () => {
    const session = inMemory()
    const a = session.appendMessage(user('a'))
    session.appendMessage(user('b'))
    const id = session.getSessionId()
    expect(session.createBranchedSession(a)).toBeUndefined()
    expect([ids(session.getEntries()), session.getSessionId() === id]).toEqual([[a], false])
  })

  it('N8: copies all branches of a file into another folder of work', () => {
    const path = write('s.jsonl', lines(header(), message('a', null), message('b', 'a'), message('c', 'a')))
    const fork = SessionManager.forkFrom(path, '/t', at('fork'))
    expect(fork.getHeader()).toMatchObject({ cwd: '/t', parentSession: path })
    expect(ids(SessionManager.open(fileOf(fork)).getEntries())).toEqual(['a', 'b', 'c'])
    expect(() => SessionManager.forkFrom(at('none'), '/t', dir)).toThrow(
      new Error(`Cannot fork: source session file is empty or invalid: ${at('none')}`),
    )
  })
})

describe('SessionManager, lists', () => {
  const put = (name: string, seconds: number, ...entries: readonly object[]): void => {
    utimesSync(write(name, lines(...entries)), seconds, seconds)
  }

  it('I4: counts messages, and returns their texts and times', async () => {
    const result = { role: 'toolResult', content: [{ type: 'text', text: 'r' }], timestamp: 9e12 }
    const records = [
      message('a', null, user('first')),
      message('b', 'a', assistant('answer', 5000)),
      message('c', 'b', result),
    ]
    put(
      'a.jsonl',
      1,
      header(),
      ...records,
      { type: 'session_info', name: 'old' },
      { type: 'session_info', name: 'N' },
    )
    put('b.jsonl', 1, header({ id: 'empty', parentSession: '/p' }))
    expect(await SessionManager.list('/c', dir)).toEqual([
      {
        path: at('b.jsonl'),
        id: 'empty',
        cwd: '/c',
        parentSessionPath: '/p',
        created: new Date('2025-01-01'),
        modified: new Date('2025-01-01'),
        messageCount: 0,
        firstMessage: '(no messages)',
        allMessagesText: '',
      },
      {
        path: at('a.jsonl'),
        id: 'sid',
        cwd: '/c',
        name: 'N',
        created: new Date('2025-01-01'),
        modified: new Date(5000),
        messageCount: 3,
        firstMessage: 'first',
        allMessagesText: 'first answer',
      },
    ])
  })

  it('I5: reports progress, and stops on request', async () => {
    for (const name of ['a', 'b', 'c']) put(`${name}.jsonl`, 1, header({ id: name, cwd: `/${name}` }))
    const reported: number[][] = []
    const found = await SessionManager.listAll(dir, (loaded, total) => reported.push([loaded, total]))
    expect(found).toHaveLength(3)
    expect(reported).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    await expect(
      SessionManager.list('/c', dir, undefined, AbortSignal.abort(new Error('stop'))),
    ).rejects.toThrow('stop')
    expect(await SessionManager.list('/c', at('none'))).toEqual([])
    expect(await SessionManager.listAll()).toEqual([])
    const own = SessionManager.create('/own').getSessionDir()
    put(join('.pi/agent/sessions', basename(own), 'own.jsonl'), 1, header({ id: 'own' }))
    symlinkSync(dir, join(dirname(own), 'linked'))
    const everywhere = (await SessionManager.listAll()).map(({ id }) => id)
    expect(everywhere.toSorted()).toEqual(['a', 'b', 'c', 'own'])
  })

  it('I6: goes on with the file that was changed last, of the folder of work', () => {
    put('a.jsonl', 1000, header({ id: 'a' }))
    put('b.jsonl', 2000, header({ id: 'b', cwd: '/other' }))
    put('c.jsonl', 3000, { type: 'message' })
    expect(SessionManager.continueRecent('/c', dir).getSessionId()).toBe('a')
    expect(OldManager.continueRecent('/c', dir).getSessionId()).toBe('b')
    expect(SessionManager.continueRecent('/none', dir).getEntries()).toEqual([])
    expect(SessionManager.findById('/c', 'a', dir)).toBe(at('a.jsonl'))
    expect(SessionManager.findById('/c', 'b', dir)).toBeUndefined()
  })
})

describe('a file that is longer than a string can be', () => {
  it('F19: is opened line by line', () => {
    const path = write('long.jsonl', lines(header(), message('a', null)))
    const { length } = readFileSync(path)
    // a hole: zero bytes that take no place on the disk, and no part of any line that counts
    truncateSync(path, length + 600 * 2 ** 20)
    expect(SessionManager.open(path).getEntryCount()).toBe(1)
    rmSync(path)
  })
})

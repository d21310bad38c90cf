import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SessionEntry } from '../../src/compat/core/types.ts'
import { SessionManager as Newest } from '../../src/compat/pi/manager.ts'
import { SessionManager as Ours } from '../../src/compat/pi/v073.ts'
import { newFolder } from '../support/folder.ts'
import { assistant, user } from '../support/pi.ts'

type Manager = typeof Ours
type Session = ReturnType<Manager['create']>

/** Thousands more with `PI_RUNS=5000`. */
const RUNS = Number(process.env.PI_RUNS ?? 150)

const pi = import.meta.resolve('@mariozechner/pi-coding-agent')
const { SessionManager: Theirs } = (await import(new URL('core/session-manager.js', pi).href)) as {
  SessionManager: Manager
}

/** The steps, the same on both sides: an entry is named by its position, modulo their number. */
type Step = readonly [name: string, place: number, word: string]

/** One side: a session, and names for its ids in the order in which they came up. */
class Side {
  readonly #Manager: Manager
  readonly #dir = newFolder()
  readonly #names = new Map<string, string>()
  #session: Session

  constructor(Manager: Manager, inFile: boolean) {
    this.#Manager = Manager
    this.#session = inFile ? Manager.create('/work', this.#dir) : Manager.inMemory('/work')
    this.#learn()
  }

  /** Returns the id of the entry at a place; one that is not there now and then. */
  #at(place: number): string {
    const entries = this.#session.getEntries()
    return place % 17 === 16 ? 'nothing' : (entries[place % entries.length]?.id ?? 'nothing')
  }

  /** Does a step, and gives what came of it. */
  do([name, place, word]: Step): string {
    try {
      return this.#written(this.#step(name, place, word))
    } catch (error) {
      return this.#written(`throws ${(error as Error).message}`)
    } finally {
      this.#learn()
    }
  }

  #step(name: string, place: number, word: string): unknown {
    const s = this.#session
    const file = s.getSessionFile()
    switch (name) {
      case 'user':
        return s.appendMessage(user(word))
      case 'assistant':
        return s.appendMessage(assistant(word))
      case 'result': {
        const content = [{ type: 'text' as const, text: word }]
        const fields = { toolCallId: 'c', toolName: 't', content, isError: false, timestamp: 1 }
        return s.appendMessage({ role: 'toolResult', ...fields })
      }
      case 'bash': {
        const ran = {
          command: word,
          output: '',
          exitCode: 0,
          cancelled: false,
          truncated: false,
          timestamp: 1,
        }
        return s.appendMessage({ role: 'bashExecution', ...ran })
      }
      case 'thinking':
        return s.appendThinkingLevelChange(word)
      case 'model':
        return s.appendModelChange('p', word)
      case 'custom':
        return s.appendCustomEntry(word, place % 2 ? { place } : undefined)
      case 'said':
        return s.appendCustomMessageEntry('t', word, place % 2 === 0, place % 3 ? { place } : undefined)
      case 'name':
        return s.appendSessionInfo(place % 3 ? ` ${word}\n` : '')
      case 'label':
        return s.appendLabelChange(this.#at(place), place % 4 ? word : undefined)
      case 'compact':
        return s.appendCompaction(word, this.#at(place), place, undefined, place % 2 ? true : undefined)
      case 'branch':
        return s.branch(this.#at(place))
      case 'summary':
        return s.branchWithSummary(
          place % 5 ? this.#at(place) : null,
          word,
          place % 2 ? { place } : undefined,
        )
      case 'reset':
        return s.resetLeaf()
      case 'fork':
        return s.createBranchedSession(this.#at(place))
      case 'copy':
        if (file && existsSync(file)) this.#session = this.#Manager.forkFrom(file, '/other', this.#dir)
        return 'copied'
      case 'new':
        return s.newSession()
      default:
        if (file && existsSync(file)) this.#session = this.#Manager.open(file)
        return 'opened'
    }
  }

  #learn(): void {
    const ids = [this.#session.getSessionId(), ...this.#session.getEntries().map(({ id }) => id)]
    for (const id of ids) if (!this.#names.has(id)) this.#names.set(id, `#${this.#names.size}`)
  }

  #written(value: unknown): string {
    this.#learn()
    return ((JSON.stringify(value) as string | undefined) ?? 'undefined')
      .replaceAll(this.#dir, 'DIR')
      .replaceAll(
        /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}/g,
        (id) => this.#names.get(id) ?? id,
      )
  }

  /** Returns all that can be asked of the session, and its file. */
  state(): Record<string, string> {
    const s = this.#session
    const file = s.getSessionFile()
    const about = (entry: SessionEntry): unknown => [
      s.getLabel(entry.id),
      s.getChildren(entry.id).map(({ id }) => id),
    ]
    const state = {
      leaf: s.getLeafId(),
      branch: s.getBranch(),
      tree: s.getTree(),
      context: s.buildSessionContext(),
      entries: s.getEntries(),
      about: s.getEntries().map(about),
      header: s.getHeader(),
      name: s.getSessionName(),
      file: file && existsSync(file) ? readFileSync(file, 'utf8') : 'none',
    }
    return Object.fromEntries(Object.entries(state).map(([key, value]) => [key, this.#written(value)]))
  }
}

const often = ['user', 'assistant', 'user', 'assistant', 'branch', 'label', 'summary', 'compact']
const seldom = [
  'result',
  'bash',
  'thinking',
  'model',
  'custom',
  'said',
  'name',
  'reset',
  'fork',
  'copy',
  'new',
  'open',
]
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom(...often, ...seldom),
  fc.nat(1000),
  fc.constantFrom('one', 'two', 'three', 'é "x"\n'),
)

describe('sess/pi-0.73 compared with pi 0.73.1', () => {
  beforeAll(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T00:00:00Z') }))
  afterAll(() => vi.useRealTimers())

  it.each([
    ['in files', true],
    ['in memory', false],
  ])('has the same tree, branch, context and bytes after the same steps %s', (_, inFile) => {
    let compared = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const sides = [new Side(Ours, inFile), new Side(Theirs, inFile)] as const
        for (const one of steps) {
          vi.advanceTimersByTime(1)
          const [ours, theirs] = sides.map((side) => side.do(one))
          expect([one[0], ours]).toEqual([one[0], theirs])
        }
        expect(sides[0].state()).toEqual(sides[1].state())
        compared++
      }),
      { numRuns: RUNS, endOnFailure: process.env.PI_RUNS === undefined },
    )
    expect(compared).toBeGreaterThanOrEqual(RUNS)
  })
})

it('is run against pi 0.73.1 itself', () => {
  const { version } = JSON.parse(readFileSync(join(fileURLToPath(pi), '../../package.json'), 'utf8')) as {
    version: string
  }
  expect(version).toBe('0.73.1')
})

describe('the folder of work of a session file', () => {
  const MIB = 1 << 20
  const header = (more: object): string =>
    `${JSON.stringify({ type: 'session', version: 3, id: 's1', timestamp: '2026-01-01T00:00:00.000Z', ...more })}\n`
  const open = (Manager: { open(path: string): { getCwd(): string } }, text: string): string => {
    const path = join(newFolder(), 's.jsonl')
    writeFileSync(path, text)
    return Manager.open(path).getCwd()
  }

  it.each([
    ['empty lines', '\n'.repeat(MIB) + header({ cwd: '/of/header' })],
    ['a line that is not JSON', `${'x'.repeat(MIB + 1)}\n${header({ cwd: '/of/header' })}`],
    ['other fields of the header', header({ note: 'x'.repeat(2 * MIB), cwd: '/of/header' })],
  ])('is that of the header after more than 1 MiB of %s', (_, text) => {
    expect([Theirs, Ours, Newest].map((one) => open(one, text))).toEqual(Array(3).fill('/of/header'))
  })

  it.each([{}, { cwd: '' }, { cwd: 'relative' }])('is that which pi 0.73.1 takes from %j', (more) => {
    expect(open(Ours, header(more))).toBe(open(Theirs, header(more)))
  })
})

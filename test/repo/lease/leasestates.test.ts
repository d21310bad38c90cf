import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  type LeaseEffect,
  type LeaseEvent,
  type LeaseState,
  transition,
} from '../../../src/repo/lease/leasestates.ts'

const held = (users: number, deaf = false): LeaseState => ({ name: 'held', users, deaf })
const yielding = (users: number, waiting: number, guests = 0): LeaseState => ({
  name: 'yielding',
  users,
  guests,
  waiting,
})
const fenced = (users: number): LeaseState => ({ name: 'fenced', users })
const ceded = (waiting: number): LeaseState => ({ name: 'ceded', waiting })
const opening = (from: 'closed' | 'waiting' | 'delegating', waiting: number): LeaseState => ({
  name: 'opening',
  from,
  waiting,
})
const closing = (target: 'closed' | 'ceded' | 'ended', waiting: number): LeaseState => ({
  name: 'closing',
  target,
  waiting,
})
const [closed, waiting, delegating, ended] = (['closed', 'waiting', 'delegating', 'ended'] as const).map(
  (name): LeaseState => ({ name }),
) as [LeaseState, LeaseState, LeaseState, LeaseState]

/** Every transition: the state, the event, the state after it and the effects. */
const TRANSITIONS: readonly (readonly [
  from: LeaseState,
  event: LeaseEvent,
  to: LeaseState,
  ...effects: LeaseEffect[],
])[] = [
  [closed, 'want', opening('closed', 1), 'open'],
  [closed, 'reached', delegating],
  [closed, 'end', ended],
  [waiting, 'want', opening('waiting', 1), 'open'],
  [waiting, 'reached', delegating],
  [waiting, 'silent', waiting, 'take-over'],
  [waiting, 'end', ended],
  [delegating, 'want', opening('delegating', 1), 'open'],
  [delegating, 'left', waiting],
  [delegating, 'silent', waiting, 'take-over'],
  [delegating, 'end', ended],
  [opening('closed', 1), 'want', opening('closed', 2)],
  [opening('closed', 2), 'opened', held(2), 'admit', 'listen-soon'],
  [opening('waiting', 1), 'opened', held(1), 'admit', 'listen'],
  [opening('delegating', 1), 'opened', held(1), 'admit', 'listen'],
  [opening('closed', 1), 'locked', waiting, 'refuse'],
  [opening('waiting', 1), 'locked', waiting, 'refuse'],
  [opening('delegating', 1), 'locked', delegating, 'refuse'],
  [opening('closed', 1), 'failed', closed, 'refuse'],
  [opening('waiting', 1), 'failed', waiting, 'refuse'],
  [opening('delegating', 1), 'failed', delegating, 'refuse'],
  [opening('waiting', 1), 'reached', opening('delegating', 1)],
  [opening('delegating', 1), 'left', opening('waiting', 1)],
  [opening('delegating', 1), 'silent', opening('waiting', 1), 'take-over'],
  [held(1), 'want', held(2)],
  [held(2), 'release', held(1)],
  [held(1), 'release', held(0)],
  [held(1, true), 'release', held(0, true), 'start-idle'],
  [held(1), 'deaf', held(1, true)],
  [held(0), 'deaf', held(0, true), 'start-idle'],
  [held(0, true), 'idle', closing('closed', 0), 'close'],
  [held(1, true), 'idle', held(1, true)],
  [held(0), 'ask', closing('ceded', 0), 'close'],
  [held(2), 'ask', yielding(2, 0)],
  [held(0), 'fence', closing('ended', 0), 'close'],
  [held(2), 'fence', fenced(2)],
  [held(2), 'end', closing('ended', 0), 'close'],
  [yielding(1, 0), 'want', yielding(1, 1), 'start-turn'],
  [yielding(1, 1), 'want', yielding(1, 2)],
  [yielding(1, 2), 'turn', yielding(3, 0), 'admit'],
  [yielding(2, 1), 'release', yielding(1, 1)],
  [yielding(1, 1), 'release', closing('ceded', 1), 'close'],
  [yielding(1, 1), 'guest', yielding(1, 1, 1)],
  [yielding(0, 1, 1), 'guest', yielding(0, 1, 1)],
  [yielding(1, 1, 1), 'release', yielding(0, 1, 1)],
  [yielding(1, 1, 1), 'guest-release', yielding(1, 1)],
  [yielding(0, 1, 1), 'turn', yielding(1, 0, 1), 'admit'],
  [yielding(0, 1, 1), 'guest-release', closing('ceded', 1), 'close'],
  [yielding(1, 1, 1), 'fence', fenced(2), 'refuse'],
  [yielding(1, 1), 'fence', fenced(1), 'refuse'],
  [yielding(1, 1), 'end', closing('ended', 0), 'refuse', 'close'],
  [closing('closed', 0), 'want', closing('closed', 1)],
  [closing('ended', 0), 'want', closing('ended', 0), 'refuse'],
  [closing('closed', 0), 'closed', closed],
  [closing('closed', 1), 'closed', opening('closed', 1), 'open'],
  [closing('ceded', 1), 'closed', ceded(1), 'start-cede'],
  [closing('ended', 0), 'closed', ended],
  [closing('ceded', 1), 'failed', closed, 'refuse'],
  [closing('ended', 0), 'failed', ended, 'refuse'],
  [closing('ceded', 1), 'end', closing('ended', 0), 'refuse'],
  [ceded(0), 'want', ceded(1)],
  [ceded(0), 'cede', waiting],
  [ceded(1), 'cede', opening('waiting', 1), 'open'],
  [ceded(1), 'end', ended, 'refuse'],
  [fenced(1), 'want', fenced(1), 'refuse'],
  [fenced(2), 'release', fenced(1)],
  [fenced(2), 'guest-release', fenced(1)],
  [fenced(1), 'guest-release', closing('ended', 0), 'close'],
  [fenced(1), 'release', closing('ended', 0), 'close'],
  [fenced(1), 'end', closing('ended', 0), 'close'],
  [ended, 'want', ended, 'refuse'],
]

const NAMED = TRANSITIONS.map((row) => {
  const [from, event] = row
  return { title: `${JSON.stringify(from)} on ${event}`, transition: row }
})

it.each(NAMED)('$title', ({ transition: [from, event, state, ...effects] }) => {
  expect(transition(from, event)).toEqual({ state, effects })
})

const EVENTS: readonly LeaseEvent[] = [
  ...(['want', 'release', 'opened', 'locked', 'failed', 'closed', 'deaf', 'ask', 'fence'] as const),
  ...(['guest', 'guest-release', 'reached', 'left', 'silent', 'idle', 'turn', 'cede', 'end'] as const),
]

/** The arrows between two different states, as a Mermaid diagram has them. */
function arrows(): Set<string> {
  const found = new Set<string>()
  for (const [from] of TRANSITIONS)
    for (const event of EVENTS) {
      const { name } = transition(from, event).state
      if (name !== from.name) found.add(`${from.name} --> ${name}: ${event}`)
    }
  return found
}

it('has every transition to another state in the list above', () => {
  const listed = TRANSITIONS.filter(([from, , to]) => from.name !== to.name)
  const names = listed.map(([from, event, to]) => `${from.name} --> ${to.name}: ${event}`)
  expect([...arrows()].sort()).toEqual([...new Set(names)].sort())
})

it('has the diagram of docs/processes.md', () => {
  const text = readFileSync(new URL('../../../docs/processes.md', import.meta.url), 'utf8')
  const [, diagram = ''] = /```mermaid\n([\s\S]*?)```/.exec(text) ?? []
  const drawn = diagram.split('\n').flatMap((line) => /^ *([\w-]+ --> [\w-]+: [\w-]+)$/.exec(line)?.[1] ?? [])
  expect(drawn.sort()).toEqual([...arrows()].sort())
})

it('admits or refuses every waiting user, whatever happens', () => {
  // Breadth first over all states with at most three users.
  const seen = new Map<string, LeaseState>()
  const queue: LeaseState[] = [closed]
  for (let state = queue.shift(); state; state = queue.shift()) {
    const key = JSON.stringify(state)
    const users = ('users' in state ? state.users : 0) + ('guests' in state ? state.guests : 0)
    const count = users + ('waiting' in state ? state.waiting : 0)
    if (seen.has(key) || count > 3) continue
    seen.set(key, state)
    for (const event of EVENTS) {
      // The driver reports neither, for there is nothing to release and nothing being opened or closed.
      if (event === 'release' && !('users' in state && state.users > 0)) continue
      if (event === 'guest-release' && !('guests' in state && state.guests > 0)) continue
      const { state: after, effects } = transition(state, event)
      const before = 'waiting' in state ? state.waiting : 0
      const left = 'waiting' in after ? after.waiting : 0
      // A user of a held database has it at once.
      const joined = event === 'want' && state.name !== 'held' ? 1 : 0
      if (effects.includes('admit') || effects.includes('refuse')) expect(left).toBe(0)
      else expect(left).toBe(before + joined)
      queue.push(after)
    }
  }
  expect(new Set([...seen.values()].map(({ name }) => name)).size).toBe(10)
})

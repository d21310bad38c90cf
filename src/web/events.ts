import type { StoreChange } from '../verbs/types.ts'
import { addressOf, authorization } from './api.ts'

/** A change in the store; null where what moved is not known any more, and all may be new. */
export type Heard = StoreChange | null

type State = 'connecting' | 'connected' | 'cut'

const listeners = new Set<(change: Heard) => void>()
const stateListeners = new Set<(state: State) => void>()

const [MIN_WAIT_MS, MAX_WAIT_MS] = [500, 15_000]
/** The server says every 15 seconds that it is there. */
const SILENCE_MS = 40_000

let state: State = 'connecting'
let last: string | undefined
let running: AbortController | undefined

/** Calls a function with each change. Returns what ends that. */
export function onChange(listener: (change: Heard) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls a function with the state of the connection, now and when it changes. Returns what ends that. */
export function onConnection(listener: (state: State) => void): () => void {
  stateListeners.add(listener)
  listener(state)
  return () => stateListeners.delete(listener)
}

/** Follows the store while the page is seen; when it is seen again, what moved meanwhile comes first. */
export function follow(): void {
  const update = (): void => {
    if (document.visibilityState === 'hidden') {
      running?.abort()
      running = undefined
    } else if (!running) {
      running = new AbortController()
      void stay(running.signal)
    }
  }
  document.addEventListener('visibilitychange', update)
  update()
}

async function stay(signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await listen(signal, () => (failures = 0))
    } catch {
      // The server has ended or the stream was cut: the loop tries again.
    }
    if (signal.aborted) return
    set('cut')
    const wait = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** failures) * (0.7 + 0.6 * Math.random())
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

function set(next: State): void {
  state = next
  for (const listener of stateListeners) listener(next)
}

async function listen(outer: AbortSignal, onOpen: () => void): Promise<void> {
  const silent = new AbortController()
  const signal = AbortSignal.any([outer, silent.signal])
  let timer = setTimeout(() => silent.abort(), SILENCE_MS)
  try {
    const headers = { ...authorization(), ...(last !== undefined && { 'last-event-id': last }) }
    const response = await fetch(addressOf('/events'), { headers, signal })
    if (!response.ok || !response.body) throw new Error(String(response.status))
    onOpen()
    set('connected')
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let buffer = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), SILENCE_MS)
      const events = (buffer + value).split('\n\n')
      buffer = events.pop() ?? ''
      for (const event of events) hear(event)
    }
  } finally {
    clearTimeout(timer)
  }
}

function hear(text: string): void {
  const field = (name: string): string | undefined =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const [event, data, id] = [field('event'), field('data'), field('id')]
  if (id !== undefined) last = id
  if (event === 'change' && data !== undefined) tell(JSON.parse(data) as StoreChange)
  else if (event === 'reset') tell(null)
}

function tell(change: Heard): void {
  for (const listener of listeners) listener(change)
}

/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { SessionStore } from '../../library/sessionstore.ts'
import type { AgentPosition } from '../../library/types.ts'
import { importInto } from '../core/follower.ts'
import type { StoreNotice, StoreReply, StoreRequest, StoreThreadData } from './messages.ts'

/*
 * Holds the store for the managers of a process, in a thread of its own: the managers are synchronous, the store is not.
 */

const { dir, port, flag } = workerData as StoreThreadData & { readonly port: MessagePort }
const main = parentPort as MessagePort
let store: Promise<SessionStore> | undefined

/** Opens the store; where that fails the next who asks tries again. */
async function opened(): Promise<SessionStore> {
  try {
    return await (store ??= SessionStore.open(dir, { create: true, command: 'sess/pi' }))
  } catch (error) {
    store = undefined
    throw error
  }
}

/** The leaf of the session of each file, as reported last. */
const places = new Map<string, AgentPosition>()
/** The files that are to be caught up with. */
const waiting = new Set<string>()
/** The number of requests of the main thread to follow a file. */
let requested = 0
let isFollowing = false

/**
 * Appends are gathered for `GATHER` milliseconds, and `TIMES` times as long as the last import took: a file is read from its
 * beginning each time.
 */
const GATHER = 20
const TIMES = 4

const pause = (milliseconds: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, milliseconds)
  })

const notify = (notice: StoreNotice): void => main.postMessage(notice)

async function follow(): Promise<void> {
  isFollowing = true
  let took = 0
  while (waiting.size > 0) {
    await pause(GATHER + TIMES * took)
    const paths = [...waiting]
    waiting.clear()
    const began = performance.now()
    for (const path of paths) await followOne(path)
    took = performance.now() - began
  }
  isFollowing = false
  notify({ done: requested })
}

async function followOne(path: string): Promise<void> {
  try {
    const [into, options] = [await opened(), { coalesce: `follow ${path}` }]
    await importInto(into, path, options)
    // The leaf may have moved while the file was read.
    const place = places.get(path)
    if (place) await into.setPosition(place, options)
  } catch (error) {
    notify({ failed: messageOf(error) })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function replyTo(request: StoreRequest): Promise<StoreReply> {
  try {
    const open = await opened()
    const { ask, place } = request
    if (ask === 'leaf') return { leaf: await open.position(place.path, place.bytes) }
    await open.setPosition(place)
    return {}
  } catch (error) {
    return { failed: messageOf(error) }
  }
}

async function answer(request: StoreRequest): Promise<void> {
  port.postMessage({ ...(await replyTo(request)), number: request.number } satisfies StoreReply)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}

main.on('message', (request: StoreRequest) => {
  const { ask, place } = request
  if (ask !== 'leaf') places.set(place.path, place)
  if (ask !== 'follow') {
    void answer(request)
    return
  }
  requested++
  waiting.add(place.path)
  if (!isFollowing) void follow()
})

import { randomUUID } from 'node:crypto'

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** Throws where an id cannot be that of a session. */
export function assertValidSessionId(id: string): void {
  if (SESSION_ID.test(id)) return
  throw new Error(
    "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
  )
}

/** How often a short id is tried before a whole UUID is taken. */
const TRIES = 100

/** Makes an id of 8 hex digits that is not taken, or a whole UUID where it finds none. */
export function freshId(taken: { has(id: string): boolean }): string {
  for (let i = 0; i < TRIES; i++) {
    const id = randomUUID().slice(0, 8)
    if (!taken.has(id)) return id
  }
  return randomUUID()
}

import { appendFileSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../model/json.ts'
import { spell } from '../../model/spelling/jsonspelling.ts'
import type { IdSource } from '../../model/uuid.ts'
import { fromValue, tryParse } from '../../model/value.ts'
import { endLine } from '../core/files.ts'
import { Follower } from '../core/follower.ts'
import { ofProcess } from '../core/ids.ts'

/** The folder of the sessions, and the store that follows them. */
export interface RolloutsOptions {
  /** The folder of all sessions, by default `~/.rollouts/sessions`. */
  readonly root?: string
  /** The folder of a store that takes what is written. */
  readonly store?: string
  /** The clock and the randomness of its ids and times; those of the process by default. */
  readonly env?: IdSource
}

/** The folder of the sessions and the store that follows it, opened. */
export interface SessionsFolder {
  readonly env: IdSource
  /** The folder of all sessions. */
  readonly root: () => string
  /** Asks the store to follow a file that was written. */
  readonly wrote: (path: string) => void
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Returns the place that options name. */
export function folderOf({ root, store, env = ofProcess }: RolloutsOptions): SessionsFolder {
  const follower = new Follower(store)
  return {
    env,
    root: () => root ?? join(homedir(), '.rollouts', 'sessions'),
    wrote: (path) => follower.follow(path),
    settled: () => follower.settled(),
    close: () => follower.close(),
  }
}

/** Returns the time as ISO 8601. */
export const timeNow = ({ env }: SessionsFolder): string => new Date(env.now()).toISOString()

/** Returns a value as a line of JSON, spelled as Python spells it. */
export function lineOf(value: object): string {
  return `${spell(fromValue(value) as Json, 'pa')}\n`
}

/** Appends a value to a file; a last line that was not ended is ended first. */
export function appendLine(path: string, value: object): void {
  endLine(path)
  appendFileSync(path, lineOf(value))
}

/** Returns the values of a file's lines, frozen. Throws where a line is no JSON. */
export function linesOf(path: string): readonly object[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      if (line.trim() === '') return []
      const value = tryParse(line)
      if (typeof value !== 'object' || value === null)
        throw new Error(`line ${i + 1} of ${path} is no JSON object`)
      return [frozen(value as object)]
    })
}

/** Freezes a value and all that it holds. */
export function frozen<T extends object>(value: T): T {
  for (const child of Object.values(value))
    if (typeof child === 'object' && child !== null) frozen(child as object)
  return Object.freeze(value)
}

import { lstatSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { LIVE, namesOf, putFile, savedName, textOf } from './livefolder.ts'

/** The state in which a session's file was saved last. */
export interface SavedState {
  readonly path: string
  /** The size of the file and the time of its last change, when it was imported. */
  readonly size: number
  readonly mtime: number
  readonly store: string
  readonly session: string
  readonly title: string | null
  /** The current branch of the session; null where no branch is. */
  readonly branch: string | null
  /** When it was imported, in milliseconds since 1970. */
  readonly time: number
}

/** Keeps the state of a session for statuslines, which open no store. */
export const keepSaved = (folder: string, state: SavedState): void =>
  putFile(join(folder, LIVE.saved), savedName(state.path), JSON.stringify(state))

/** Returns the state in which a file was saved last; undefined where it never was, by what is known. */
export function savedOf(folder: string, path: string): SavedState | undefined {
  const text = textOf(join(folder, LIVE.saved, savedName(path)))
  if (text === undefined) return undefined
  try {
    const state = JSON.parse(text) as SavedState
    return state.path === path && typeof state.size === 'number' ? state : undefined
  } catch {
    return undefined
  }
}

/** The age from which states of sessions are dropped: thirty days. */
const MAX_AGE = 30 * 24 * 3600 * 1000

/** Removes what was not written for a month. */
export function dropOldStates(folder: string, now: number): void {
  for (const name of namesOf(join(folder, LIVE.saved))) {
    const path = join(folder, LIVE.saved, name)
    if (now - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > MAX_AGE) unlinkSync(path)
  }
}

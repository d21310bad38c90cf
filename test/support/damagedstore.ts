import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Answers, answersOf } from './answers.ts'
import { copyOf, type SmallStore, smallStore } from './smallstore.ts'

/** The errors that are allowed for a damaged store. */
export const DAMAGE_ANSWERS = new Set(['!corrupt', '!not-a-store', '!newer-store'])

/** Returns all files of a store, by their paths in it. */
export const storeFiles = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dir, name)).isFile() && !/LOCK$|\.sock$/.test(name))
    .sort()

export const isInDatabase = (name: string): boolean => name.startsWith('db.')

/** A store and its answers before it is damaged. */
export type AnsweringStore = SmallStore & { readonly right: Answers }

/** Makes a store, and asks it all questions. */
export async function answeringStore(): Promise<AnsweringStore> {
  const store = await smallStore()
  const right = await answersOf(copyOf(store.dir), store.sessions)
  expect(Object.values(right).filter((answer) => answer.startsWith('!'))).toEqual([])
  return { ...store, right }
}

import { asSessError, type SessError } from '../model/errors.ts'
import type { Repo } from '../repo/repo.ts'
import { absolute, type FoundFile } from '../sources/files.ts'
import { type SessionFolder, sessionFolderAt, thisMachine } from '../sources/sessionfolders.ts'
import { watchFolders } from '../sources/watch.ts'
import { agentPlaces, type DiscoverOptions } from './discover.ts'
import type { ImportFilter } from './import/filter.ts'
import { importPaths } from './import/import.ts'
import type { Imported, Refused } from './import/result.ts'
import { ResumableReads } from './import/resumablereads.ts'

/** How files are followed, and until when. */
export interface WatchOptions {
  readonly only?: ImportFilter
  readonly signal: AbortSignal
}

/** What is followed, and until when: what agents keep on this machine unless paths are named. */
export interface FollowOptions extends Partial<DiscoverOptions> {
  readonly paths?: readonly string[]
  readonly signal: AbortSignal
}

/** Takes in what is at some paths, or what agents keep, and whatever is written there. Throws as `watchPlaces`. */
export function follow(repo: Repo, { signal, paths, ...options }: FollowOptions): AsyncGenerator<WatchEvent> {
  const places =
    paths?.map((path) => sessionFolderAt(absolute(repo.env.cwd, path))) ??
    agentPlaces(repo, { ...thisMachine(), ...options })
  return watchPlaces(repo, places, { signal })
}

/** What happened: what came of files that changed, or that the store could not be had, which is tried again. */
export type WatchEvent = Imported | Refused | { readonly waits: SessError }

/**
 * Takes in what is in some places and whatever is written there, until the signal aborts: what a file has is in the store
 * when its event is given. The store is let go between. Where it is busy, or moved on by another process, what waits is
 * tried again. Throws what no second try makes better.
 */
export async function* watchPlaces(
  repo: Repo,
  places: readonly SessionFolder[],
  { only = {}, signal }: WatchOptions,
): AsyncGenerator<WatchEvent> {
  let waiting = new Map<string, FoundFile>()
  const following = new ResumableReads()
  for await (const changed of watchFolders(places, signal)) {
    for (const file of changed) waiting.set(file.path, file)
    while (waiting.size > 0 && !signal.aborted) {
      const events: (Imported | Refused)[] = []
      try {
        await importPaths(repo, [...waiting.values()], {
          only,
          following,
          onFile: (file) => {
            if (!isGone(file)) events.push(file)
          },
        })
        waiting = new Map()
      } catch (thrown) {
        const error = asSessError(thrown)
        if (!error.retryable && error.kind !== 'stopped') throw thrown
        // What was taken is taken: it is known at once the next time.
        if (error.retryable) yield { waits: error }
      }
      yield* events
    }
  }
}

/** Tells of a file that it was moved or deleted since it was looked at: it is given under its new name. */
const isGone = (file: Imported | Refused): boolean =>
  'error' in file &&
  file.error.cause instanceof Error &&
  'code' in file.error.cause &&
  file.error.cause.code === 'ENOENT'

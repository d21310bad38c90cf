import { asSessError, type SessError } from '../model/errors.ts'
import { thisMachine } from '../repo/environment.ts'
import type { Repo } from '../repo/repo.ts'
import { absolute, type FoundFile, kindOf } from '../sources/files.ts'
import { type SessionFolder, sessionFolderAt } from '../sources/sessionfolders.ts'
import { watchFolders } from '../sources/watch.ts'
import { agentPlaces, type DiscoverOptions } from './discover.ts'
import type { ImportFilter } from './import/filter.ts'
import { importPaths } from './import/import.ts'
import type { Imported, Refused } from './import/result.ts'

/** Options of watching folders. */
export interface WatchOptions {
  readonly only?: ImportFilter
  readonly signal: AbortSignal
  /** The folder below which symbolic links are followed: the user's home, at the places of agents. */
  readonly home?: string
}

/** Options of following paths: by default the folders of agents on this machine. */
export interface FollowOptions extends Partial<DiscoverOptions> {
  readonly paths?: readonly string[]
  readonly signal: AbortSignal
}

/** Imports files at paths or of agents, now and whenever they change. Throws as `watchPlaces`. */
export function follow(repo: Repo, { signal, paths, ...options }: FollowOptions): AsyncGenerator<WatchEvent> {
  const machine = { ...thisMachine(), ...options }
  const places =
    paths?.map((path) => sessionFolderAt(absolute(repo.env.cwd, path))) ?? agentPlaces(repo, machine)
  return watchPlaces(repo, places, { signal, ...(!paths && { home: machine.home }) })
}

/** The sessions to watch: those at paths, or those of the agents of a machine. */
interface WantedPlaces {
  /** Files and folders, relative to the working folder; without any, the places of agents. */
  readonly paths: readonly string[]
  readonly agent?: string
  readonly machine: Pick<DiscoverOptions, 'home' | 'variables'>
  readonly only: ImportFilter
  readonly signal: AbortSignal
}

/** A place that is watched. */
interface WatchedPlace {
  /** The agent whose place it is; '' for a path that was named. */
  readonly agent: string
  /** Whether its folder exists; false for a folder of work, which exists whether its agent ever ran or not. */
  readonly isThere: boolean
}

/** The places that are watched, and what happens there. */
export interface WatchedPlaces {
  readonly places: readonly WatchedPlace[]
  /** The paths that were named and do not exist yet. */
  readonly missing: readonly string[]
  readonly events: AsyncGenerator<WatchEvent>
}

/** Watches the sessions at paths, or those of the agents of a machine. Throws as `agentPlaces` and `watchPlaces`. */
export function watchSessions(repo: Repo, { paths, agent, machine, ...how }: WantedPlaces): WatchedPlaces {
  const { cwd } = repo.env
  const isNamed = paths.length > 0
  const places = isNamed
    ? paths.map((path) => sessionFolderAt(absolute(cwd, path)))
    : agentPlaces(repo, { ...machine, ...(agent !== undefined && { agent }) })
  return {
    places: places.map(({ agent: name, folder, flat }) => ({
      agent: name,
      isThere: kindOf(folder) === 'folder' && (name === '' || !flat),
    })),
    missing: paths.filter((path) => kindOf(absolute(cwd, path)) === 'missing'),
    events: watchPlaces(repo, places, { ...how, ...(!isNamed && { home: machine.home }) }),
  }
}

/** The result of importing a changed file, or the error that makes an import wait for another try. */
export type WatchEvent = Imported | Refused | { readonly waits: SessError }

/**
 * Imports the files in some folders, now and whenever they change, until the signal aborts. The content of a file is stored
 * when its event is yielded. Releases the store between imports, and retries if it is busy or was taken over by another
 * process. Throws errors that are not retryable.
 */
async function* watchPlaces(
  repo: Repo,
  places: readonly SessionFolder[],
  { only = {}, signal, home }: WatchOptions,
): AsyncGenerator<WatchEvent> {
  let waiting = new Map<string, FoundFile>()
  for await (const changed of watchFolders(places, signal, home)) {
    for (const file of changed) waiting.set(file.path, file)
    while (waiting.size > 0 && !signal.aborted) {
      const events: (Imported | Refused)[] = []
      try {
        await importPaths(repo, [...waiting.values()], {
          only,
          givesWay: true,
          onFile: (file) => {
            if (!isGone(file)) events.push(file)
          },
        })
        waiting = new Map()
      } catch (thrown) {
        const error = asSessError(thrown)
        if (!error.retryable && error.kind !== 'stopped') throw thrown
        // Imported files stay imported: the next try skips them.
        if (error.retryable) yield { waits: error }
      }
      yield* events
    }
  }
}

/** Returns whether a file was moved or deleted since it was found; a moved file gets an event under its new name. */
const isGone = (file: Imported | Refused): boolean =>
  'error' in file &&
  file.error.cause instanceof Error &&
  'code' in file.error.cause &&
  file.error.cause.code === 'ENOENT'

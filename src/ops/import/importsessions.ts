import type { Variables } from '../../model/variables.ts'
import type { Repo } from '../../repo/repo.ts'
import { absolute, kindOf } from '../../sources/files.ts'
import { agentPlaces, type DiscoveredFiles, discoverSessions } from '../discover.ts'
import type { ImportFilter } from './filter.ts'
import { type ImportOptions, type ImportResult, importPaths } from './import.ts'
import { type UnknownOfFormat, unknownByFormat } from './unknownofimport.ts'

/** The sessions to import: those at paths, or those of the agents of a machine. */
export interface WantedSessions {
  /** Files and folders, relative to the working folder; without any, the places of agents. */
  readonly paths: readonly string[]
  /** The name of an agent, or its first word; for the places of agents. */
  readonly agent?: string
  readonly machine: { readonly home: string; readonly variables: Variables }
  readonly only: ImportFilter
  /** Import every file of a folder. */
  readonly all: boolean
}

/** Called as an import proceeds. */
export interface ImportEvents extends Pick<ImportOptions, 'onBegin' | 'onProgress' | 'onFile' | 'onGraft'> {
  /** Called with the places of agents that have sessions, before any is read. */
  readonly onPlaces?: (places: readonly DiscoveredFiles[]) => Promise<void> | void
}

/** The result of an import of sessions. */
export interface SessionImport extends ImportResult {
  /** The places of agents that have sessions; null where paths were named. */
  readonly found: readonly DiscoveredFiles[] | null
  /** The types and fields that no reader knows, of all files of a format together. */
  readonly unknown: readonly UnknownOfFormat[]
  /** How many files and folders were looked at first. */
  readonly wanted: number
}

/** Imports the sessions at paths, or those of the agents of a machine. Throws as `importPaths` and `agentPlaces`. */
export async function importSessions(
  repo: Repo,
  { paths, agent, machine, only, all }: WantedSessions,
  { onPlaces, ...events }: ImportEvents = {},
): Promise<SessionImport> {
  const isNamed = paths.length > 0
  const looked = isNamed ? [] : discoverSessions(repo, { ...machine, ...(agent !== undefined && { agent }) })
  const places = looked.filter(({ files }) => files.length > 0)
  if (!isNamed) await onPlaces?.(places)
  const wanted = isNamed
    ? paths.map((path) => absolute(repo.env.cwd, path))
    : looked.flatMap(({ files }) => files)
  const imported = await importPaths(repo, wanted, {
    ...events,
    ...(isNamed && linksAt(repo, paths, machine)),
    all,
    only,
    links: looked.flatMap(({ links }) => links),
  })
  return {
    ...imported,
    unread: [...looked.flatMap(({ unread }) => unread), ...imported.unread],
    found: isNamed ? null : places,
    unknown: unknownByFormat(imported.files),
    wanted: wanted.length,
  }
}

/** Returns the places of agents, at which links in folders are followed; nothing where no folder is named. */
function linksAt(
  repo: Repo,
  paths: readonly string[],
  machine: WantedSessions['machine'],
): Pick<ImportOptions, 'places'> {
  if (!paths.some((path) => kindOf(absolute(repo.env.cwd, path)) === 'folder')) return {}
  const places = agentPlaces(repo, machine).filter(({ flat }) => !flat)
  return { places: { home: machine.home, folders: places.map(({ folder }) => folder) } }
}

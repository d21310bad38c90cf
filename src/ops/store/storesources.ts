import type { Repo } from '../../repo/repo.ts'
import { type DiscoveredFiles as AgentFiles, thisMachine } from '../../sources/sessionfolders.ts'
import { type DiscoverOptions, discoverSessions } from '../discover.ts'
import { type ExportedSession, type ExportFileOptions, exportedSession } from '../export/exportedsession.ts'
import { type ExportOptions, exportSession } from '../export.ts'
import type { Grafting } from '../graft.ts'
import { type ImportOptions, type ImportResult, importPaths } from '../import.ts'
import { relink } from '../relink.ts'
import { type RereadOptions, type RereadResult, rereadSources } from '../reread.ts'
import { type Resume, type ResumeOptions, resumeOf } from '../resume.ts'
import { type FollowOptions, follow, type WatchEvent } from '../watch.ts'
import type { StoredSession } from './storedsession.ts'

/** What a store takes from the files of agents, and gives them. */
export class StoreSources {
  readonly #repo: Repo

  constructor(repo: Repo) {
    this.#repo = repo
  }

  /**
   * Takes files and folders into the store, as `sess import` does: durable when it resolves. What cannot be read is in
   * `refused`, what is wrong within a file in its `warnings`; neither is thrown.
   */
  import(paths: string | readonly string[], options: ImportOptions = {}): Promise<ImportResult> {
    return importPaths(this.#repo, typeof paths === 'string' ? [paths] : paths, options)
  }

  /**
   * Reads the stored bytes of sources again where this version has a newer reading, as `sess import --reread` does: of the
   * sessions that are named by a path or a revision, else of all. Branches, labels, forks and grafts go along, the old
   * entries stay; `map` tells which stand for which. One operation. Throws as `session`.
   */
  reread(names: string | readonly string[] = [], options: RereadOptions = {}): Promise<RereadResult> {
    return rereadSources(this.#repo, typeof names === 'string' ? [names] : names, options)
  }

  /**
   * Joins entries whose sources name parents that they lack to the sessions that have these, as `sess fsck --relink` does,
   * and gives what came of each. One operation.
   */
  relink(): Promise<Grafting[]> {
    return relink(this.#repo)
  }

  /**
   * Gives the bytes of a session in pieces: its source as it was imported; with a `format`, a `branch` or what stands
   * `below` an entry, and where it came from no file, its entries as that format has them. `onLoss` is told what that
   * does not carry. Throws `no-session`, `no-format`, or as `resolve`. The database is held until the last piece.
   */
  export(session: string | StoredSession, options: ExportOptions = {}): AsyncIterable<Uint8Array> {
    return exportSession(this.#repo, typeof session === 'string' ? session : session.id, options)
  }

  /**
   * Writes a session to a new file or folder `path`, or with `toAgent` where the agent of its format looks, and remembers
   * it: what is added to the file and imported goes on with the session. What the format does not carry is in `losses`.
   * Throws as `export`, `exists`, `no-agent`.
   */
  exportFile(session: string | StoredSession, options: ExportFileOptions): Promise<ExportedSession> {
    return exportedSession(this.#repo, typeof session === 'string' ? session : session.id, options)
  }

  /**
   * Gives the command that goes on with a session in its agent, or in one that it was exported to; of a format in that
   * one's. Nothing is run. Throws `no-session`, `no-agent`, and `not-at-agent` where its file is not where that looks.
   */
  resume(session: string | StoredSession, options: ResumeOptions = {}): Promise<Resume> {
    const id = typeof session === 'string' ? session : session.id
    return resumeOf(this.#repo, id, { ...thisMachine(), ...options })
  }

  /**
   * Gives the session files that agents keep on this machine, by place, unread. Throws `bad-usage` for no known agent.
   */
  discover(options: Partial<DiscoverOptions> = {}): readonly AgentFiles[] {
    return discoverSessions(this.#repo, { ...thisMachine(), ...options })
  }

  /**
   * Takes in what agents keep on this machine, or what `paths` name, then whatever is written there, until the signal
   * aborts. What a file has is in the store when its event is given. Throws `bad-usage` and `no-path`.
   */
  watch(options: FollowOptions): AsyncIterable<WatchEvent> {
    return follow(this.#repo, options)
  }
}

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LossCode } from '../../src/index.ts'
import { exportTo } from '../../src/ops/export/destinations.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import type { Imported } from '../../src/ops/import/result.ts'
import { log } from '../../src/ops/log.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions } from '../../src/repo/session.ts'
import { bundleContent, type FileBundle } from '../../src/sources/bundle.ts'
import type { SourceContent } from '../../src/sources/content.ts'
import { sessionsIn as databaseSessions } from '../../src/sources/databases.ts'
import { OpenCodeStorage } from '../../src/sources/opencodefiles.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { filesIn, newFolder } from './folder.ts'

/** A session that was written to a file. */
export interface Away {
  /** The id that it has there. */
  readonly id: string
  readonly path: string
  readonly remembered: boolean
  readonly losses: ReadonlySet<LossCode>
}

/** Writes a session to a file of a format, or to several. */
export async function sendAway(repo: Repo, session: string, format: string): Promise<Away> {
  const losses = new Set<LossCode>()
  const onLoss = ({ code }: { readonly code: LossCode }): unknown => losses.add(code)
  const { id, remembered, file } = await exportTo(repo, session, `${newFolder()}/`, { format, onLoss })
  return { id, path: file.path, remembered, losses }
}

/** Imports one file, and gives what came of it. */
export async function takeBack(repo: Repo, { path }: Pick<Away, 'path'>): Promise<Imported | undefined> {
  return (await importPaths(repo, [path])).files[0]
}

/** Returns the oids on the path of a session, the newest first. */
export async function pathOf(repo: Repo, session: string): Promise<string[]> {
  const oids: string[] = []
  for await (const { oid } of log(repo, session)) oids.push(oid)
  return oids
}

/** Returns whether what is exported under an id is what was written. */
export async function isGivenBack(repo: Repo, { id, path }: Away): Promise<boolean> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, id)) pieces.push(piece)
  return Buffer.concat(pieces).equals(await bytesAt(path))
}

/** Returns what a file holds, what a database holds as rows, and the messages in a folder, or all its files in one stream. */
async function bytesAt(path: string): Promise<Buffer> {
  if (statSync(path).isDirectory()) {
    const [messages] = filesIn(path, /messages\.jsonl$/)
    if (messages !== undefined) return readFileSync(join(path, messages))
    const storage = new OpenCodeStorage()
    const [own = ''] = filesIn(path, /^session\/.*\.json$/)
    return bytesOf(
      bundleContent(
        storage.session(join(path, own)) as FileBundle,
        new Scratch(join(newFolder(), 'scratch.')),
      ),
    )
  }
  if (!path.endsWith('.db')) return readFileSync(path)
  const [rows] = (await databaseSessions(path, new Scratch(join(newFolder(), 'scratch.')))) ?? []
  return bytesOf(rows as SourceContent)
}

const bytesOf = async (content: SourceContent): Promise<Buffer> => readFileSync((await content.open()).file)

/** Counts the sessions of a store. */
export const sessionsIn = (repo: Repo): Promise<number> =>
  repo.read(async (backend) => {
    let count = 0
    for await (const _ of allSessions(backend)) count++
    return count
  })

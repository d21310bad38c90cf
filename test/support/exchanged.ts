import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LossCode } from '../../src/index.ts'
import { exportSession } from '../../src/ops/export.ts'
import { exportFile } from '../../src/ops/exportfile.ts'
import { type Imported, importPaths } from '../../src/ops/import.ts'
import { log } from '../../src/ops/log.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions } from '../../src/repo/session.ts'
import { newFolder } from './folder.ts'

/** A session that was written to a file. */
export interface Away {
  /** The id that it has there. */
  readonly id: string
  readonly path: string
  readonly remembered: boolean
  readonly losses: ReadonlySet<LossCode>
}

/** Writes a session to a file of a format. */
export async function sendAway(repo: Repo, session: string, format: string): Promise<Away> {
  const losses = new Set<LossCode>()
  const onLoss = ({ code }: { readonly code: LossCode }): unknown => losses.add(code)
  const { id, remembered, file } = await exportFile(
    repo,
    session,
    { format, onLoss },
    {
      isTaken: () => false,
      write: async ({ place }, pieces) => {
        const path = join(newFolder(), place.at(-1) ?? '')
        const all: Uint8Array[] = []
        for await (const piece of pieces) all.push(piece)
        writeFileSync(path, Buffer.concat(all))
        return path
      },
    },
  )
  return { id, path: file, remembered, losses }
}

/** Imports one file, and gives what came of it. */
export async function takeBack(repo: Repo, { path }: Pick<Away, 'path'>): Promise<Imported | undefined> {
  return (await importPaths(repo, [path])).files[0]
}

/** Gives the oids on the path of a session, the newest first. */
export async function pathOf(repo: Repo, session: string): Promise<string[]> {
  const oids: string[] = []
  for await (const { oid } of log(repo, session)) oids.push(oid)
  return oids
}

/** Tells whether what is exported under an id is the file. */
export async function isGivenBack(repo: Repo, { id, path }: Away): Promise<boolean> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, id)) pieces.push(piece)
  return Buffer.concat(pieces).equals(readFileSync(path))
}

/** Counts the sessions of a store. */
export const sessionsIn = (repo: Repo): Promise<number> =>
  repo.read(async (backend) => {
    let count = 0
    for await (const _ of allSessions(backend)) count++
    return count
  })

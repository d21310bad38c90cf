import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore, type Store } from '../../src/index.ts'
import { afterTest } from './cleanup.ts'
import { newFolder } from './folder.ts'

/** Where real transcripts are, if they are: a folder beside the repository. */
export const CORPUS = fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

/** Whether they are not there. */
export const noCorpus = !existsSync(CORPUS)

/** The reason of a skipped test. */
export const SKIPPED = '(skipped where ../shared/corpus is absent)'

/** Returns the files below a folder of the corpus, named from there, in order; none where it is absent. */
export function corpusFiles(folder = '', suffix = ''): string[] {
  if (noCorpus) return []
  return readdirSync(join(CORPUS, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => relative(CORPUS, join(entry.parentPath, entry.name)))
    .sort()
}

/** Returns whether a file is read by the sessions in it: a database, or the main file of a session in several files. */
export const isContainer = (file: string): boolean =>
  /\.db$|(?:^|\/)storage[^/]*\/session\/[^/]+\/[^/]+\.json$/.test(file)

/** How many of the small files of each agent are a sample, and how small they are; all where that is asked for. */
const [EACH, SMALL] = process.env.SESS_CORPUS === 'all' ? [1000, Number.POSITIVE_INFINITY] : [2, 100_000]

/** Returns the bytes of a file of the corpus. */
export const corpusBytes = (file: string): Buffer => readFileSync(join(CORPUS, file))

const AGENTS = new Set(corpusFiles().flatMap((file) => file.split('/').slice(0, -1).slice(0, 1)))

/** A few small files of each agent, or all where `SESS_CORPUS=all` asks for them. */
export const SAMPLE = [...AGENTS].flatMap((agent) =>
  corpusFiles(agent)
    .filter((file) => corpusBytes(file).length < SMALL)
    .slice(0, EACH),
)

/** Returns the lines of a file of the corpus that are not empty. */
export const corpusLines = (file: string): string[] =>
  corpusBytes(file)
    .toString()
    .split('\n')
    .filter((line) => line !== '')

/** Makes an empty store that is closed after the test. */
export async function newStore(dir = join(newFolder(), 'store')): Promise<Store> {
  const store = await openStore(dir, { create: true, cwd: '/' })
  afterTest(() => store.close())
  return store
}

/** Returns all bytes of a session, or the first so many of its source. */
export async function exported(store: Store, session: string, bytes?: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of store.export(session, bytes === undefined ? {} : { bytes })) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Returns the oids of the entries of a session's current branch, or of all its branches, children before parents. */
export async function oidsOf(store: Store, session: string, all = false): Promise<string[]> {
  const oids: string[] = []
  for await (const { oid } of store.log(session, { all })) oids.push(oid)
  return oids
}

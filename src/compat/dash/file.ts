import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { unitsOf } from '../../formats/dash.ts'
import { replaceFile } from '../../library/outside.ts'
import { isObject, type Json, plain } from '../../model/json.ts'
import type { IdSource } from '../../model/uuid.ts'
import { sizeOf } from '../core/files.ts'
import type { DashFileEntry, DashSessionEntry, DashSessionHeader } from './types.ts'

const NEWLINE = 0x0a

/** Returns the records of a session's text, without what is no JSON object; of two on a line both. */
export const parseSessionEntries = (text: string): DashFileEntry[] =>
  unitsOf(new TextEncoder().encode(text)).units.flatMap(recordOf)

/** Returns the records of a session file; none where there is no file, or where it does not begin with a header. */
export const loadEntriesFromFile = (path: string): DashFileEntry[] => SessionFile.read(path)?.records ?? []

const recordOf = ({ value }: { readonly value?: Json | undefined }): DashFileEntry[] =>
  isObject(value) ? [plain(value) as unknown as DashFileEntry] : []

/** Returns whether a record is the header of a session. */
const isHeader = (entry: DashFileEntry | undefined): entry is DashSessionHeader =>
  entry?.type === 'session' && typeof entry.id === 'string'

/** Returns whether a record is a node of a session's tree. */
export const isNode = (entry: DashFileEntry): entry is DashSessionEntry =>
  entry.type !== 'session' && typeof entry.id === 'string'

/** A session file, as it was read or written last. */
export class SessionFile {
  readonly path: string
  /** The records that were read, the header first. */
  readonly records: DashFileEntry[]
  #size: number
  #ended: boolean

  private constructor(path: string, records: DashFileEntry[], size: number, ended: boolean) {
    this.path = path
    this.records = records
    this.#size = size
    this.#ended = ended
  }

  /** Reads a session file; undefined where it is none. */
  static read(path: string): SessionFile | undefined {
    if (sizeOf(path) === undefined) return undefined
    const bytes = readFileSync(path)
    const records = unitsOf(bytes).units.flatMap(recordOf)
    if (!isHeader(records[0])) return undefined
    return new SessionFile(path, records, bytes.length, bytes.at(-1) === NEWLINE)
  }

  /** Makes a session file; throws where there is one. */
  static create(path: string, records: DashFileEntry[]): SessionFile {
    mkdirSync(dirname(path), { recursive: true })
    const text = records.map(lineOf).join('')
    writeFileSync(path, text, { flag: 'wx' })
    return new SessionFile(path, records, Buffer.byteLength(text), true)
  }

  get header(): DashSessionHeader {
    return this.records[0] as DashSessionHeader
  }

  get isMissing(): boolean {
    return sizeOf(this.path) === undefined
  }

  /** Whether others wrote to it since. */
  get changed(): boolean {
    return sizeOf(this.path) !== this.#size
  }

  /** Appends a record; a last line that was not ended is ended first. */
  append(entry: DashSessionEntry): void {
    const text = (this.#ended ? '' : '\n') + lineOf(entry)
    appendFileSync(this.path, text)
    this.#size += Buffer.byteLength(text)
    this.#ended = true
  }

  /** Makes what was written durable. */
  sync(): void {
    const file = openSync(this.path, 'r+')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  /** Replaces the header, atomically and durably; all else stays. Throws `cannot-write` and `no-space`. */
  replaceHeader(header: DashSessionHeader): void {
    const { units, tail } = unitsOf(readFileSync(this.path))
    const at = units.findIndex((unit) => isHeader(recordOf(unit)[0]))
    const parts = units.map(({ bytes, lead }, i) =>
      i === at ? Buffer.concat([bytes.subarray(0, lead), Buffer.from(JSON.stringify(header))]) : bytes,
    )
    const bytes = Buffer.concat([...parts, ...tail])
    replaceFile(this.path, bytes)
    this.#size = bytes.length
  }
}

const lineOf = (entry: DashFileEntry): string => `${JSON.stringify(entry)}\n`

/** The version of the session files that are written. */
export const CURRENT_SESSION_VERSION = 1

/** Returns 8 random hex digits. */
export const hexId = (env: IdSource): string => Buffer.from(env.random(4)).toString('hex')

/** Returns the time as entries have it. */
export const timeNow = (env: IdSource): string => new Date(env.now()).toISOString()

/** Returns the header of a session that begins. */
export const newHeader = (env: IdSource, cwd: string): DashSessionHeader => ({
  type: 'session',
  version: CURRENT_SESSION_VERSION,
  id: `sess_${hexId(env)}`,
  timestamp: timeNow(env),
  cwd,
})

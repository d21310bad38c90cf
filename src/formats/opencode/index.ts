import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { newestOf } from '../../model/version.ts'
import { defineFormat, selectFields } from '../core/define.ts'
import { FactHistory } from '../core/facthistory.ts'
import type { Agent, Facts, FormatReader, ParsedEntry, Reading, RecordIndex } from '../core/format.ts'
import { IdMap } from '../core/idmap.ts'
import type { Sample } from '../core/sample.ts'
import type { Unit, Warning } from '../core/splitter.ts'
import { factsOf, fieldAt, rowOf } from '../core/values.ts'
import { bodyOf, clearedAt, clearedBody, ENTRIES } from './entries.ts'
import { KNOWN } from './known.ts'
import { detect, splitter } from './split.ts'
import { ENTRIES_2, isEntry2, startedBy2 } from './version2.ts'
import { files, rows, writer } from './write.ts'

/** The title of an untitled session. */
const UNNAMED = /^(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Reads the messages of one session of OpenCode, in order. */
class OpenCodeReader implements FormatReader {
  #count = 0
  #tip: RecordIndex | null = null
  /** The metadata of the session, in the form of its export. */
  #info: JsonObject = {}
  readonly #folders = new FactHistory()
  readonly #ids = new IdMap()
  /** The parents of messages. */
  readonly #parents = new Map<RecordIndex, RecordIndex | null>()
  /** Messages of which something is to be cleared. */
  readonly #cleared = new Map<Json, RecordIndex>()
  /** The first message that a compaction keeps, by the id of its prompt. */
  readonly #tails = new Map<string, string>()
  /** The messages whose tasks are sessions of their own, by the ids of these. */
  readonly #agents = new Map<string, RecordIndex>()
  /** Whether its messages are in the tables of version 1: then those of version 2 beside them are no entries. */
  #isVersion1 = false

  read(unit: Unit): Reading {
    const at = this.#count++
    if (at === 0) this.#head(unit)
    const { value } = unit
    if (!isObject(value)) return {}
    if (isObject(value.cleared)) return this.#edit(at, value.cleared, value.time)
    const { info } = value
    if (isObject(info) && Array.isArray(value.parts)) return this.#message(at, value, info)
    const message = messageOf2(value)
    if (message) return this.#isVersion1 ? {} : this.#message2(at, message)
    if (value.table === 'session' || value.table === 'session_v2') this.#row(value.row)
    else if (isObject(info)) this.#info = info
    else if (asString(value.projectID) !== undefined) this.#info = value
    return {}
  }

  active(): RecordIndex | null {
    const reverted = this.#ids.get(asString(field(this.#info.revert, 'messageID')) ?? '')
    return reverted === undefined ? this.#tip : (this.#parents.get(reverted) ?? null)
  }

  facts(): Facts {
    const { id, title, directory, location, parentID, fork, version } = this.#info
    const created = field(this.#info.time, 'created')
    const words = asString(title) ?? ''
    this.#folders.add(directory)
    const cwd = asString(directory) ?? asString(field(location, 'directory')) ?? this.#folders.last
    return factsOf({
      id: asString(id),
      title: UNNAMED.test(words) ? undefined : words,
      cwd,
      folders: this.#folders.several,
      parent: asString(parentID) ?? asString(field(fork, 'sessionID')),
      version: newestOf([asString(version)]),
      subagents: this.#agents.size > 0 ? this.#agents : undefined,
      created: typeof created === 'number' ? created : undefined,
    })
  }

  /** An export has the session's metadata before its first message. */
  #head({ bytes, lead }: Unit): void {
    const text = new TextDecoder().decode(bytes.subarray(0, lead)).trim()
    const info = text.startsWith('{') ? field(tryParse(`${text}]}`), 'info') : undefined
    if (isObject(info)) this.#info = info
  }

  #row(row: Json | undefined): void {
    const of = (column: string): Json => field(row, column) ?? null
    this.#info = {
      id: of('id'),
      title: of('title'),
      directory: of('directory'),
      parentID: of('parent_id'),
      fork: { sessionID: of('fork_session_id') },
      version: of('version'),
      revert: of('revert'),
      time: { created: of('time_created') },
    }
  }

  /** Reads a message of OpenCode 2, in its row or in an export. */
  #message2(at: RecordIndex, { type, data, native, ...found }: Message2): Reading {
    for (const item of type === 'assistant' ? items(data.content) : []) {
      const started = startedBy2(item)
      if (started !== undefined && !this.#agents.has(started)) this.#agents.set(started, at)
    }
    if (type === 'location-switched') this.#moved(data)
    const warnings = native === undefined ? [] : this.#name(native, at)
    this.#parents.set(at, this.#tip)
    const time = field(data.time, 'created')
    const declared = ENTRIES_2[type]
    return {
      time: typeof time === 'number' ? time : undefined,
      native,
      ...(warnings.length > 0 && { warnings }),
      ...(declared &&
        isEntry2(type, data) && {
          entry: this.#extend(at, {
            type: `opencode/${type}`,
            body: selectFields(data, declared.body ?? {}),
            ...found,
          }),
        }),
    }
  }

  #moved(data: JsonObject): void {
    for (const of of [data.previous, data]) {
      const folder = asString(fieldAt(of, 'location', 'directory'))
      if (folder !== undefined) this.#folders.add(folder)
    }
  }

  /** Records the id of a record. */
  #name(native: string, at: RecordIndex): Warning[] {
    if (this.#ids.has(native))
      return [{ code: 'duplicate-id', message: `the id '${native}' is taken; it names its first message` }]
    this.#ids.set(native, at)
    return []
  }

  #message(at: RecordIndex, value: JsonObject, info: JsonObject): Reading {
    this.#isVersion1 = true
    const native = asString(info.id) ?? asString(field(items(value.rows)[0], 'id'))
    const warnings: Warning[] = []
    this.#folders.add(fieldAt(info, 'path', 'cwd'))
    const links = this.#compacts(info) ? this.#linksOf(info, warnings) : {}
    for (const part of items(value.parts)) {
      const tail = asString(field(part, 'tail_start_id'))
      if (tail !== undefined && native !== undefined) this.#tails.set(native, tail)
      const started = asString(fieldAt(part, 'state', 'metadata', 'sessionId'))
      if (started !== undefined) this.#agents.set(started, at)
    }
    if (native !== undefined) warnings.push(...this.#name(native, at))
    if (items(value.parts).some((part) => clearedAt(part) !== undefined)) this.#cleared.set(value, at)
    const time = field(info.time, 'created')
    return {
      entry: this.#extend(at, { type: 'opencode/message', body: bodyOf(value), ...links }),
      time: typeof time === 'number' ? time : undefined,
      native,
      ...(warnings.length > 0 && { warnings }),
    }
  }

  #edit(at: RecordIndex, message: JsonObject, time: Json | undefined): Reading {
    const target = this.#cleared.get(message)
    if (target === undefined || typeof time !== 'number') return {}
    const body = clearedBody(message, time)
    return { entry: this.#extend(at, { type: 'opencode/edit', body, links: { target } }), time }
  }

  #extend(at: RecordIndex, entry: Omit<ParsedEntry, 'parent'>): ParsedEntry {
    const parent = this.#tip
    this.#parents.set(at, parent)
    this.#tip = at
    return { ...entry, parent }
  }

  #compacts = (info: JsonObject): boolean => info.summary === true && info.finish !== undefined

  #linksOf({ parentID }: JsonObject, warnings: Warning[]): Pick<ParsedEntry, 'links'> {
    const tail = this.#tails.get(asString(parentID) ?? '')
    if (tail === undefined) return {}
    const firstKept = this.#ids.get(tail)
    if (firstKept !== undefined) return { links: { firstKept } }
    warnings.push({
      code: 'dangling-target',
      message: `the message '${tail}' that it keeps was not read before it`,
    })
    return {}
  }
}

/** A message of OpenCode 2. */
interface Message2 extends Pick<ParsedEntry, 'bodyPath'> {
  readonly type: string
  readonly data: JsonObject
  readonly native: string | undefined
}

/** Returns a message of OpenCode 2: of a row of its table, or one in its export; undefined for anything else. */
function messageOf2(value: JsonObject): Message2 | undefined {
  const row = rowOf(value, 'session_message')
  const { id, type, data = null } = row ?? value
  if (typeof type !== 'string') return undefined
  const native = asString(id)
  if (row) return isObject(data) ? { type, data, native, bodyPath: ['row', 'data'] } : undefined
  return isObject(value.time) && native !== undefined ? { type, data: value, native } : undefined
}

/** The programs with this format take sessions from a file into their databases. */
const agentNamed = (title: string, program: string): Agent => ({
  title,
  take: ({ path }) => [program, 'import', path],
  resume: ({ id }) => [program, '--session', id],
})

const agent = agentNamed('OpenCode', 'opencode')

/** OpenCode before 2026: it finds the files of a session where they are. */
const agentOfFiles: Agent = { title: agent.title, resume: (session) => agent.resume(session) }

const READING = {
  rewrittenWhole: true,
  splitter,
  reader: () => new OpenCodeReader(),
  entries: { ...ENTRIES, ...ENTRIES_2 },
  known: KNOWN,
}

/** The sessions of OpenCode: what it exports, the files that it kept them in, and the rows of its database. */
export const opencode = defineFormat({
  name: 'opencode',
  ...READING,
  detect,
  writer,
  agent,
  variants: {
    'opencode-files': { writer: files, agent: agentOfFiles },
    'opencode-database': { writer: rows },
  },
})

/** Kilo's folder of exports, and its database or folder of files. */
const isOfKilo = ({ name, folder = '', above = [] }: Sample): boolean =>
  /^kilo[\w.-]*\.db$/.test(name) ||
  /[\\/]kilo[\\/]storage$/.test(folder) ||
  (folder === 'import' && above[0] === 'kilo')

/** The sessions of Kilo's command line, which is made from OpenCode: only where they are shows that they are Kilo's. */
export const kilo = defineFormat({
  name: 'kilo',
  dialect: 'opencode',
  ...READING,
  detect: (sample) => isOfKilo(sample) && detect(sample),
  writer: { ...writer, place: ({ id }) => ['kilo', 'import', `${id}.json`] },
  agent: agentNamed('Kilo', 'kilo'),
})

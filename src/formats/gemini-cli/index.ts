import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { bodyOf, defineFormat } from '../core/define.ts'
import type { Agent, Facts, FormatReader, ProjectNote, Reading, RecordIndex } from '../core/format.ts'
import { words } from '../core/known.ts'
import { RechainBudget } from '../core/rechaining.ts'
import type { Unit, Warning } from '../core/splitter.ts'
import { factsOf, millis } from '../core/values.ts'
import { ENTRIES, speakerOf } from './entries.ts'
import { detect, log, splitter } from './split.ts'
import { writer } from './write.ts'

/** A message of the conversation as it is now. */
interface ListedMessage {
  readonly native: string | undefined
  readonly time: number | undefined
  /** The record that carries its entry; undefined for what is shown only. */
  readonly record?: RecordIndex
  /** The last entry at or before it. */
  readonly tip: RecordIndex | null
}

/** The parts of a file's path that may name sessions: a sub-agent's file is `chats/<the caller's id>/<its own id>.jsonl`. */
interface FileNames {
  readonly stem: string
  readonly folder: string
  /** Whether the folder is in one that is called `chats`. */
  readonly isInChats: boolean
}

/** Ids of sessions have digits. The folder of a copy seldom has the name of one. */
const ID = /\d/

/**
 * Reads the events of one session in order, as Gemini itself replays them: a message with a known id replaces the one
 * before, `$set` changes the header or the whole list, `$rewindTo` removes a message and all after it
 * (`loadConversationRecord` of its recording service).
 */
class GeminiReader implements FormatReader {
  private next: RecordIndex = 0
  private readonly items: ListedMessage[] = []
  private readonly places = new Map<string, number>()
  private header: JsonObject = {}
  readonly #names: FileNames
  /** The messages whose calls started sub-agents. */
  private readonly agents = new Map<string, RecordIndex>()
  private readonly budget = new RechainBudget()

  constructor(names: FileNames) {
    this.#names = names
  }

  read({ value, enclosing }: Unit): Reading {
    const at = this.next++
    this.budget.read()
    const superseded = enclosing ? this.#event(enclosing) : []
    const reading = isObject(value) ? this.#take(value, at) : {}
    this.next += reading.rechained?.length ?? 0
    const replaced = [...superseded, ...(reading.superseded ?? [])]
    return { ...reading, ...(replaced.length > 0 && { superseded: replaced }) }
  }

  active(): RecordIndex | null {
    return this.items.at(-1)?.tip ?? null
  }

  facts(): Facts {
    const { sessionId, summary, startTime, start_time, directories, kind } = this.header
    const { stem, folder, isInChats } = this.#names
    const isAgent = kind === 'subagent'
    const isCallers = isInChats || (stem === sessionId && folder !== 'chats' && ID.test(folder))
    const caller = isCallers ? folder : undefined
    const id = asString(sessionId) ?? (isAgent && caller !== undefined ? stem : undefined)
    return factsOf({
      id,
      title: asString(summary),
      // In the folder of its caller's own file it has the id of its caller.
      parent: isAgent ? (caller ?? id) : undefined,
      subagent: isAgent || undefined,
      subagents: this.agents.size > 0 ? this.agents : undefined,
      cwd: asString(items(directories)[0]),
      folders:
        items(directories).length > 1 ? items(directories).flatMap((one) => asString(one) ?? []) : undefined,
      created: millis(startTime) ?? millis(start_time),
    })
  }

  #take(value: JsonObject, at: RecordIndex): Reading {
    const speaker = speakerOf(value)
    if (speaker !== undefined || asString(value.id) !== undefined) return this.#message(value, at)
    const superseded = this.#event(value)
    return superseded.length > 0 ? { superseded } : {}
  }

  /** Takes a record that is no message, and returns the records whose entries it replaces. */
  #event(value: JsonObject): RecordIndex[] {
    const target = asString(value.$rewindTo)
    if (target !== undefined) this.#cut(this.places.get(target) ?? 0)
    const set = isObject(value.$set) ? value.$set : value.$set === undefined ? value : {}
    const { messages, history: _, ...header } = set
    this.header = { ...this.header, ...header }
    // A list that is not empty here holds what is no message.
    return Array.isArray(messages) && messages.length === 0 ? this.#cut(0) : []
  }

  /** Removes the messages from a position on, and returns the records that carry them. */
  #cut(place: number): RecordIndex[] {
    const left = this.items.splice(place)
    for (const { native } of left) if (native !== undefined) this.places.delete(native)
    return left.flatMap(({ record }) => record ?? [])
  }

  #message(value: JsonObject, at: RecordIndex): Reading {
    const [native, time] = [asString(value.id), millis(value.timestamp) ?? millis(value.ts)]
    const envelope = { native, time }
    const place = (native === undefined ? undefined : this.places.get(native)) ?? this.items.length
    if (!this.budget.spend(this.items.length - place)) return { ...envelope, warnings: [REWRITTEN] }
    const parent = this.items[place - 1]?.tip ?? null
    const speaker = speakerOf(value)
    const replaced = this.items.slice(place).flatMap(({ record }) => record ?? [])
    const carrier = speaker === undefined ? {} : { record: at }
    if (speaker !== undefined) this.#noteAgents(value, at)
    if (native !== undefined) this.places.set(native, place)
    this.items[place] = { ...envelope, ...carrier, tip: speaker === undefined ? parent : at }
    return {
      ...envelope,
      ...(speaker && { entry: { type: `gemini/${speaker}`, body: bodyOf(ENTRIES, speaker, value), parent } }),
      ...this.#rechainAfter(place, at),
      ...(replaced.length > 0 && { superseded: replaced }),
    }
  }

  #noteAgents({ toolCalls }: JsonObject, at: RecordIndex): void {
    for (const call of items(toolCalls)) {
      const started = asString(field(call, 'agentId'))
      if (started !== undefined) this.agents.set(started, at)
    }
  }

  /** Chains the messages after a position again, in records after the current one. */
  #rechainAfter(place: number, at: RecordIndex): Pick<Reading, 'rechained'> {
    let tip = this.items[place]?.tip ?? null
    let next = at
    const again = this.items.slice(place + 1).flatMap((item, i) => {
      if (item.record === undefined) {
        this.items[place + 1 + i] = { ...item, tip }
        return []
      }
      const { record, time, native } = item
      const one = { original: record, parent: tip, time, native }
      tip = ++next
      this.items[place + 1 + i] = { ...item, record: next, tip }
      return [one]
    })
    return again.length > 0 ? { rechained: again } : {}
  }
}

const REWRITTEN: Warning = {
  code: 'duplicate-id',
  message: 'the file rewrites too many early messages: this one is kept as a record only',
}

/** Returns the files that note the project of `tmp/<project>/chats`: one in that folder, and the list of all projects. */
function projectNotes(folder: string, above: readonly string[]): readonly ProjectNote[] {
  const level = [folder, ...above].indexOf('chats')
  const name = above[level]
  if (level < 0 || name === undefined) return []
  const up = '../'.repeat(level + 1)
  return [
    { file: `${up}.project_root`, project: (text) => text.trim() },
    { file: `${up}../../projects.json`, project: (text) => projectNamed(name, tryParse(text)) },
  ]
}

function projectNamed(name: string, list: Json | undefined): string | undefined {
  const projects = field(list, 'projects')
  return isObject(projects) ? Object.keys(projects).find((path) => projects[path] === name) : undefined
}

/** Gemini CLI: it looks in the folder of the project for a session by the beginning of the id in the name of its file. */
const agent: Agent = {
  title: 'Gemini CLI',
  resume: ({ id }) => ['gemini', '--resume', id],
  perFolder: true,
}

/** The fields of a session's metadata. */
const HEADER = words(`
  sessionId projectHash startTime start_time lastUpdated kind summary directories memoryScratchpad
`)

/** Gemini CLI: `tmp/<project>/chats/session-<time>-<id>.jsonl`, the `.json` files before them, and its checkpoints. */
export const gemini = defineFormat({
  name: 'gemini-cli',
  dialect: 'gemini',
  // The old documents are rewritten with every change.
  rewrittenWhole: true,
  detect,
  splitter,
  laterSplitter: log,
  reader: (name, folder = '', above = []) =>
    new GeminiReader({ stem: name.replace(/\.jsonl?$/, ''), folder, isInChats: above[0] === 'chats' }),
  projectNotes,
  entries: ENTRIES,
  known: {
    written: '2026-08',
    types: { type: words('user gemini model assistant info warning error'), kind: words('main subagent') },
    fields: {
      '': [
        ...HEADER,
        ...words('id timestamp ts role parts displayContent toolCalls $set $rewindTo messages'),
      ],
      $set: [...HEADER, 'messages', 'history'],
      content: words('text inlineData'),
      thoughts: words('subject description text timestamp'),
      toolCalls: words(`
        id name args result status timestamp resultDisplay description displayName renderOutputAsMarkdown agentId
      `),
    },
    document: { fields: { '': [...HEADER, ...words('messages history meta $set')] } },
  },
  writer,
  agent,
})

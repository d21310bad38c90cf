import { asString, field, isObject, type Json, type JsonObject, without } from '../model/json.ts'
import { inputText } from '../model/search/entrytext.ts'
import { type Block, OPAQUE, type View } from '../model/view.ts'
import { all, bodyOf, defineFormat, type EntryDeclarations, fields, viewOf } from './core/define.ts'
import {
  type Agent,
  type Facts,
  type FormatReader,
  NONE,
  type ParsedEntry,
  type Reading,
  type RecordIndex,
} from './core/format.ts'
import { IdTree } from './core/idtree.ts'
import { jsonLines } from './core/jsonlines.ts'
import { words } from './core/known.ts'
import type { Sample } from './core/sample.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { factsOf, fieldAt } from './core/values.ts'
import { blocksOf, compactionView, modelIn, roleNamed } from './core/views.ts'
import type { Draft, FormatWriter } from './core/writer.ts'
import { millis } from './pi/read.ts'
import { fileName, headerOf, linesOf } from './pi/write.ts'
import type { PiForm } from './pi/writerecords.ts'

/** Dash: it opens a file that a program or its server names, and knows no command for that. */
const agent: Agent = {
  title: 'Dash',
  resume: () => [],
  opens: ({ path }) => `open the file in a program on Dash: SessionTree.open(${JSON.stringify(path)})`,
  anywhere: true,
}

/** Returns the units of a whole session file, and what follows the last of them. */
export function unitsOf(bytes: Uint8Array): {
  readonly units: readonly Unit[]
  readonly tail: readonly Uint8Array[]
} {
  const splitter = jsonLines()
  const units = splitter.push(bytes)
  const end = splitter.end()
  return { units: [...units, ...end.units], tail: end.tail }
}

/** Returns whether a source is a session file of Dash: its first object is a header of version 1. */
const detect = ({ lines: [first] }: Sample): boolean =>
  field(first, 'type') === 'session' &&
  field(first, 'version') === 1 &&
  typeof field(first, 'id') === 'string' &&
  field(first, 'parent') === undefined &&
  field(first, 'uuid') === undefined

/** Reads the records of one session file of Dash, in order. */
class DashReader implements FormatReader {
  private readonly tree = new IdTree()
  /** The label of each target, the newest last. */
  private readonly labels = new Map<string, string>()
  /** The branch that each record belongs to, and the newest record of each branch. */
  private readonly branches: (string | undefined)[] = []
  private readonly tips = new Map<string, RecordIndex>()
  private header: JsonObject | undefined

  read(unit: Unit): Reading {
    const { value } = unit
    if (!isObject(value) || value.type === 'session') {
      this.tree.skip(unit)
      if (!isObject(value)) return {}
      this.header ??= value
      return { time: millis(value.timestamp), native: asString(value.id) }
    }
    const at = this.tree.length
    const warnings: Warning[] = []
    const kind = asString(value.type) ?? ''
    const { parentId } = value
    const parent = this.tree.parent(parentId, warnings)
    this.#note(value, kind)
    const entry = Object.hasOwn(ENTRIES, kind)
      ? {
          type: `dash/${kind}`,
          body: bodyOf(ENTRIES, kind, value),
          ...this.#linksOf(kind, value, parent, warnings),
        }
      : undefined
    const reading = this.tree.add(unit, {
      native: asString(value.id),
      time: millis(value.timestamp),
      parent,
      parentId: parentId ?? null,
      entry,
      warnings,
    })
    if (this.tree.nodes.isNode(at)) this.#noteBranch(value, at, parent)
    return reading
  }

  active(): RecordIndex | null {
    return this.tree.entryOf(this.tree.last)
  }

  facts(): Facts {
    const { id, name: title, cwd, timestamp } = this.header ?? {}
    return {
      ...factsOf({
        id: asString(id),
        title: asString(title),
        cwd: asString(cwd),
        created: millis(timestamp),
      }),
      labels: this.tree.entriesOf(
        [...this.labels].map(([target, label]) => [label, this.tree.named(target)]),
      ),
      branches: this.tree.entriesOf([...this.tips].map(([name, tip]) => [name, this.tree.current(tip)])),
    }
  }

  #linksOf(
    kind: string,
    value: JsonObject,
    parent: RecordIndex,
    warnings: Warning[],
  ): Pick<ParsedEntry, 'links'> {
    if (kind !== 'compaction') return {}
    const target = this.tree.named(value.firstKeptEntryId)
    const firstKept = target === undefined ? undefined : this.tree.nodes.entryFrom(target, parent)
    if (firstKept !== undefined) return { links: { firstKept } }
    // A compaction that names itself keeps nothing.
    if (value.firstKeptEntryId !== undefined && value.firstKeptEntryId !== value.id)
      warnings.push({
        code: 'dangling-target',
        message: 'firstKeptEntryId is no entry before it on its path',
      })
    return {}
  }

  /** Notes the label in a record. */
  #note(value: JsonObject, kind: string): void {
    if (kind === 'label') {
      const [target, label] = [asString(value.targetId), asString(value.label)]
      if (target !== undefined) this.labels.delete(target)
      if (target !== undefined && label) this.labels.set(target, label)
    }
  }

  /** Notes the branch of a record: the one that it begins, else that of its parent. */
  #noteBranch(value: JsonObject, at: RecordIndex, parent: RecordIndex): void {
    const named = value.type === 'branch_point' ? asString(value.branchName) : undefined
    const branch = named ?? (parent === NONE ? undefined : this.branches[this.tree.origin(parent)])
    this.branches[at] = branch
    if (branch !== undefined) this.tips.set(branch, at)
  }
}

/** The entries of Dash. What an agent of a swarm did shows nothing. */
export const ENTRIES: EntryDeclarations = {
  message: {
    body: { ...all('role', 'content'), metadata: fields(all('model', 'provider', 'cost', 'tokens')) },
    view: messageView,
  },
  agent_action: { body: all('action', 'agentId', 'data'), view: () => OPAQUE },
  compaction: {
    body: all('summary', 'tokensBefore'),
    view: (body) => compactionView(field(body, 'summary')),
  },
}

function messageView(body: Json): View {
  const metadata = field(body, 'metadata')
  const cost = field(metadata, 'cost')
  return {
    role: roleNamed(field(body, 'role')),
    blocks: blocksOf(field(body, 'content')),
    ...(typeof cost === 'number' && { usage: { cost } }),
    ...modelIn(field(metadata, 'model'), field(metadata, 'provider')),
  }
}

const FORM: PiForm = {
  dialect: 'dash',
  view: writtenView,
  system: 'system',
  edits: false,
  modes: false,
  model: () => ({}),
  labels: true,
  title: () => undefined,
  head: (branchName) => ({ type: 'branch_point', branchName }),
  hasText: (record) => field(wordy(record), 'content') !== '',
  begin: () => ({ header: (draft) => [header(draft)], record: (record) => [wordy(record)] }),
}

/** Writes sessions of Dash: version 1, a tree by `id` and `parentId`, whose messages are texts. */
const writer: FormatWriter = {
  branched: true,
  takesId: (id) => /^sess_[0-9a-f]{8}$/.test(id),
  idOf: (uuid) => `sess_${uuid.slice(0, 8)}`,
  place: ({ id, created }) => ['sessions', fileName(id, created)],
  lines: (draft) => linesOf(draft, FORM),
}

function header(draft: Draft): JsonObject {
  const own = without(headerOf(draft), 'name')
  return { ...own, version: 1, ...(draft.title !== undefined && { name: draft.title }) }
}

function writtenView(kind: string, made: Json): View {
  const isEntry = isObject(made) && Object.hasOwn(ENTRIES, kind)
  return viewOf(ENTRIES, kind, isEntry ? bodyOf(ENTRIES, kind, wordy({ ...made, type: kind })) : made)
}

/** Returns a record of pi in Dash's form: the fields of its message are its own, and the content is a text. */
function wordy({ message, ...record }: JsonObject): JsonObject {
  if (!isObject(message)) return record
  const { role = 'user', content, isError } = message
  const blocks = blocksOf(content)
  const failed = isError === true ? '[failed] ' : ''
  return {
    ...record,
    role: role === 'toolResult' ? 'tool' : role,
    content: failed + blocks.flatMap(wordsOf).join('\n'),
    ...(role === 'assistant' && metadataOf(message)),
  }
}

function wordsOf(block: Block): string[] {
  if (block.kind === 'text') return [block.text]
  return block.kind === 'toolCall' ? [`[${block.name}] ${inputText(block.input)}`] : []
}

function metadataOf({ model, provider, usage }: JsonObject): JsonObject {
  const known = (name: string, value: Json | undefined): JsonObject =>
    asString(value) === undefined || value === 'unknown' ? {} : { [name]: value as Json }
  const [cost, tokens] = [fieldAt(usage, 'cost', 'total'), field(usage, 'totalTokens')]
  const took = typeof tokens === 'number' && tokens > 0 ? { cost: cost ?? 0, tokens } : {}
  return { metadata: { ...known('model', model), ...known('provider', provider), ...took } }
}

/** The session files of Dash (godel), version 1: a tree by `id` and `parentId` with inline messages. */
export const dash = defineFormat({
  name: 'dash',
  detect,
  reader: () => new DashReader(),
  entries: ENTRIES,
  known: {
    written: '2026-08',
    types: { type: words('session message compaction agent_action branch_point label') },
    fields: {
      '': words(`
        type version id timestamp cwd name parentId role content summary firstKeptEntryId tokensBefore metadata
        targetId label branchName description
      `),
      metadata: words('model provider cost tokens latency'),
    },
  },
  writer,
  agent,
})

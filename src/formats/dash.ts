import { asString, field, isObject, type Json, type JsonObject, without } from '../model/json.ts'
import { inputText } from '../model/said.ts'
import { type Block, OPAQUE, ROLES, type View } from '../model/view.ts'
import { blocksOf } from './core/contentblocks.ts'
import { defineFormat, entriesBy } from './core/define.ts'
import { all, type FieldSelector, fields, selectFields } from './core/fields.ts'
import type { Agent, Facts, ParsedEntry, Reader, Reading, RecordIndex } from './core/format.ts'
import { IdMap } from './core/idmap.ts'
import { lackedIn, NO_ID, NONE, RecordTree } from './core/recordtree.ts'
import type { Sample } from './core/sample.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { given } from './core/values.ts'
import type { Draft, FormatWriter } from './core/writer.ts'
import { millis } from './pi/read.ts'
import type { PiForm } from './pi/records.ts'
import { fileName, headerOf, linesOf } from './pi/write.ts'

/** Dash: it opens a file that a program or its server names, and knows no command for that. */
const agent: Agent = {
  title: 'Dash',
  resume: () => [],
  opens: ({ path }) => `open the file in a program on Dash: SessionTree.open(${JSON.stringify(path)})`,
  anywhere: true,
}

const BODIES: Readonly<Record<string, Readonly<Record<string, FieldSelector>>>> = {
  message: { ...all('role', 'content'), metadata: fields(all('model', 'provider', 'cost', 'tokens')) },
  agent_action: all('action', 'agentId', 'data'),
  compaction: all('summary', 'tokensBefore'),
}

/** The types of the records that carry an entry. */
const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/** Returns the conversation-bearing part of a record of one of `KINDS`: no ids, no times. */
export const bodyOf = (kind: string, value: JsonObject): Json =>
  selectFields(value, BODIES[kind] as Readonly<Record<string, FieldSelector>>)

/** Returns whether a source is a session file of Dash: its first object is a header that says version 1. */
const detect = ({ lines: [first] }: Sample): boolean =>
  field(first, 'type') === 'session' &&
  field(first, 'version') === 1 &&
  typeof field(first, 'id') === 'string' &&
  field(first, 'parent') === undefined &&
  field(first, 'uuid') === undefined

/** The records that carry no entry. */
const PASSED: ReadonlySet<string> = new Set(['session', 'label', 'branch_point'])

/** Reads the records of one session file of Dash, in order. */
class DashReader implements Reader {
  readonly #nodes = new RecordTree()
  readonly #ids = new IdMap()
  /** The label of each target, the one given last at the end. */
  readonly #labels = new Map<string, string>()
  /** The branch that each record belongs to, and the newest record of each branch. */
  readonly #branches: (string | undefined)[] = []
  readonly #tips = new Map<string, RecordIndex>()
  readonly #unknown = new Set<string>()
  #header: JsonObject | undefined
  #last: RecordIndex = NONE

  read({ value }: Unit): Reading {
    const at = this.#nodes.length
    if (!isObject(value) || value.type === 'session') {
      this.#nodes.skip()
      if (!isObject(value)) return {}
      this.#header ??= value
      return envelopeOf(value)
    }
    const warnings: Warning[] = []
    const kind = asString(value.type) ?? ''
    const parent = this.#parentOf(value, warnings)
    const links = kind === 'compaction' ? this.#linksOf(value, parent, warnings) : {}
    this.#nodes.add(parent, KINDS.has(kind), lackedIn(warnings, value.parentId))
    this.#note(value, kind, { at, parent }, warnings)
    const reading = { ...envelopeOf(value), ...(warnings.length > 0 && { warnings }) }
    if (!KINDS.has(kind)) return reading
    const above = this.#nodes.entryAt(parent)
    const body = bodyOf(kind, value)
    return {
      ...reading,
      entry: { type: `dash/${kind}`, body, parent: above === NONE ? null : above, ...links },
      ...given('dangling', this.#nodes.lacking(at)),
    }
  }

  active(): RecordIndex | null {
    const entry = this.#nodes.entryAt(this.#last)
    return entry === NONE ? null : entry
  }

  facts(): Facts {
    const [id, title] = [asString(field(this.#header, 'id')), asString(field(this.#header, 'name'))]
    const cwd = asString(field(this.#header, 'cwd'))
    const created = millis(field(this.#header, 'timestamp'))
    return {
      ...(id !== undefined && { id }),
      ...(title && { title }),
      ...(cwd && { cwd }),
      ...(created !== undefined && { created }),
      labels: this.#entries(
        [...this.#labels].map(([target, label]) => [label, this.#ids.get(target) ?? NONE]),
      ),
      branches: this.#entries([...this.#tips]),
    }
  }

  #entries(named: readonly (readonly [name: string, at: RecordIndex])[]): ReadonlyMap<string, RecordIndex> {
    const entries = named.map(([name, at]) => [name, this.#nodes.entryAt(at)] as const)
    return new Map(entries.filter(([, at]) => at !== NONE))
  }

  #parentOf(value: JsonObject, warnings: Warning[]): RecordIndex {
    const id = value.parentId
    if (id === null || id === undefined) return NONE
    const parent = this.#ids.get(asString(id) ?? '')
    if (parent === undefined)
      warnings.push({ code: 'dangling-parent', message: 'its parent was not read before: a root' })
    return parent ?? NONE
  }

  #linksOf(value: JsonObject, parent: RecordIndex, warnings: Warning[]): Pick<ParsedEntry, 'links'> {
    const target = this.#ids.get(asString(value.firstKeptEntryId) ?? '')
    const firstKept = target === undefined ? undefined : this.#nodes.entryFrom(target, parent)
    if (firstKept !== undefined) return { links: { firstKept } }
    // One that names itself keeps nothing.
    if (value.firstKeptEntryId !== undefined && value.firstKeptEntryId !== value.id)
      warnings.push({
        code: 'dangling-target',
        message: 'firstKeptEntryId is no entry before it on its path',
      })
    return {}
  }

  /** Remembers what later records and the facts may ask of this one. */
  #note(
    value: JsonObject,
    kind: string,
    { at, parent }: { readonly at: RecordIndex; readonly parent: RecordIndex },
    warnings: Warning[],
  ): void {
    this.#last = at
    const native = asString(value.id)
    if (native !== undefined && this.#ids.has(native))
      warnings.push({
        code: 'duplicate-id',
        message: `the id '${native}' is taken; it names its first record`,
      })
    else if (native !== undefined) this.#ids.set(native, at)
    else if (KINDS.has(kind)) warnings.push(NO_ID)
    const named = kind === 'branch_point' ? asString(value.branchName) : undefined
    const branch = named ?? (parent === NONE ? undefined : this.#branches[parent])
    this.#branches[at] = branch
    if (branch !== undefined) this.#tips.set(branch, at)
    if (kind === 'label') this.#label(asString(value.targetId), asString(value.label))
    if (KINDS.has(kind) || PASSED.has(kind) || this.#unknown.has(kind)) return
    this.#unknown.add(kind)
    warnings.push({ code: 'unknown-type', message: `records of type '${kind}' are kept as records only` })
  }

  #label(target: string | undefined, label: string | undefined): void {
    if (target === undefined) return
    this.#labels.delete(target)
    if (label) this.#labels.set(target, label)
  }
}

function envelopeOf(value: JsonObject): Pick<Reading, 'time' | 'native'> {
  const [time, native] = [millis(value.timestamp), asString(value.id)]
  return { ...(time !== undefined && { time }), ...(native !== undefined && { native }) }
}

/** Returns what an entry of Dash means, from its kind and body. What an agent of a swarm did shows nothing. */
export function view(kind: string, body: Json): View {
  if (kind === 'compaction') {
    const summary = asString(field(body, 'summary')) ?? ''
    return { role: null, blocks: [], effect: { kind: 'compaction', summary } }
  }
  return kind === 'message' ? messageView(body) : OPAQUE
}

function messageView(body: Json): View {
  const name = asString(field(body, 'role'))
  const role = ROLES.find((known) => known === name) ?? null
  const metadata = field(body, 'metadata')
  const [cost, id] = [field(metadata, 'cost'), asString(field(metadata, 'model'))]
  const provider = asString(field(metadata, 'provider'))
  return {
    role,
    blocks: blocksOf(field(body, 'content')),
    ...(typeof cost === 'number' && { usage: { cost } }),
    ...(id !== undefined && { sets: { model: { ...(provider !== undefined && { provider }), id } } }),
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
  says: (record) => field(wordy(record), 'content') !== '',
  begin: () => ({ header: (draft) => [header(draft)], record: (record) => [wordy(record)] }),
}

/** Writes sessions as Dash keeps them: version 1, a tree by `id` and `parentId`, of messages that are words. */
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
  return view(kind, isObject(made) && KINDS.has(kind) ? bodyOf(kind, wordy({ ...made, type: kind })) : made)
}

/** Returns a record with what pi has in a message in its own fields, and as words. */
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
  const [cost, tokens] = [field(field(usage, 'cost'), 'total'), field(usage, 'totalTokens')]
  const took = typeof tokens === 'number' && tokens > 0 ? { cost: cost ?? 0, tokens } : {}
  return { metadata: { ...known('model', model), ...known('provider', provider), ...took } }
}

/** The session files of Dash (godel), version 1: a tree by `id` and `parentId`, what is said inline. */
export const dash = defineFormat({
  name: 'dash',
  detect,
  reader: () => new DashReader(),
  entries: entriesBy(BODIES, view),
  writer,
  agent,
})

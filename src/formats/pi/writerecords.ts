import { isObject, type Json, type JsonObject, without } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import { type Block, OPAQUE, type Setting, textOf, type View } from '../../model/view.ts'
import { fitCalls } from '../core/callinput.ts'
import { type SpeakerSegment, segmentsOf } from '../core/exportsteps.ts'
import { type Loss, type LossCode, lossesBetween } from '../core/losses.ts'
import { hexOf } from '../core/uuid.ts'
import { type Draft, type DraftEntry, type Index, sourceRecord } from '../core/writer.ts'
import { assistantMessage, contentOf, usageOf, userMessages } from './makemessages.ts'

/** A record without its place in the tree. */
export type PiRecord = JsonObject & { readonly type: string }

/** The properties of one form of pi's files for writing. */
export interface PiForm {
  /** The part of the types of its own entries before the slash. */
  readonly dialect: string
  /** Returns the view of a record. */
  readonly view: (kind: string, body: Json) => View
  /** The role of messages that are neither the user's nor the model's. */
  readonly system: 'system' | 'developer' | 'user'
  /** Whether it has edits, and modes. */
  readonly edits: boolean
  readonly modes: boolean
  /** Returns the fields that name a model. */
  readonly model: (model: NonNullable<Setting['model']>) => JsonObject
  /** Whether it has labels. */
  readonly labels: boolean
  /** Returns the record that names the session; undefined if its header does, a loss where nothing can. */
  readonly title: (name: string) => PiRecord | Loss | undefined
  /** Returns the record that names what it continues as a branch; without it branches have no names. */
  readonly head?: (name: string) => PiRecord
  /**
   * For a form whose messages are texts and whose records are only messages, compactions and labels: returns whether
   * a record has any text.
   */
  readonly hasText?: (fields: PiRecord) => boolean
  /** Returns a record of pi in an older or smaller form, and the loss; the record itself by default. */
  readonly fit?: (fields: PiRecord) => FittedRecord
  /** Returns the translation into lines of a new file. */
  readonly begin: () => PiSpelling
}

/** A record in a form, if it has one, and the loss. */
export interface FittedRecord {
  readonly fields?: PiRecord
  readonly loss?: LossCode
}

/** How the lines of one file are spelled, in their order. */
export interface PiSpelling {
  /** Returns the lines before the records. */
  readonly header: (draft: Draft) => readonly JsonObject[]
  /** Returns the lines for a record of pi, version 3. */
  readonly record: (record: JsonObject) => Iterable<JsonObject>
  /** Returns the lines after the records. */
  readonly end?: () => Iterable<JsonObject>
}

/**
 * Returns the record of an entry in a form of pi, without its place in the tree: that of its source, else its body,
 * with new ids of other records. None if it edits an entry outside the draft.
 */
function own(entry: DraftEntry, time: number, idOf: (at: Index) => string | undefined): PiRecord[] {
  const { type, links } = entry
  const kind = type.slice(type.indexOf('/') + 1)
  const record = sourceRecord(entry)
  const at = typeof record.timestamp === 'number' ? { timestamp: iso(record.timestamp) } : {}
  const fields = { ...without(record, ...PLACES), ...at, type: kind }
  switch (kind) {
    case 'compaction': {
      const kept = links.firstKept === undefined ? undefined : idOf(links.firstKept)
      return [{ ...fields, ...(kept !== undefined && { firstKeptEntryId: kept }) }]
    }
    case 'context_edit': {
      const target = links.target === undefined ? undefined : idOf(links.target)
      return target === undefined ? [] : [{ ...fields, targetId: target }]
    }
    case 'branch_summary':
      return [{ ...fields, fromId: record.fromId ?? 'root' }]
    case 'message':
      return [isObject(record.message) ? { ...fields, message: current(record.message, time) } : fields]
    default:
      return [fields]
  }
}

/** The fields with a record's place, and with ids of other records. */
const PLACES = [
  ...['id', 'parentId', 'firstKeptEntryId', 'firstKeptEntryIndex', 'targetId', 'fromId'],
  ...['kind', 'lane', 'seq'],
  ...['parent', 'backToIndex', 'summarizedPath', 'uuid', 'parentUuid', 'firstKeptEntryUuid'],
]

/** Version 3 calls `custom` what version 2 called `hookMessage`; a body has no time. */
const current = (message: JsonObject, time: number): JsonObject => ({
  ...message,
  ...(message.role === 'hookMessage' && { role: 'custom' }),
  ...(message.timestamp === undefined && { timestamp: time }),
})

/** A record of pi that is written, and the entry that it represents. */
interface MadeRecord {
  readonly record: JsonObject
  readonly entry: Index
}

/** A message of the assistant that blocks of the same model call may still join. */
interface OpenAnswer {
  readonly content: Json[]
  readonly message: Record<string, Json>
  readonly record: JsonObject
  last: DraftEntry
  at: Index
}

const NONE = -1

/**
 * Makes records in a form of pi of entries of any dialect, parents first: those of its own as in their source,
 * others from their views. The blocks of one model call become one message.
 */
export class PiRecords {
  readonly #form: PiForm
  readonly #taken = new Set<string>()
  /** By entry: the ids of its first and its last record; if it has none, the last id above it. */
  readonly #first: (string | undefined)[] = []
  readonly #last: (string | null)[] = []
  readonly #parents: Index[] = []
  /** The names of tools, by the ids of their calls. */
  readonly #tools = new Map<string, string>()
  /** Compactions whose summary the next entry carries. */
  readonly #pending = new Map<Index, DraftEntry>()
  /** By entry: the model that its path set last. */
  readonly #models: Setting['model'][] = []
  #open: OpenAnswer | undefined
  #time: number

  /** `created` is the time of entries before the first known time. */
  constructor(form: PiForm, created: number) {
    this.#form = form
    this.#time = created
  }

  /** The time of the newest record, as pi writes it. */
  get time(): string | null {
    return iso(this.#time)
  }

  /** Returns the id that represents an entry; null if nothing of it and above it was written. */
  idOf(at: Index): string | null {
    return this.#last[at] ?? null
  }

  /** Returns 8 of some digits that are not taken, and takes them. */
  newId(digits: string, wanted?: string): string {
    if (wanted !== undefined && !this.#taken.has(wanted)) {
      this.#taken.add(wanted)
      return wanted
    }
    let id = digits.slice(0, 8)
    for (let n = 1; this.#taken.has(id); n++) id = hexOf(digits, n).slice(0, 8)
    this.#taken.add(id)
    return id
  }

  /** Takes the next entry and returns the records that are complete. */
  add(entry: DraftEntry): (MadeRecord | Loss)[] {
    const at = this.#last.length
    this.#time = entry.time ?? this.#time
    this.#parents.push(entry.parents[0] ?? NONE)
    this.#models.push(entry.view.sets?.model ?? this.#models[entry.parents[0] ?? NONE])
    for (const block of entry.view.blocks)
      if (block.kind === 'toolCall') this.#tools.set(block.id, block.name)
    const merged: Loss[] = entry.parents.length > 1 ? [{ code: 'merge', oid: entry.oid }] : []
    if (!this.#isOwn(entry)) return [...merged, ...this.#addFitted(entry, at)]
    const records = own(entry, this.#time, (to) => this.#first[to])
    const { fields, losses } = this.#fitted(records, this.#form.fit ? [entry.view] : undefined)
    const flushed = this.end()
    return [...flushed, ...merged, ...this.#place(entry, at, fields), ...losses.map(lostFrom(entry))]
  }

  /** Returns the open answer. */
  end(): MadeRecord[] {
    const open = this.#open
    this.#open = undefined
    return open ? [{ record: open.record, entry: open.at }] : []
  }

  /** Returns records in the form, and the losses compared with the original views, if those are passed. */
  #fitted(
    records: readonly PiRecord[],
    originals: Parameters<typeof lossesBetween>[0] | undefined,
  ): { readonly fields: PiRecord[]; readonly losses: LossCode[] } {
    const { fit, view } = this.#form
    const fitted = records.map((fields): FittedRecord => fit?.(fields) ?? { fields })
    const fields = fitted.flatMap((one) => one.fields ?? [])
    const losses = fitted.flatMap(({ loss }) => loss ?? [])
    if (losses.length > 0 || originals === undefined) return { fields, losses }
    return {
      fields,
      losses: lossesBetween(
        originals,
        fields.map((made) => view(made.type, made)),
      ),
    }
  }

  /** Adds an entry of another dialect, its calls as the form takes them. */
  #addFitted(entry: DraftEntry, at: Index): (MadeRecord | Loss)[] {
    const { view, oid } = entry
    const { blocks, wrapped } = this.#form.hasText
      ? { blocks: view.blocks, wrapped: [] }
      : fitCalls(view.blocks)
    const fitted = blocks === view.blocks ? entry : { ...entry, view: { ...view, blocks } }
    const losses = wrapped.map((subject): Loss => ({ code: 'wrapped', oid, subject }))
    return [...losses, ...this.#addForeign(fitted, at)]
  }

  #addForeign(entry: DraftEntry, at: Index): (MadeRecord | Loss)[] {
    const { view } = entry
    const segments = segmentsOf(view.role, view.blocks)
    const [only] = segments
    const { hasText } = this.#form
    if (only?.role === 'assistant' && segments.length === 1 && !hasText)
      return this.#assistant(entry, at, only.blocks)
    const flushed = this.end()
    const boundary = this.#pending.get(entry.parents[0] ?? NONE)
    if (boundary && view.role === 'user') {
      const compaction = this.#compaction(boundary, entry.parents[0] as Index, textOf(view) ?? '')
      return [...flushed, ...this.#place(entry, at, compaction.fields), ...compaction.losses]
    }
    if (view.effect?.kind === 'compaction') {
      const { summary, replacement } = view.effect
      if (summary === undefined && replacement === undefined) {
        this.#pending.set(at, entry)
        return [...flushed, ...this.#place(entry, at, [])]
      }
      const { fields, losses } = this.#compaction(entry, at, summary ?? '')
      return [...flushed, ...this.#place(entry, at, fields), ...losses]
    }
    const summary = hasText && view.effect?.kind === 'summary' ? view.effect.text : undefined
    const written = summary === undefined ? segments : segmentsOf('user', [{ kind: 'text', text: summary }])
    const { fields, losses } = this.#fitted(
      this.#fieldsOf(entry, written).filter((made) => hasText?.(made) ?? true),
      summary === undefined ? [view] : written,
    )
    if (summary !== undefined) losses.unshift('summary')
    if (fields.length === 0 && view.blocks.length === 0 && (view === OPAQUE || view.role === null))
      losses.push(view.sets ? 'setting' : view.effect ? 'edit' : 'opaque')
    return [...flushed, ...this.#place(entry, at, fields), ...losses.map(lostFrom(entry))]
  }

  /** Returns the records of an entry that is no message of the assistant and no compaction. */
  #fieldsOf({ view, type, links }: DraftEntry, segments: readonly SpeakerSegment[]): PiRecord[] {
    const { role, effect, sets } = view
    if (effect?.kind === 'summary' && !this.#form.hasText)
      return [{ type: 'branch_summary', fromId: 'root', summary: effect.text }]
    if (effect?.kind === 'edit') {
      const targetId = links.target === undefined ? null : this.idOf(links.target)
      if (targetId === null || !this.#form.edits) return []
      const replacement = effect.replacement && { content: contentOf(effect.replacement) }
      return [{ type: 'context_edit', targetId, replacement }]
    }
    if (segments.length === 0) return role === null && !this.#form.hasText ? this.#settings(sets) : []
    return segments.flatMap(({ role: speaker, blocks }): PiRecord[] => {
      const content = contentOf(blocks)
      if (speaker === 'assistant') return [message(this.#answer({ ...view, blocks }, content))]
      if (speaker === 'system') return [message({ role: this.#form.system, content, timestamp: this.#time })]
      if (speaker === 'user' && ATTACHMENTS.has(type) && !this.#form.hasText)
        return [{ type: 'custom_message', customType: type, content, display: false }]
      return userMessages({ role: speaker, blocks }, this.#tools, this.#time).map(message)
    })
  }

  #assistant(entry: DraftEntry, at: Index, blocks: readonly Block[]): (MadeRecord | Loss)[] {
    const { view, oid } = entry
    const content = contentOf(blocks)
    const alone = this.#answer(view, content)
    const lost = lossesBetween([view], [this.#form.view('message', { message: alone })])
    const losses = lost.map((code): Loss => ({ code, oid }))
    const open = this.#open
    if (open && continues(open, entry)) {
      open.content.push(...content)
      if (alone.stopReason === 'toolUse') open.message.stopReason = 'toolUse'
      if (view.usage) open.message.usage = usageOf(view.usage)
      open.last = entry
      open.at = at
      this.#first.push(this.#first[at - 1])
      this.#last.push(this.#last[at - 1] as string)
      return losses
    }
    const flushed = this.end()
    const [made] = this.#place(entry, at, [message(alone)])
    this.#open = { content, message: alone, record: (made as MadeRecord).record, last: entry, at }
    return [...flushed, ...losses]
  }

  /** Returns a message of the assistant, by the model that the path set last. */
  #answer(view: View, content: Json[]): Record<string, Json> {
    const model = this.#models.at(-1)
    const api = APIS.get(model?.provider)
    const withModel = { ...view, ...(model && { sets: { model } }) }
    return { ...assistantMessage(withModel, content, this.#time), ...(api !== undefined && { api }) }
  }

  #compaction(boundary: DraftEntry, at: Index, summary: string): { fields: PiRecord[]; losses: Loss[] } {
    const { links, oid, view } = boundary
    const effect = view.effect?.kind === 'compaction' ? view.effect : undefined
    const texts = (effect?.replacement ?? []).flatMap((replaced) => textOf(replaced) ?? [])
    const from = links.firstKept ?? links.kept?.reduce((a, b) => Math.min(a, b), at)
    const firstKeptEntryId = from === undefined || from === at ? undefined : this.#first[from]
    const isLost =
      effect?.replacement !== undefined ||
      (from !== undefined && firstKeptEntryId === undefined) ||
      (links.kept !== undefined && !this.#isWhole(links.kept, at))
    const fields: PiRecord = {
      type: 'compaction',
      summary: [summary, ...texts].filter((text) => text !== '').join('\n\n'),
      ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
      tokensBefore: 0,
    }
    return { fields: [fields], losses: isLost ? [{ code: 'compaction', oid }] : [] }
  }

  /** Returns whether entries are all those between the first of them and a compaction. */
  #isWhole(kept: readonly Index[], compaction: Index): boolean {
    let above = this.#parents[compaction]
    return [...kept].reverse().every((at) => {
      const is = at === above
      above = this.#parents[at]
      return is
    })
  }

  #isOwn({ type }: DraftEntry): boolean {
    return type.startsWith(`${this.#form.dialect}/`)
  }

  #settings({ model, thinking, mode }: Setting = {}): PiRecord[] {
    return [
      ...(model ? [{ type: 'model_change', ...this.#form.model(model) }] : []),
      ...(thinking === undefined ? [] : [{ type: 'thinking_level_change', thinkingLevel: thinking }]),
      ...(mode === undefined || !this.#form.modes ? [] : [{ type: 'mode_change', mode }]),
    ]
  }

  /** Assigns ids and parents to records. */
  #place(entry: DraftEntry, at: Index, fields: readonly PiRecord[]): MadeRecord[] {
    const above = this.#parents[at] as Index
    let parentId = above === NONE ? null : this.idOf(above)
    let first: string | undefined
    const made = fields.map(({ type, timestamp, ...rest }, n): MadeRecord => {
      const id = this.newId(
        n === 0 ? entry.oid : hexOf(entry.oid, n),
        n === 0 && this.#isOwn(entry) ? entry.native : undefined,
      )
      const keepsNothing = type === 'compaction' && rest.firstKeptEntryId === undefined && !rest.retainedTail
      const record = {
        type,
        id,
        parentId,
        timestamp: timestamp ?? this.time,
        ...rest,
        ...(keepsNothing && { firstKeptEntryId: id }),
      }
      first ??= id
      parentId = id
      return { record, entry: at }
    })
    this.#first[at] = first
    this.#last[at] = parentId
    return made
  }
}

/** The types of entries that agents add to the user's messages. */
const ATTACHMENTS: ReadonlySet<string> = new Set(['claude/attachment', 'sess/custom_message'])

const lostFrom =
  ({ oid }: DraftEntry) =>
  (code: LossCode): Loss => ({ code, oid })

const message = (value: JsonObject): PiRecord => ({ type: 'message', message: value })

/** The blocks of one model call are consecutive, as are those of one turn of Codex, whose calls have no ids. */
function continues({ last, at }: OpenAnswer, entry: DraftEntry): boolean {
  if (entry.parents[0] !== at || last.children > 1 || last.edit !== undefined || entry.edit !== undefined)
    return false
  const [before, now] = [last.view.usage?.call, entry.view.usage?.call]
  return before === undefined
    ? now === undefined && last.type.startsWith('codex/') && entry.type.startsWith('codex/')
    : before === now
}

const APIS: ReadonlyMap<string | undefined, string> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-responses'],
])

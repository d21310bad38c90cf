import { asString, field, items, type Json, type JsonObject, without } from '../model/json.ts'
import { all, defineFormat, type EntryDeclaration, type EntryDeclarations, viewOf } from './core/define.ts'
import { type KnownRecords, words } from './core/known.ts'
import type { Unit } from './core/splitter.ts'
import { uuidOf } from './core/uuid.ts'
import type { FormatWriter } from './core/writer.ts'
import { ENTRIES as PI_ENTRIES, summaryView } from './pi/entries.ts'
import { BLOCKS, MESSAGE_FIELDS, PASSED, RECORD_FIELDS } from './pi/known.ts'
import { PI, type PiDialect, TranslatedReader, type Translator } from './pi/read.ts'
import { dashed, fileName, headerOf, linesOf } from './pi/write.ts'
import type { PiForm, PiSpelling } from './pi/writerecords.ts'

/** The dialect of both drafts: a conversation has the same entries in either. */
const DRAFT = 'draft'

/** A summary of an abandoned path. What was popped across a compaction is summed up before it. */
const SUMMARY: EntryDeclaration = {
  body: all('summary', 'prePopSummary', 'details'),
  view(body) {
    const texts = [field(body, 'prePopSummary'), field(body, 'summary')].flatMap(
      (text) => asString(text) || [],
    )
    return summaryView(texts.join('\n\n'))
  },
}

/** The entries of the drafts: pi's, and summaries of a stack. */
const ENTRIES: EntryDeclarations = { ...PI_ENTRIES, stack_summary: SUMMARY, stack_pop: SUMMARY }

const DIALECT: PiDialect = { ...PI, name: DRAFT, entries: ENTRIES }

/** Returns the form in which a draft is written: that of pi, without what came later. */
const draftForm = (form: Pick<PiForm, 'begin' | 'head'>): PiForm => ({
  dialect: DRAFT,
  view: (kind, body) => viewOf(ENTRIES, kind, body),
  system: 'system',
  edits: false,
  modes: false,
  model: ({ provider = 'unknown', id }) => ({ provider, modelId: id }),
  labels: false,
  title: (subject) => ({ code: 'title', subject }),
  ...form,
})

const draftWriter = (form: PiForm): FormatWriter => ({
  branched: true,
  unresumed: 'no agent that was released reads this draft',
  place: ({ id, cwd, created }) => ['sessions', dashed(cwd), fileName(id, created)],
  lines: (draft) => linesOf(draft, form),
})

/** Returns the id of a line; null for the header, whose children are roots. */
const idOf = (index: number): string | null => (index > 0 ? String(index) : null)

/** Translates the line numbers of an index tree into ids. */
class IndexTreeTranslator implements Translator {
  readonly branches = new Map<string, string>()
  private first: number | undefined
  /** How many more records there are before this one than newlines. */
  private shift = 0

  translate(value: JsonObject, unit: Unit): JsonObject {
    const { line } = unit
    this.first ??= line
    if (line > this.first && isAfterAnother(unit)) this.shift++
    const index = line - this.first + this.shift
    this.shift -= (unit.text?.split('\n').length ?? 1) - 1
    if (value.type === 'session') return value
    const { parent } = value
    const parentId = typeof parent === 'number' ? idOf(parent) : undefined
    const placed = {
      ...value,
      id: String(index),
      ...(parentId !== undefined && { parentId }),
    }
    switch (value.type) {
      case 'head': {
        const name = asString(value.name)
        if (name !== undefined && name !== 'main' && parentId) this.branches.set(name, parentId)
        return { ...placed, type: 'leaf', targetId: parentId ?? null }
      }
      case 'compaction':
        return { ...placed, ...continuing(items(value.summarizedPath).at(-1)) }
      case 'stack_pop':
        return { ...placed, ...continuing(value.backToIndex) }
      default:
        return placed
    }
  }
}

/** Returns whether a record follows another on its line: it was written as a line of its own. */
const isAfterAnother = ({ salvaged, bytes, lead }: Unit): boolean =>
  salvaged && !bytes.subarray(0, lead).includes(NEWLINE)

const NEWLINE = 10

/** It continues the last record that it summarises or returns to, whatever parent the file names. */
const continuing = (index: Json | undefined): JsonObject =>
  typeof index === 'number' ? { parentId: idOf(index) } : {}

const INDEX_FORM = draftForm({ begin: numbered, head: (name) => ({ type: 'head', name }) })

/** Numbers the lines of a file. */
function numbered(): PiSpelling {
  const indexes = new Map<Json | undefined, number>()
  const parents = [-1]
  const indexIn = (id: Json | undefined): number => indexes.get(id) ?? 0
  return {
    header: (draft) => [{ ...without(headerOf(draft), 'version', 'uuid', 'parentUuid'), parent: -1 }],
    record({ type, id, parentId, timestamp, ...rest }) {
      const index = parents.length
      const parent = indexIn(parentId)
      indexes.set(id, index)
      const { firstKeptEntryId, fromId: _, ...fields } = rest
      const keeps = indexIn(firstKeptEntryId)
      const keepsNothing = type === 'compaction' && keeps === index
      parents.push(keepsNothing ? 0 : parent)
      const made = {
        type: type ?? null,
        parent: keepsNothing ? 0 : parent,
        timestamp: timestamp ?? null,
        ...fields,
        ...(keepsNothing && { summarizedPath: pathTo(parent, parents) }),
        ...(keeps > 0 && !keepsNothing && { firstKeptEntryIndex: keeps }),
        ...(type === 'stack_pop' && { backToIndex: parent }),
      }
      return [made]
    },
  }
}

/** Returns the lines on the path to a line, without the header, from the lines of their parents. */
export function pathTo(index: number, parents: readonly number[]): number[] {
  const path: number[] = []
  for (let at = index; at > 0; at = parents[at] as number) path.push(at)
  return path.reverse()
}

const UUID_TREE = 'uuid-tree'

/** Translates a uuid tree into pi's form; children of the header are roots. */
class UuidTreeTranslator implements Translator {
  private root: string | undefined

  translate(value: JsonObject): JsonObject {
    const { uuid, parentUuid, firstKeptEntryUuid } = value
    if (value.type === 'session') {
      this.root ??= asString(uuid)
      return value
    }
    return {
      ...value,
      ...(uuid !== undefined && { id: uuid }),
      ...(parentUuid !== undefined && { parentId: parentUuid === this.root ? null : parentUuid }),
      ...(firstKeptEntryUuid !== undefined && { firstKeptEntryId: firstKeptEntryUuid }),
    }
  }
}

const UUID_FORM = draftForm({ begin: uuids })

/** Spells ids as the draft does, the header's among them. */
function uuids(): PiSpelling {
  let root = ''
  return {
    header: (draft) => {
      const header = headerOf(draft)
      root = asString(header.uuid) ?? uuidOf(UUID_TREE, draft.id)
      return [{ ...without(header, 'parent'), version: 2, uuid: root, parentUuid: null }]
    },
    record({ type, id, parentId, timestamp, ...rest }) {
      const { firstKeptEntryId, fromId: _, ...fields } = rest
      const made = {
        type: type ?? null,
        uuid: id ?? null,
        parentUuid: parentId ?? root,
        timestamp: timestamp ?? null,
        ...fields,
        ...(firstKeptEntryId !== undefined && { firstKeptEntryUuid: firstKeptEntryId }),
      }
      return [made]
    },
  }
}

/** The types and fields of both drafts. */
const KNOWN: KnownRecords = {
  written: '2026-08',
  types: { type: ['session', 'head', ...PASSED, ...Object.keys(ENTRIES)], 'message.content.type': BLOCKS },
  fields: {
    ...MESSAGE_FIELDS,
    '': [
      ...RECORD_FIELDS,
      ...words('parent backToIndex summarizedPath prePopSummary uuid parentUuid firstKeptEntryUuid'),
    ],
  },
}

/**
 * The draft of a tree by index: each line names the line of its parent, counted from 0, the header's, which has -1. A
 * `head` line has the line that the session is at.
 */
export const indexTree = defineFormat({
  name: 'index-tree',
  dialect: DRAFT,
  detect: ({ lines: [first] }) =>
    field(first, 'type') === 'session' && typeof field(first, 'parent') === 'number',
  reader: () => new TranslatedReader(DIALECT, new IndexTreeTranslator()),
  entries: ENTRIES,
  known: KNOWN,
  writer: draftWriter(INDEX_FORM),
})

/** The draft of a tree by `uuid` and `parentUuid`, of which the header is the root. */
export const uuidTree = defineFormat({
  name: UUID_TREE,
  dialect: DRAFT,
  detect: ({ lines: [first] }) =>
    field(first, 'type') === 'session' && typeof field(first, 'uuid') === 'string',
  reader: () => new TranslatedReader(DIALECT, new UuidTreeTranslator()),
  entries: ENTRIES,
  known: KNOWN,
  writer: draftWriter(UUID_FORM),
})

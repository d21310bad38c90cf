import { type Links, mapLinks } from '../model/encoding/entry.ts'
import { isOid, type Oid } from '../model/encoding/oid.ts'
import {
  asString,
  defined,
  field,
  hasVerbatim,
  isObject,
  items,
  type Json,
  type JsonObject,
  jsonText,
} from '../model/json.ts'
import { iso } from '../model/time.ts'
import { parseJson } from '../model/value.ts'
import { OPAQUE, type View } from '../model/view.ts'
import { defineFormat, type EntryDeclarations } from './core/define.ts'
import type { Facts, FormatReader, ParsedEntry, Reading, RecordIndex } from './core/format.ts'
import { IdMap } from './core/idmap.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { factsAt, factsOf, millis } from './core/values.ts'
import { blocksOf, compactionView, modelIn, roleNamed, usageIn } from './core/views.ts'
import { type Draft, type FormatWriter, type Lines, lineOf } from './core/writer.ts'

/**
 * The entries of sess itself. Their bodies are whole. A `message` has a role and a content, a text or blocks; a
 * `custom_message` a content in the user's name; a `compaction` and a `branch_summary` a summary; an `edit` a
 * replacement for its target, null or a content; `model_change`, `thinking_level_change` and `mode_change` a setting;
 * an `agent_action` is an agent's action, shown in lists and hidden from the model. A message may
 * name its model and provider; a message and a summary may have the usage of their model call.
 */
const ENTRIES: EntryDeclarations = {
  message: {
    view: (body) => ({
      role: roleNamed(field(body, 'role')),
      blocks: blocksOf(field(body, 'content')),
      ...usageIn(body),
      ...modelIn(field(body, 'model'), field(body, 'provider')),
    }),
  },
  custom_message: { view: (body) => ({ role: 'user', blocks: blocksOf(field(body, 'content')) }) },
  compaction: { view: (body) => ({ ...compactionView(field(body, 'summary')), ...usageIn(body) }) },
  branch_summary: {
    view(body) {
      const text = asString(field(body, 'summary'))
      return text ? { ...OPAQUE, effect: { kind: 'summary', text }, ...usageIn(body) } : OPAQUE
    },
  },
  merge: {
    view(body) {
      const [from, summary] = [asString(field(body, 'from')) ?? '', asString(field(body, 'summary'))]
      return { ...OPAQUE, effect: { kind: 'merge', from, ...(summary !== undefined && { summary }) } }
    },
  },
  edit: { view: (body) => editView(field(body, 'replacement')) },
  model_change: {
    view: (body) => ({ ...OPAQUE, ...modelIn(field(body, 'model'), field(body, 'provider')) }),
  },
  thinking_level_change: {
    view(body) {
      const thinking = asString(field(body, 'level'))
      return thinking === undefined ? OPAQUE : { ...OPAQUE, sets: { thinking } }
    },
  },
  mode_change: {
    view(body) {
      const mode = asString(field(body, 'mode'))
      return mode === undefined ? OPAQUE : { ...OPAQUE, sets: { mode } }
    },
  },
  agent_action: {
    view(body) {
      const [action, agent] = [asString(field(body, 'action')), asString(field(body, 'agentId'))]
      return { ...OPAQUE, note: `agent ${agent ?? '?'}: ${action ?? '?'}` }
    },
  },
}

function editView(replacement: Json | undefined): View {
  if (replacement === undefined) return OPAQUE
  const blocks = replacement === null ? null : blocksOf(replacement)
  return { ...OPAQUE, effect: { kind: 'edit', replacement: blocks } }
}

/**
 * Writes a line for each entry, which imports to the same oid. The line of the entry that the session is at has
 * `head`, unless it is the last; if it is at none, the first line has a `head` that is null. The first line has the
 * session's metadata.
 */
const writer: FormatWriter = {
  branched: true,
  unresumed: 'sess itself imports it',
  place: ({ id }) => [`${id}.jsonl`],
  lines: entryLines,
}

async function* entryLines(draft: Draft): Lines {
  let at = 0
  for await (const { links, parents, time, ...entry } of draft.entries()) {
    const named = await mapLinks(links, (link) => draft.oid(link))
    const above = await Promise.all(parents.map((parent) => draft.oid(parent)))
    const line: JsonObject = {
      ...entryLine({ ...entry, parents: above, links: named }),
      time: iso(time),
      ...(at === draft.tip && at !== draft.count - 1 ? { head: true } : {}),
      ...(at === 0 ? about(draft) : {}),
    }
    yield lineOf(line, at++)
  }
}

const about = ({ id, tip, title, cwd }: Draft): JsonObject => ({
  session: id,
  ...(tip === undefined ? { head: null } : {}),
  title: title ?? null,
  cwd: cwd ?? null,
})

interface NamedEntry {
  readonly oid: Oid
  readonly parents: readonly Oid[]
  readonly type: string
  readonly body: Json
  readonly links: Links
}

/** Returns the JSON object of an entry. */
export const entryLine = ({ oid, parents, type, body, links }: NamedEntry): JsonObject => ({
  oid,
  parents,
  type,
  body,
  ...(Object.keys(links).length === 0 ? {} : { links: { ...links } }),
})

function isEntryLine(value: Json): boolean {
  const oid = asString(field(value, 'oid'))
  return oid !== undefined && isOid(oid) && isEntry(value)
}

/** Returns whether a line holds an entry: a type with a dialect, and a body. */
const isEntry = (value: Json | undefined): boolean =>
  /^[^/]+\/./.test(asString(field(value, 'type')) ?? '') && field(value, 'body') !== undefined

/** Reads the lines of an export, which name entries by their oids. */
class SessReader implements FormatReader {
  private readonly handles = new IdMap()
  private count = 0
  private last: RecordIndex | null = null
  /** The entry whose line has `head`; null if a line has a `head` that is null. */
  private head: RecordIndex | null | undefined
  private collected: Facts = {}

  read({ value }: Unit): Reading {
    const handle = this.count++
    if (value === undefined) return {}
    const time = millis(field(value, 'time'))
    // The first value of a fact counts.
    this.collected = {
      ...factsAt(value, { id: 'session', title: 'title', cwd: 'cwd' }),
      ...factsOf({ created: time }),
      ...this.collected,
    }
    if (!isEntry(value)) return { time }
    const missing: string[] = []
    const entry = parsedEntry(value, this.last, (oid) => {
      const found = this.handles.get(asString(oid) ?? '')
      if (found === undefined) missing.push(asString(oid) ?? '')
      return found === undefined ? [] : [found]
    })
    const oid = asString(field(value, 'oid'))
    if (oid !== undefined) this.handles.set(oid, handle)
    this.last = handle
    if (field(value, 'head') === true) this.head = handle
    if (field(value, 'head') === null) this.head = null
    return {
      entry,
      time,
      native: oid,
      ...(missing.length > 0 && { warnings: missing.map(unknownOid) }),
    }
  }

  active(): RecordIndex | null {
    return this.head === undefined ? this.last : this.head
  }

  facts(): Facts {
    return this.collected
  }
}

const unknownOid = (oid: string): Warning => ({
  code: 'unknown-oid',
  message: `no earlier line has the oid '${oid}'`,
})

function parsedEntry(
  value: Json,
  last: RecordIndex | null,
  find: (oid: Json) => readonly RecordIndex[],
): ParsedEntry {
  const listed = field(value, 'parents')
  const parents = listed === undefined ? (last === null ? [] : [last]) : items(listed).flatMap(find)
  const links = linksOf(field(value, 'links'), find)
  return {
    type: asString(field(value, 'type')) as string,
    body: ownBody(field(value, 'body') as Json),
    bodyPath: ['body'],
    parent: parents[0] ?? null,
    ...(parents.length > 1 && { otherParents: parents.slice(1) }),
    ...(Object.keys(links).length > 0 && { links }),
  }
}

/** Returns a body as it was before it was part of a line: the depth limit counts from the body. */
export const ownBody = (body: Json): Json =>
  hasVerbatim(body) ? (parseJson(jsonText(body))?.value ?? body) : body

function linksOf(
  value: Json | undefined,
  find: (oid: Json) => readonly RecordIndex[],
): NonNullable<ParsedEntry['links']> {
  if (!isObject(value)) return {}
  const [firstKept] = value.firstKept === undefined ? [] : find(value.firstKept)
  const [target] = value.target === undefined ? [] : find(value.target)
  const kept = value.kept === undefined ? undefined : items(value.kept).flatMap(find)
  return defined({ firstKept, kept, target })
}

/**
 * sess's own export: a JSON object a line,
 * `{"oid","parents","type","body","links"?,"time","head"?,"session"?,"title"?,"cwd"?}`. Each line is an entry with
 * exactly that type and body; without `parents` it follows the line before.
 */
export const native = defineFormat({
  name: 'sess',
  detect: ({ lines: objects }) => objects.some(isEntryLine),
  reader: () => new SessReader(),
  entries: ENTRIES,
  writer,
})

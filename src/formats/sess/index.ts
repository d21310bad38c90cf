import { asString, field, hasVerbatim, isObject, items, type Json, jsonText } from '../../model/json.ts'
import { isOid } from '../../model/oid.ts'
import { parseJson } from '../../model/value.ts'
import type { Facts, Format, ParsedEntry, Reader, Reading, RecordIndex } from '../format.ts'
import { millis } from '../hints.ts'
import { lines } from '../lines.ts'
import type { Warning } from '../unit.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/**
 * sess's own export: a JSON object a line,
 * `{"oid","parents","type","body","links"?,"time","head"?,"session"?,"title"?,"cwd"?}`. Each line is an entry with
 * exactly that type and body; without `parents` it follows the line before.
 */
export const native: Format = {
  name: 'sess',
  dialect: 'sess',
  reading: 1,
  conversational: true,
  detect: ({ lines: objects }) => objects.some(isEntryLine),
  splitter: lines,
  reader,
  view,
  writer,
}

function isEntryLine(value: Json): boolean {
  const oid = asString(field(value, 'oid'))
  return oid !== undefined && isOid(oid) && isEntry(value)
}

/** Tells whether a line holds an entry: a type with a dialect, and a body. */
const isEntry = (value: Json | undefined): boolean =>
  /^[^/]+\/./.test(asString(field(value, 'type')) ?? '') && field(value, 'body') !== undefined

function reader(): Reader {
  const handles = new Map<string, RecordIndex>()
  let count = 0
  let last: RecordIndex | null = null
  /** The entry whose line says that the session stands on it; null where a line says that it stands on none. */
  let head: RecordIndex | null | undefined
  let facts: Facts = {}
  return {
    read({ value }): Reading {
      const handle = count++
      if (value === undefined) return {}
      const time = millis(field(value, 'time'))
      facts = { ...factsOf(value, time), ...facts }
      if (!isEntry(value)) return time === undefined ? {} : { time }
      const missing: string[] = []
      const entry = said(value, last, (oid) => {
        const found = handles.get(asString(oid) ?? '')
        if (found === undefined) missing.push(asString(oid) ?? '')
        return found === undefined ? [] : [found]
      })
      const oid = asString(field(value, 'oid'))
      if (oid !== undefined) handles.set(oid, handle)
      last = handle
      if (field(value, 'head') === true) head = handle
      if (field(value, 'head') === null) head = null
      return {
        entry,
        ...(time !== undefined && { time }),
        ...(oid !== undefined && { native: oid }),
        ...(missing.length > 0 && { warnings: missing.map(unknownOid) }),
      }
    },
    active: () => (head === undefined ? last : head),
    facts: () => facts,
  }
}

const unknownOid = (oid: string): Warning => ({
  code: 'unknown-oid',
  message: `no earlier line has the oid '${oid}'`,
})

function said(
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

/** Gives a body as it was before it stood in a line: what is nested too deep counts from the body. */
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
  return {
    ...(firstKept !== undefined && { firstKept }),
    ...(kept !== undefined && { kept }),
    ...(target !== undefined && { target }),
  }
}

/** What comes first counts, but for the time of the beginning, which only the first line can give. */
function factsOf(value: Json, time: number | undefined): Facts {
  const id = asString(field(value, 'session'))
  const title = asString(field(value, 'title'))
  const cwd = asString(field(value, 'cwd'))
  return {
    ...(id && { id }),
    ...(title && { title }),
    ...(cwd && { cwd }),
    ...(time !== undefined && { created: time }),
  }
}

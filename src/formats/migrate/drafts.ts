import {
  asString,
  isObject,
  items as itemsIn,
  type Json,
  type JsonObject,
  without,
} from '../../model/json.ts'
import { uuidOf } from '../core/uuid.ts'
import { pathTo } from '../drafts.ts'
import { type LoadedRecord, type MigrationStep, RecordIds, sessionIdIn } from './migration.ts'

/** A line of records to an index tree: each continues the line before. The index to keep from is that of its line. */
const toIndexTree: MigrationStep = {
  from: 'v1',
  to: 'index-tree',
  *migrate(items) {
    const lineOf = new Map<Json | undefined, number>()
    for (const [line, { value, index }] of items.entries()) {
      if (index !== undefined) lineOf.set(index, line)
      const { firstKeptEntryIndex, ...rest } = value
      const kept = lineOf.get(firstKeptEntryIndex)
      yield { ...rest, ...(kept !== undefined && { firstKeptEntryIndex: kept }), parent: line - 1 }
    }
  },
}

/** A line of records to a uuid tree, of which the header is the root; the index to keep from becomes a uuid. */
const toUuidTree: MigrationStep = {
  from: 'v1',
  to: 'uuid-tree',
  *migrate(items) {
    const name = uuids(items)
    const byIndex = new Map<number, string>()
    let parentUuid: string | null = null
    for (const { value, index } of items) {
      const uuid = name()
      if (index !== undefined) byIndex.set(index, uuid)
      const { firstKeptEntryIndex, ...rest } = value
      const kept = typeof firstKeptEntryIndex === 'number' ? byIndex.get(firstKeptEntryIndex) : undefined
      yield {
        ...rest,
        ...(value.type === 'session' && { version: 2 }),
        ...(kept !== undefined && { firstKeptEntryUuid: kept }),
        uuid,
        parentUuid,
      }
      parentUuid = uuid
    }
  },
}

const uuids = (items: readonly LoadedRecord[]): (() => string) => {
  let count = 0
  return () => uuidOf('uuid-tree', sessionIdIn(items[0]?.value), count++)
}

/**
 * An index tree to a uuid tree: numbers become uuids. A compaction follows the entries that it summarises and keeps
 * nothing; a popped path becomes a summary at the entry that was returned to; a head becomes the last line, unless it
 * is there already.
 */
const indexToUuid: MigrationStep = {
  from: 'index-tree',
  to: 'uuid-tree',
  *migrate(items) {
    const name = uuids(items)
    const byIndex = new Map<Json | undefined, string>()
    const root = name()
    let [last, leaf] = [root, root]
    for (const { value, index } of items) {
      const above = byIndex.get(placeOf(value)) ?? root
      if (value.type === 'head') {
        leaf = above
        if (index !== undefined) byIndex.set(index, above)
        continue
      }
      const isHeader = value.type === 'session'
      const uuid = isHeader ? root : name()
      if (index !== undefined) byIndex.set(index, uuid)
      yield {
        ...without(value, 'parent', 'summarizedPath', 'backToIndex', 'firstKeptEntryIndex', 'prePopSummary'),
        ...(isHeader ? { version: 2, uuid, parentUuid: null } : { uuid, parentUuid: above }),
        ...keptOf(value, byIndex, uuid),
        ...popped(value, 'stack_summary'),
      }
      last = leaf = uuid
    }
    if (leaf !== last)
      yield { type: 'custom', uuid: name(), parentUuid: leaf, customType: 'sess', data: { leaf } }
  },
}

/** Returns the line that a record continues. */
function placeOf({ type, parent, summarizedPath, backToIndex }: JsonObject): Json | undefined {
  if (type === 'stack_pop' && backToIndex !== undefined) return backToIndex
  return type === 'compaction' ? (itemsIn(summarizedPath).at(-1) ?? parent) : parent
}

function keptOf(
  { type, firstKeptEntryIndex: index }: JsonObject,
  ids: ReadonlyMap<Json | undefined, string>,
  own: string,
): JsonObject {
  if (type !== 'compaction') return {}
  return { firstKeptEntryUuid: (typeof index === 'number' ? ids.get(index) : undefined) ?? own }
}

function popped(value: JsonObject, type: string): JsonObject {
  if (value.type !== 'stack_pop') return {}
  const texts = [value.prePopSummary, value.summary].flatMap((text) => asString(text) || [])
  return { type, summary: texts.join('\n\n') }
}

/** A uuid tree to an index tree: uuids become numbers; a compaction that keeps nothing hangs on the header. */
const uuidToIndex: MigrationStep = {
  from: 'uuid-tree',
  to: 'index-tree',
  *migrate(items) {
    const indexes = new Map<Json | undefined, number>()
    const parents: number[] = []
    for (const { value } of items) {
      const index = parents.length
      const { uuid, parentUuid, firstKeptEntryUuid, ...rest } = value
      const parent = value.type === 'session' ? -1 : (indexes.get(parentUuid) ?? 0)
      indexes.set(uuid, index)
      const keeps = indexes.get(firstKeptEntryUuid)
      const all = value.type === 'compaction' && (keeps === undefined || keeps === index)
      parents.push(all ? 0 : parent)
      yield {
        ...(value.type === 'session' ? without(rest, 'version') : rest),
        parent: all ? 0 : parent,
        ...(all
          ? { summarizedPath: pathTo(parent, parents) }
          : keeps !== undefined && { firstKeptEntryIndex: keeps }),
      }
    }
  },
}

/** A uuid tree to pi's version 3: what hangs on the header is a root; summaries of a stack are those of branches. */
const uuidToPi: MigrationStep = {
  from: 'uuid-tree',
  to: 'v3',
  *migrate(items) {
    const ids = new RecordIds(sessionIdIn(items[0]?.value))
    const named = new Map<Json | undefined, string | null>()
    for (const { value } of items) {
      const { uuid, parentUuid, firstKeptEntryUuid, type, timestamp, ...rest } = value
      if (type === 'session') {
        named.set(uuid, null)
        yield { type, ...rest, version: 3, timestamp: timestamp ?? null }
        continue
      }
      const parentId = named.get(parentUuid) ?? null
      const id = ids.next(value, uuid)
      named.set(uuid, id)
      const kept = firstKeptEntryUuid === undefined ? undefined : named.get(firstKeptEntryUuid)
      const isSummary = type === 'stack_summary' || type === 'branch_summary'
      yield {
        type: isSummary ? 'branch_summary' : (type ?? null),
        ...rest,
        id,
        parentId,
        ...(timestamp !== undefined && { timestamp }),
        ...(type === 'compaction' && { firstKeptEntryId: kept ?? id }),
        ...(isSummary && { fromId: parentId ?? 'root' }),
        ...(isObject(value.message) && value.message.role === 'hookMessage'
          ? { message: { ...value.message, role: 'custom' } }
          : {}),
      }
    }
  },
}

export const draftSteps: readonly MigrationStep[] = [
  toIndexTree,
  toUuidTree,
  indexToUuid,
  uuidToIndex,
  uuidToPi,
]

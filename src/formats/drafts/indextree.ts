import { asString, field, items, type Json, type JsonObject, without } from '../../model/json.ts'
import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import type { Spelling } from '../pi/form.ts'
import { TranslatedReader, type Translator } from '../pi/translated.ts'
import { dashed, fileName, headerOf, linesOf } from '../pi/write.ts'
import type { Unit } from '../unit.ts'
import { DRAFT, draftDialect, draftForm, draftView, UNRESUMED } from './dialect.ts'

const NAME = 'index-tree'

/**
 * The draft of a tree by index: each line names the line of its parent, counted from 0, the header's, which has -1.
 * `head` lines say where the session stands.
 */
export const indexTree: Format = {
  name: NAME,
  dialect: DRAFT,
  reading: 1,
  conversational: true,
  detect: ({ lines: [first] }) =>
    field(first, 'type') === 'session' && typeof field(first, 'parent') === 'number',
  splitter: lines,
  reader: () => new TranslatedReader(draftDialect(), new Indexed()),
  view: draftView,
  writer: {
    branched: true,
    unresumed: UNRESUMED,
    place: ({ id, cwd, created }) => ['sessions', dashed(cwd), fileName(id, created)],
    lines: (draft) => linesOf(draft, FORM),
  },
}

/** Gives the id that stands for a line; null for the header, below which roots stand. */
const idOf = (index: number): string | null => (index > 0 ? String(index) : null)

/** Says by ids what the lines of an index tree say by their numbers. */
class Indexed implements Translator {
  readonly branches = new Map<string, string>()
  /** The line of the header. */
  #first: number | undefined
  /** How many more records there are before this one than newlines. */
  #shift = 0

  translate(value: JsonObject, unit: Unit): JsonObject {
    const { line } = unit
    this.#first ??= line
    if (line > this.#first && isBehindAnother(unit)) this.#shift++
    const index = line - this.#first + this.#shift
    this.#shift -= (unit.text?.split('\n').length ?? 1) - 1
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

/** Tells whether something stands before a record on its line: it was written as a line of its own. */
const isBehindAnother = ({ salvaged, bytes, lead }: Unit): boolean =>
  salvaged && !bytes.subarray(0, lead).includes(NEWLINE)

const NEWLINE = 10

/** It stands behind what it sums up, and behind what was gone back to, wherever the file hangs it. */
const continuing = (index: Json | undefined): JsonObject =>
  typeof index === 'number' ? { parentId: idOf(index) } : {}

const FORM = draftForm({ begin: numbered, head: (name) => ({ type: 'head', name }) })

/** Numbers the lines of a file. */
function numbered(): Spelling {
  const indexes = new Map<Json | undefined, number>()
  const parents = [-1]
  const indexIn = (id: Json | undefined): number => indexes.get(id) ?? 0
  return {
    header: (draft) => [{ ...without(headerOf(draft), 'version', 'uuid', 'parentUuid'), parent: -1 }],
    record({ type, id, parentId, timestamp, ...said }) {
      const index = parents.length
      const parent = indexIn(parentId)
      indexes.set(id, index)
      const { firstKeptEntryId, fromId: _, ...fields } = said
      const keeps = indexIn(firstKeptEntryId)
      const all = type === 'compaction' && keeps === index
      parents.push(all ? 0 : parent)
      const made = {
        type: type ?? null,
        parent: all ? 0 : parent,
        timestamp: timestamp ?? null,
        ...fields,
        ...(all && { summarizedPath: pathTo(parent, parents) }),
        ...(keeps > 0 && !all && { firstKeptEntryIndex: keeps }),
        ...(type === 'stack_pop' && { backToIndex: parent }),
      }
      return [made]
    },
  }
}

function pathTo(index: number, parents: readonly number[]): number[] {
  const path: number[] = []
  for (let at = index; at > 0; at = parents[at] as number) path.push(at)
  return path.reverse()
}

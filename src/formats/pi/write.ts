import { iso } from '../../model/iso.ts'
import { isObject, type JsonObject, jsonText, without } from '../../model/json.ts'
import { hexOf } from '../ids.ts'
import type { Loss } from '../losses.ts'
import type { Draft, Index, Line, Lines, Writer } from '../write.ts'
import { Records } from './records.ts'

/** Writes sessions as pi 1.5 keeps them: version 3, a tree by `id` and `parentId`. */
export const writer: Writer = { branched: true, place, lines }

/** `sessions/--<folder>--/<time>_<id>.jsonl`, the folder as pi spells it. */
function place({ id, cwd = '/', created }: Pick<Draft, 'id' | 'cwd' | 'created'>): readonly string[] {
  const folder = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
  return ['sessions', folder, `${iso(created)?.replace(/[:.]/g, '-')}_${id}.jsonl`]
}

async function* lines(draft: Draft): Lines {
  const records = new Records()
  yield { text: lineOf(headerOf(draft)) }
  for await (const entry of draft.entries()) yield* records.add(entry).map(asLine)
  yield* records.end().map(asLine)
  yield* named(draft, records)
}

const lineOf = (record: JsonObject): string => `${jsonText(record)}\n`

const asLine = (made: Loss | { readonly record: JsonObject; readonly entry: Index }): Line | Loss =>
  'code' in made ? made : { text: lineOf(made.record), entry: made.entry }

function headerOf({ id, cwd, created, header }: Draft): JsonObject {
  const { branchedFrom, ...own } = isObject(header) ? header : {}
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: iso(created),
    cwd: cwd ?? '',
    ...(branchedFrom !== undefined && { parentSession: branchedFrom }),
    ...without(own, 'type', 'version', 'id', 'timestamp', 'cwd'),
  }
}

/** A branch that every session has, and those that import names. */
const UNNAMED = /^(?:main|source|at-[0-9a-f]{8})$/

/**
 * Gives the labels and the title as records behind the entry that the session stands on: what stands last is where pi
 * resumes. Where there is neither, and that entry is not the last, a record that says nothing stands there.
 */
function* named(draft: Draft, records: Records): Generator<Line | Loss> {
  for (const [subject] of draft.branches) if (!UNNAMED.test(subject)) yield { code: 'branch-name', subject }
  const { tip } = draft
  let parentId = tip === undefined ? null : records.idOf(tip)
  if (tip === undefined || parentId === null) return
  const labelled = new Set<string>()
  const timestamp = records.time
  const follow = (kind: string, fields: JsonObject): Line => {
    const id = records.newId(hexOf(kind, jsonText(fields), draft.id))
    const line = { text: lineOf({ type: kind, id, parentId, timestamp, ...fields }) }
    parentId = id
    return line
  }
  for (const [label, at] of draft.labels) {
    const targetId = records.idOf(at)
    if (targetId === null || labelled.has(targetId)) yield { code: 'label', subject: label }
    else {
      labelled.add(targetId)
      yield follow('label', { targetId, label })
    }
  }
  if (draft.title !== undefined) yield follow('session_info', { name: draft.title })
  else if (labelled.size === 0 && tip !== draft.count - 1)
    yield follow('custom', { customType: 'sess', data: { leaf: parentId } })
}

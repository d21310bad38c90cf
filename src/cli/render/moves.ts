import type { Json } from '../../model/json.ts'
import { isObject } from '../../model/json.ts'
import { type Oid, short } from '../../model/oid.ts'
import { parseSessionRef, plainName } from '../../model/refname.ts'
import type { Moved } from '../../ops/operations.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

/** The number of moves in a list for people. */
const MOST = 20

/**
 * Returns moves of refs as lines. A session that was created or removed takes one line; after 20 lines the rest is
 * counted.
 */
export function moveLines(moves: readonly Moved[], operation: string): Line[] {
  const whole = new Set(moves.flatMap(({ name, old, new: now }) => madeOrRemoved(name, old, now)))
  const shown = moves.filter(({ name }) => {
    const parsed = parseSessionRef(name)
    return parsed === undefined || parsed.kind === 'meta' || !whole.has(parsed.session)
  })
  const rest = shown.length - MOST
  return [
    ...shown.slice(0, MOST).map((move) => moveLine(move)),
    ...(rest > 0 ? [[`  and ${counted(rest, 'more', 'more')}: sess op show ${operation}`]] : []),
  ]
}

const madeOrRemoved = (name: string, old: Json, now: Json): string[] => {
  const parsed = parseSessionRef(name)
  return parsed?.kind === 'meta' && (old === null || now === null) ? [parsed.session] : []
}

/** Returns a move of a ref as a line: `+` for a new one, `-` for a removed one. */
export function moveLine({ name, old, new: now }: Moved): Line {
  const shown = firstLine(plainName(name))
  if (parseSessionRef(name)?.kind === 'meta') return metaLine(shown, old, now)
  if (old === null) return [styled('green', `  + ${shown}`), '  ', styled('yellow', valueText(now))]
  if (now === null) return [styled('red', `  - ${shown}`), '  was ', styled('yellow', valueText(old))]
  return [`    ${shown}  `, styled('yellow', valueText(old)), ' -> ', styled('yellow', valueText(now))]
}

function metaLine(session: string, old: Json, now: Json): Line {
  if (old === null) return [styled('green', `  + session ${session}`), titled(now)]
  if (now === null) return [styled('red', `  - session ${session}`), titled(old)]
  const [before, after] = [old, now].map((value) => (isObject(value) ? value : {})) as [Values, Values]
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  const told = changed.map((key) => `${key} ${inWords(before[key])} -> ${inWords(after[key])}`)
  return [`    session ${session}  ${told.join(', ')}`]
}

type Values = { readonly [key: string]: Json | undefined }

const titled = (value: Json): string =>
  isObject(value) && typeof value.title === 'string' ? `  "${firstLine(value.title)}"` : ''

const inWords = (value: Json | undefined): string =>
  value === undefined ? 'none' : firstLine(JSON.stringify(value))

/** Returns the value of a ref in words: an oid, a branch, a number of records. */
function valueText(value: Json): string {
  if (typeof value === 'string') return short(value as Oid)
  if (!isObject(value)) return inWords(value)
  const { branch, oid, count, earlier, session } = value
  if (typeof session === 'string') return firstLine(session)
  if (typeof branch === 'string') return `branch ${firstLine(branch)}`
  if (typeof oid === 'string') return short(oid as Oid)
  if (oid === null) return 'before the first entry'
  if (typeof count !== 'number') return inWords(value)
  const before = Array.isArray(earlier) ? (earlier as [number, number][]) : []
  return counted(
    before.reduce((sum, [, records]) => sum + records, count),
    'record',
  )
}

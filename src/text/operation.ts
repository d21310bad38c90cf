import { type Oid, short } from '../model/encoding/oid.ts'
import { isObject, type Json } from '../model/json.ts'
import { parseSessionRef, plainName } from '../model/refname.ts'
import type { LoggedOperation, Moved } from '../verbs/types.ts'
import { counted, type Display, firstLine, grouped, type Line, type Piece, styled } from './text.ts'
import { longAgo, minute } from './time.ts'
import { cut, padStart, widthOf } from './width.ts'

/** The number of digits of an operation's id that are shown. */
const ID = 8
/** Where fewer columns are left for the command, the id and the user are left out. */
const COMMAND = 20

/** Returns a command as it was typed, without the name of the store. */
export const commandText = (command: string): string =>
  firstLine(command).replace(/ --store[ =](?:'[^']*'|\S+)/, '')

const DONE = { undo: 'undid', redo: 'redid', restore: 'restored' } as const

/** Returns an operation in words: number, time, command. */
export const operationText = (
  { number, time, command }: LoggedOperation,
  { zone, now }: Display,
): Piece[] => [
  styled('bold', `operation ${number}`),
  ` (${minute(time, zone)}${time === null ? '' : `, ${longAgo(now - Date.parse(time))}`}): `,
  commandText(command),
]

/** Returns an operation as a line of a list; `width` is that of the largest number. */
export function operationLine(operation: LoggedOperation, width: number, { columns, zone }: Display): Line {
  const { number, id, time, who, command, refs, undoneBy } = operation
  const about = [counted(refs, 'ref'), ...fateOf(operation)].join(', ')
  const author = firstLine(who)
  const left = columns - width - ID - 16 - 12 - widthOf(author) - about.length
  const isNarrow = left < COMMAND
  const room = isNarrow ? left + ID + widthOf(author) + 4 : left
  const text = cut(commandText(command), Math.max(COMMAND, room))
  return [
    styled('yellow', padStart(`${number}`, width)),
    '  ',
    styled('dim', isNarrow ? '' : `${id.slice(0, ID)}  `),
    styled('dim', minute(time, zone)),
    styled('dim', isNarrow ? '' : `  ${author}`),
    '  ',
    undoneBy === null ? text : styled('dim', text),
    styled(undoneBy === null ? 'cyan' : 'dim', `  (${about})`),
  ]
}

/** Returns how an operation relates to others: what it undid, and what undid it. */
export const fateOf = ({ open, turn, undoneBy }: LoggedOperation): string[] => [
  ...(open ? ['still open'] : []),
  ...(turn ? [`${DONE[turn.kind]} ${turn.operation}`] : []),
  ...(undoneBy === null ? [] : [`undone by ${undoneBy}`]),
]

/** The number of moves in a list for people. */
const MAX_MOVES = 20

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
  const rest = shown.length - MAX_MOVES
  return [
    ...shown.slice(0, MAX_MOVES).map((move) => moveLine(move)),
    ...(rest > 0 ? [[`  and ${grouped(rest)} more: sess op show ${operation}`]] : []),
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
  const isSaid = (key: string): boolean => (NOTED_WITH[key] ?? []).some((other) => changed.includes(other))
  const told = changed.filter((key) => !isSaid(key))
  const changes = told.map((key) => `${key} ${inWords(before[key])} -> ${inWords(after[key])}`)
  return [`    session ${session}  ${changes.join(', ')}`]
}

/** Properties that only note that the user changed another one. */
const NOTED_WITH: { readonly [key: string]: readonly string[] | undefined } = {
  renamed: ['title'],
  moved: ['cwd', 'folders'],
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

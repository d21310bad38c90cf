import type { LoggedOperation } from '../../ops/operations.ts'
import { type Piece, styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine, padStart } from './text.ts'
import { longAgo, minute } from './time.ts'

export interface OperationLook {
  readonly columns: number
  readonly zone: (time: number) => number
  /** In milliseconds since 1970. */
  readonly now: number
}

/** So many digits of an operation's id are shown. */
const ID = 8

/** Returns a command as it was typed, without the name of the store. */
export const commandText = (command: string): string =>
  firstLine(command).replace(/ --store[ =](?:'[^']*'|\S+)/, '')

const DONE = { undo: 'undid', redo: 'redid', restore: 'restored' } as const

/** Returns an operation in words: number, time, command. */
export const operationText = (
  { number, time, command }: LoggedOperation,
  { zone, now }: OperationLook,
): Piece[] => [
  styled('bold', `operation ${number}`),
  ` (${minute(time, zone)}${time === null ? '' : `, ${longAgo(now - Date.parse(time))}`}): `,
  commandText(command),
]

/** Returns an operation as a line of a list; `width` is that of the largest number. */
export function operationLine(operation: LoggedOperation, width: number, look: OperationLook): Line {
  const { number, id, time, who, command, refs, undoneBy } = operation
  const about = [counted(refs, 'ref'), ...fateOf(operation)].join(', ')
  const left = look.columns - width - ID - 16 - 12 - who.length - about.length
  const text = cut(commandText(command), Math.max(20, left))
  return [
    styled('yellow', padStart(`${number}`, width)),
    '  ',
    styled('dim', id.slice(0, ID)),
    '  ',
    styled('dim', `${minute(time, look.zone)}  ${firstLine(who)}`),
    '  ',
    undoneBy === null ? text : styled('dim', text),
    styled(undoneBy === null ? 'cyan' : 'dim', `  (${about})`),
  ]
}

/** Returns how an operation relates to others: what it undid, and what undid it. */
export const fateOf = ({ turn, undoneBy }: LoggedOperation): string[] => [
  ...(turn ? [`${DONE[turn.kind]} ${turn.operation}`] : []),
  ...(undoneBy === null ? [] : [`undone by ${undoneBy}`]),
]

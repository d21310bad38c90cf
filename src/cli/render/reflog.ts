import { short } from '../../model/oid.ts'
import type { Step } from '../../ops/reflog.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { commandText } from './operation.ts'
import { summaryOf } from './summary.ts'
import { cut, firstLine, pad } from './text.ts'
import { minute } from './time.ts'
import { widthOf } from './width.ts'

export interface ReflogLook {
  /** The session as it was typed, so that what is shown can be typed again. */
  readonly owner: string
  readonly columns: number
  readonly zone: (time: number) => number
}

/** Commands are cut to so many columns. */
const COMMAND = 32

/** Returns a move of a ref as a line: name, new value, time, command. */
export function stepLine(
  { name, index, oid, branch, root, time, command, entry }: Step,
  { owner, columns, zone }: ReflogLook,
): Line {
  const shown = `${firstLine(owner)}/${firstLine(name)}@{${index}}`
  const typed = pad(cut(commandText(command), COMMAND), COMMAND)
  const left = columns - widthOf(shown) - 10 - 16 - COMMAND - 8
  const says = entry === null ? '' : cut(summaryOf(entry.view, entry.type), Math.max(10, left))
  return [
    styled('cyan', shown),
    '  ',
    oid === null
      ? styled('green', pad(root ? '(root)' : branch === null ? '(removed)' : firstLine(branch), 10))
      : styled('yellow', short(oid)),
    '  ',
    styled('dim', minute(time, zone)),
    `  ${says === '' ? typed.trimEnd() : `${typed}  ${says}`}`,
  ]
}

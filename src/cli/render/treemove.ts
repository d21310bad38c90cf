import { short } from '../../model/oid.ts'
import type { TreeMove } from '../../ops/navigate/treemove.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { placeText } from './standing.ts'
import { counted } from './text.ts'

/** Returns a move in a tree as lines: the new position, what was left, and the text to edit. */
export function treeMoveLines({
  session,
  head,
  tip,
  beforeTip,
  abandoned,
  kept,
  summary,
  text,
}: TreeMove): Line[] {
  const was = beforeTip === null || beforeTip === tip ? '' : ` (was ${short(beforeTip)})`
  return [
    [`Session ${session} stands ${placeText(head, tip)} now${was}`],
    ...(abandoned === 0 ? [] : [leftLine(abandoned, kept, summary !== null)]),
    ...(text === null ? [] : textLines(text)),
  ]
}

function leftLine(abandoned: number, kept: string | null, isSummarised: boolean): Line {
  const branch = kept === null ? [] : [', on the new branch ', styled('green', kept)]
  const summary = isSummarised ? `; a summary stands for ${abandoned === 1 ? 'it' : 'them'}` : ''
  return [`Left ${counted(abandoned, 'entry', 'entries')} behind`, ...branch, summary]
}

/** Returns the text of a user message, for editing and sending again. */
export const textLines = (text: string): Line[] => [
  ['To say anew:'],
  ...text.split('\n').map((line): Line => [`    ${line}`]),
]

import { SessError } from '../../model/errors.ts'
import { type Oid, short } from '../../model/oid.ts'
import type { TreeMove } from '../../ops/treemove.ts'
import type { Head } from '../../repo/session.ts'
import type { Answer } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { quoted, typed } from '../shellwords.ts'
import { type Line, styled } from './styledtext.ts'
import { counted, did, firstLine } from './text.ts'

/** Answers with a move in a tree. Throws `stopped` if it was stopped. */
export function treeMoveAnswer(call: Invocation, done: TreeMove): Answer<TreeMove> {
  if (done.cancelled) throw new SessError('stopped', 'nothing was changed')
  const isSame = done.tip === done.beforeTip
  return {
    data: done,
    render: () => treeMoveLines(call, done),
    notes: isSame ? ['it is there already: nothing was changed'] : [],
    back: isSame ? undefined : 'sess undo',
  }
}

/** Returns a move in a tree as lines: the new position, what was left, and the text to edit. */
function treeMoveLines(
  call: Invocation,
  { session, head, tip, beforeTip, abandoned, kept, summary, text }: TreeMove,
): Line[] {
  const was = beforeTip === null || beforeTip === tip ? '' : ` (was ${short(beforeTip)})`
  return [
    [`${did(call, 'Switched')} session ${session} to ${placeText(head, tip)}${was}`],
    ...(abandoned === 0 ? [] : [leftLine(call, abandoned, kept, summary !== null)]),
    ...(text === null ? [] : messageLines(text)),
  ]
}

function leftLine(call: Invocation, abandoned: number, kept: string | null, isSummarized: boolean): Line {
  const branch = kept === null ? [] : [', on the new branch ', styled('green', kept)]
  return [
    `${did(call, 'Left')} ${counted(abandoned, 'entry', 'entries')}`,
    ...branch,
    isSummarized ? ', with a summary' : '',
  ]
}

/** Returns the text of a user message, for editing and sending again. */
export const messageLines = (text: string): Line[] => [
  ['To send again:'],
  ...text.split('\n').map((line): Line => [`    ${line}`]),
]

/** Returns the position of a session in words. */
export function placeText(head: Head, tip: Oid | null): string {
  if ('branch' in head)
    return `branch ${firstLine(head.branch)} (${tip === null ? 'no entry yet' : short(tip)})`
  return tip === null ? 'before the first entry' : `an entry on no branch (${short(tip)})`
}

/** A session, and its former position. */
interface Former {
  readonly session: string
  readonly before: Head
  readonly beforeTip: Oid | null
}

/** Returns the command that restores the former position of a session. */
export function wayBack({ session, before, beforeTip }: Former): string {
  const to = `sess switch --session ${quoted(session)}`
  if (!('branch' in before)) return `${to} ${before.oid === null ? '--root' : before.oid}`
  return beforeTip === null ? `${to} --root -c ${quoted(before.branch)}` : `${to} ${typed(before.branch)}`
}

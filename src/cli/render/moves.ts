import { type Oid, short } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { quoted, typed } from '../../text/shellwords.ts'
import { counted, did, firstLine, grouped, type Line, styled } from '../../text/text.ts'
import type { Head, ReplayResult, TreeMove } from '../../verbs/types.ts'
import type { Answer } from '../define.ts'
import type { Invocation } from '../invocation.ts'

/** Returns what people see of a move in a tree. Throws `stopped` if it was stopped. */
export function treeMoveAnswer(call: Invocation, done: TreeMove): Omit<Answer<TreeMove>, 'data'> {
  if (done.cancelled) throw new SessError('stopped', 'nothing was changed')
  const isSame = done.tip === done.beforeTip
  return {
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
    `${did(call, 'Left')} ${counted(abandoned, 'entry')}`,
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

/** The number of entries in a list for people. */
const MAX_ENTRIES = 20

/** Returns the old and the new position of a branch in words. */
export function branchMove({ session, branch, before, tip }: Omit<ReplayResult, 'map' | 'lost'>): Line {
  const name = branch === null ? `session ${session}` : `${session}/${firstLine(branch)}`
  return [`${name}: `, oidPiece(before), ...(before === tip ? [] : [' -> ', oidPiece(tip)])]
}

/** Returns the entries appended again, each with its new oid, and the links that were lost. */
export const replayedLines = ({ map, lost }: Pick<ReplayResult, 'map' | 'lost'>): Line[] => [
  ...map.slice(0, MAX_ENTRIES).map(({ from, to }): Line => ['  ', oidPiece(from), ' -> ', oidPiece(to)]),
  ...(map.length > MAX_ENTRIES
    ? [[`  and ${grouped(map.length - MAX_ENTRIES)} more: --json gives them all`]]
    : []),
  ...lost
    .slice(0, MAX_ENTRIES)
    .map(
      ({ oid, link, to }): Line => [
        '  ',
        oidPiece(oid),
        ` had ${WORDS[link]} `,
        oidPiece(to),
        ', which did not come along',
      ],
    ),
]

const WORDS = { firstKept: 'kept all from', kept: 'kept', target: 'edited' } as const

const oidPiece = (oid: Oid | null): Line[number] => (oid === null ? 'nothing' : styled('yellow', short(oid)))

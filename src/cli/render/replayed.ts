import { type Oid, short } from '../../model/oid.ts'
import type { ReplayResult } from '../../ops/replay.ts'
import { type Line, styled } from './styledtext.ts'
import { counted, firstLine } from './text.ts'

/** The number of entries in a list for people. */
const MOST = 20

/** Returns the old and the new position of a branch in words. */
export function branchMove({ session, branch, before, tip }: Omit<ReplayResult, 'map' | 'lost'>): Line {
  const name = branch === null ? `session ${session}` : `${session}/${firstLine(branch)}`
  return [`${name}: `, oidPiece(before), ...(before === tip ? [] : [' -> ', oidPiece(tip)])]
}

/** Returns the entries appended again, each with its new oid, and the links that were lost. */
export const replayedLines = ({ map, lost }: Pick<ReplayResult, 'map' | 'lost'>): Line[] => [
  ...map.slice(0, MOST).map(({ from, to }): Line => ['  ', oidPiece(from), ' -> ', oidPiece(to)]),
  ...(map.length > MOST
    ? [[`  and ${counted(map.length - MOST, 'more', 'more')}: --json gives them all`]]
    : []),
  ...lost
    .slice(0, MOST)
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

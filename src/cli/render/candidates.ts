import type { Candidate } from '../../ops/names/candidates.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { cut, firstLine, pad } from './text.ts'
import { minute } from './time.ts'
import { widthOf } from './width.ts'

export interface CandidatesLook {
  readonly columns: number
  readonly zone: (time: number) => number
}

/** The digits of an oid that are shown at least, and those that tell it from its neighbours. */
const DIGITS = 12

/** Returns the candidates of an ambiguous name, one line each. */
export function candidateLines(
  name: string,
  candidates: readonly Candidate[],
  { columns, zone }: CandidatesLook,
): Line[] {
  const rows = candidates.map(({ kind, id, agent, time, text }) => ({
    id: kind === 'entry' ? id.slice(0, Math.max(DIGITS, name.length + 4)) : firstLine(id),
    agent: firstLine(agent ?? '-'),
    time: minute(time, zone),
    text: firstLine(text ?? ''),
  }))
  const wide = (column: 'id' | 'agent'): number => Math.max(...rows.map((row) => widthOf(row[column])))
  const [ids, agents] = [wide('id'), wide('agent')]
  return rows.map(({ id, agent, time, text }) => [
    '  ',
    styled('yellow', pad(id, ids)),
    '  ',
    styled('dim', `${time}  ${pad(agent, agents)}`),
    `  ${cut(text, Math.max(10, columns - ids - agents - 24))}`,
  ])
}

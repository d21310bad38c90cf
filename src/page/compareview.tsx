import type { VNode } from 'preact'
import { Icon } from './icons.tsx'
import { hueOf } from './rail.tsx'
import { wordDiff } from './worddiff.ts'
import { counted, cutTo, duration, grouped, lastPart, money, short } from './words.ts'

/** One side of a comparison, as far as it is shown. */
export interface ComparedSide {
  readonly revision: string
  readonly branch: string | null
  readonly outcome: 'complete' | 'failed' | 'interrupted' | 'pending' | null
  readonly cost: number | null
  readonly tokens: { readonly total: number } | null
  readonly duration: number | null
  readonly calls: number
  readonly errors: number
  readonly messages: number
  readonly estimated: number
  readonly files: { readonly read: readonly string[]; readonly changed: readonly string[] }
}

/** A comparison, as far as it is shown. */
export interface ComparedSides {
  readonly whole: boolean
  readonly sides: readonly ComparedSide[]
}

/** A measure of a comparison: less is better. */
interface Measure {
  readonly name: string
  readonly value: (side: ComparedSide) => number | null
  readonly text: (value: number) => string
}

const MEASURES: readonly Measure[] = [
  { name: 'Cost', value: ({ cost }) => cost, text: money },
  { name: 'Tokens', value: ({ tokens }) => tokens?.total ?? null, text: short },
  { name: 'Time', value: (side) => side.duration, text: duration },
  { name: 'Tool calls', value: ({ calls }) => calls, text: grouped },
  { name: 'Tool errors', value: ({ errors }) => errors, text: grouped },
  { name: 'Messages', value: ({ messages }) => messages, text: grouped },
  { name: 'Text, in tokens', value: ({ estimated }) => estimated, text: short },
]

/** Returns how a side is called. */
export const sideName = ({ branch, revision }: ComparedSide): string =>
  branch ?? cutTo(lastPart(revision), 24)

/** Returns for each side in how many measures it is ahead of all others. */
export function winsOf({ sides }: ComparedSides): number[] {
  const wins = sides.map(() => 0)
  for (const measure of MEASURES) {
    const best = bestOf(measure, sides)
    if (best !== null) wins[best] = (wins[best] ?? 0) + 1
  }
  return wins
}

/** Returns the side with the lowest value; null where none is lower than all others. */
function bestOf({ value }: Measure, sides: readonly ComparedSide[]): number | null {
  const values = sides.map(value)
  if (values.some((one) => one === null)) return null
  const lowest = Math.min(...(values as number[]))
  const at = values.indexOf(lowest)
  return values.lastIndexOf(lowest) === at ? at : null
}

const OUTCOMES = {
  complete: 'complete',
  failed: 'failed',
  interrupted: 'interrupted',
  pending: 'waits for an answer',
} as const

/** How a path ended. */
const OutcomeChip = ({ outcome }: Pick<ComparedSide, 'outcome'>): VNode | null =>
  outcome === null ? null : (
    <span class={outcome === 'complete' ? 'chip good' : outcome === 'failed' ? 'chip bad' : 'chip'}>
      {OUTCOMES[outcome]}
    </span>
  )

/** In how many measures a side is ahead, where none is in more, and how it ended. */
export const SideChips = ({
  side,
  wins,
  at,
}: {
  readonly side: Pick<ComparedSide, 'outcome'>
  readonly wins: readonly number[]
  readonly at: number
}): VNode => (
  <>
    {(wins[at] ?? 0) > 0 && wins[at] === Math.max(...wins) && (
      <span class="chip good">
        <Icon name="check" />
        ahead in {wins[at]} of {wins.reduce((sum, one) => sum + one, 0)}
      </span>
    )}
    <OutcomeChip outcome={side.outcome} />
  </>
)

/** The measures of the sides, the lowest of each marked. */
export function ScoreTable({ comparison }: { readonly comparison: ComparedSides }): VNode {
  const { sides, whole } = comparison
  return (
    <div class="card score">
      <table>
        <thead>
          <tr>
            <th scope="col">{whole ? 'Whole paths' : 'Since they parted'}</th>
            {sides.map((side) => (
              <th scope="col">{sideName(side)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {MEASURES.map((measure) => (
            <ScoreRow measure={measure} sides={sides} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ScoreRow({
  measure,
  sides,
}: {
  readonly measure: Measure
  readonly sides: readonly ComparedSide[]
}): VNode | null {
  const values = sides.map(measure.value)
  if (values.every((value) => value === null)) return null
  const most = Math.max(...values.map((value) => value ?? 0), 1e-9)
  const best = bestOf(measure, sides)
  return (
    <tr>
      <th scope="row">
        {measure.name} <span class="faint">less is better</span>
      </th>
      {values.map((value, i) => (
        <td>
          {value === null ? (
            <span class="faint">unknown</span>
          ) : (
            <div class="cell">
              <span class={i === best ? 'win' : ''}>
                {i === best && <Icon name="check" />}
                {measure.text(value)}
              </span>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  class={`f${hueOf(i + 1)}${best !== null && i !== best ? ' lose' : ''}`}
                  width={((100 * value) / most).toFixed(1)}
                  height="8"
                  rx="1.5"
                />
              </svg>
            </div>
          )}
        </td>
      ))}
    </tr>
  )
}

/** The files that the sides changed or read. */
export function FilesTable({ sides }: { readonly sides: readonly ComparedSide[] }): VNode | null {
  const files = [...new Set(sides.flatMap(({ files: { changed } }) => changed))].toSorted()
  if (files.length === 0) return null
  return (
    <div class="card files">
      <table>
        <thead>
          <tr>
            <th scope="col">File</th>
            {sides.map((side) => (
              <th scope="col" class="num">
                {sideName(side)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr>
              <td class="mono">{file}</td>
              {sides.map((side) => (
                <td class="num">
                  {side.files.changed.includes(file) ? (
                    'changed'
                  ) : side.files.read.includes(file) ? (
                    <span class="muted">read</span>
                  ) : (
                    <span class="faint">none</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const MAX_COMPARED = 6000

/** A text with the words marked that the other side has not. */
export function MarkedText({
  text,
  other,
  hue,
}: {
  readonly text: string
  readonly other: string | null
  readonly hue: number
}): VNode {
  if (other === null || text.length > MAX_COMPARED || other.length > MAX_COMPARED)
    return <p class="said">{text}</p>
  const pieces = wordDiff(other, text)
  return (
    <p class="said">
      {pieces
        .filter(({ removed }) => !removed)
        .map(({ value, added }) => (added ? <mark class={`m${hue}`}>{value}</mark> : value))}
    </p>
  )
}

/** Says how much the sides have in common. */
export const commonLine = (count: number | null): string =>
  count === null ? 'They have nothing in common' : `${counted(count, 'entry', 'entries')} in common`

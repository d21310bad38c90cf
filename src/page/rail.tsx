import type { VNode } from 'preact'

/** The hues of branches: a row of four that repeats. */
export const hueOf = (index: number): number => (((index % 4) + 4) % 4) + 1

const WIDTH = 128

/** Where branches part from the straight path of a session, by numbers of entries. */
interface Partings {
  readonly length: number
  readonly forks: readonly { readonly branch: string; readonly shared: number; readonly own: number }[]
}

/** The shape of a session in a list: its straight path as long as it has entries, and where others part from it. */
export function Shape({
  entries,
  branches,
  partings,
}: {
  readonly entries: number
  readonly branches: number
  readonly partings: Partings | null
}): VNode {
  const own = partings?.length ?? entries
  const length = 18 + Math.min(1, Math.log10(Math.max(1, own)) / 4) * (WIDTH - 26)
  const label = branches > 1 ? `${branches} branches` : 'one line, no branches'
  const px = (count: number): number => (count * (length - 4)) / Math.max(1, own)
  const parted = (partings?.forks ?? []).map(({ shared, own: added }, i) => {
    const from = Math.min(4 + px(shared), WIDTH - 22)
    const side = i % 2 === 0 ? 10 : -10
    return { from, side, end: Math.min(WIDTH - 4, from + 10 + px(added)), hue: hueOf(i + 1) }
  })
  return (
    <svg class="shape" viewBox={`0 0 ${WIDTH} 30`} role="img" aria-label={label}>
      <path class="rail s1" d={`M4 15H${length.toFixed(1)}`} />
      {parted.map(({ from, side, end, hue }) => (
        <>
          <path
            class={`rail s${hue}`}
            d={`M${from.toFixed(1)} 15c6 0 4 ${side} 10 ${side}H${end.toFixed(1)}`}
          />
          <circle class={`f${hue}`} cx={end.toFixed(1)} cy={15 + side} r="2.6" />
        </>
      ))}
      <circle class="f1" cx={length.toFixed(1)} cy="15" r="3.4" />
    </svg>
  )
}

/** How a row of the tree is drawn. */
export interface LaneRow {
  /** How many paths part one from another down to it. */
  readonly level: number
  readonly hue: number
  readonly kind: 'prompt' | 'reply' | 'other' | 'head'
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Whether its line begins here, beside the one that it parts from. */
  readonly parts: boolean
  /** The lines that go on beside it. */
  readonly beside: readonly { readonly level: number; readonly hue: number }[]
}

const ROW = 28
const STEP = 16
const MAX_LANES = 5

const laneX = (level: number): number => 9 + Math.min(level, MAX_LANES) * STEP

/** The lines at the left of a row of the tree. */
export function Lanes({ level, hue, kind, isFirst, isLast, parts, beside }: LaneRow): VNode {
  const x = laneX(level)
  const width = x + 11
  return (
    <svg class="lanes" width={width} height={ROW} viewBox={`0 0 ${width} ${ROW}`} aria-hidden="true">
      {beside.map((other) => (
        <path class={`rail s${other.hue}`} d={`M${laneX(other.level)} 0V28`} />
      ))}
      {parts && level > 0 ? (
        <path
          class={`rail s${hue}`}
          d={`M${laneX(level - 1)} 0C${laneX(level - 1)} 10 ${x} 4 ${x} 14${isLast ? '' : 'V28'}`}
        />
      ) : (
        <path class={`rail s${hue}`} d={`M${x} ${isFirst ? 14 : 0}V${isLast ? 14 : 28}`} />
      )}
      {kind === 'other' ? (
        <circle class={`rail s${hue} fs`} cx={x} cy="14" r="3.6" />
      ) : (
        <circle
          class={kind === 'head' ? 'fg' : `f${hue}`}
          cx={x}
          cy="14"
          r={kind === 'head' ? 5 : kind === 'prompt' ? 4.5 : 3}
        />
      )}
    </svg>
  )
}

/** The line of one of several attempts, in their card. */
export const AttemptRail = ({ hue, isHere }: { readonly hue: number; readonly isHere: boolean }): VNode => (
  <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
    <path class={`rail s${hue}`} d="M10 0v20" />
    <circle class={`f${hue}`} cx="10" cy="10" r={isHere ? 5 : 4} />
  </svg>
)

/** The common line that parts above the columns of a comparison. */
export function Parting({ count }: { readonly count: number }): VNode {
  const width = 1000
  const ends = Array.from({ length: count }, (_, i) => (width * (i + 0.5)) / count)
  return (
    <svg class="split" viewBox={`0 0 ${width} 44`} preserveAspectRatio="none" aria-hidden="true">
      <path class="rail sl" d="M500 0V8" />
      {ends.map((end, i) => (
        <path
          class={`rail s${hueOf(i + 1)}`}
          vector-effect="non-scaling-stroke"
          d={`M500 8C500 26 ${end} 14 ${end} 44`}
        />
      ))}
    </svg>
  )
}

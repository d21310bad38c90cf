import type { VNode } from 'preact'
import { dayShort } from './words.ts'

/** The parts of a day, the highest first in the order of the series. */
export interface Bar {
  readonly day: string
  readonly parts: readonly number[]
}

const [WIDTH, HEIGHT, RIGHT] = [470, 112, 420]
const [TOP, BOTTOM] = [6.5, 92.5]

/** Returns a round number that is not lower. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 4, 5, 10].find((step) => step * unit >= value) ?? 10) * unit
}

/** Stacked bars, one for each day. */
export function BarChart({
  bars,
  hues,
  format,
  label,
}: {
  readonly bars: readonly Bar[]
  /** The class of the colour of each series. */
  readonly hues: readonly string[]
  readonly format: (value: number) => string
  readonly label: string
}): VNode {
  const sums = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0))
  const top = roundUp(Math.max(0, ...sums))
  const step = RIGHT / bars.length
  const width = Math.max(2, Math.min(28, step * 0.72))
  const y = (value: number): number => BOTTOM - ((BOTTOM - TOP) * value) / top
  const marks = [0, Math.floor(bars.length / 2), bars.length - 1]
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <g class="axis">
        <path d={`M0 ${BOTTOM}H${RIGHT}M0 ${(TOP + BOTTOM) / 2}H${RIGHT}M0 ${TOP}H${RIGHT}`} />
        {[0, top / 2, top].map((value) => (
          <text x={RIGHT + 8} y={y(value) + 3.5}>
            {format(value)}
          </text>
        ))}
        {marks.map((at, i) => (
          <text
            x={step * (at + 0.5)}
            y={HEIGHT - 2}
            text-anchor={i === 0 ? 'start' : i === 1 ? 'middle' : 'end'}
          >
            {bars[at] === undefined ? '' : dayShort(bars[at].day)}
          </text>
        ))}
      </g>
      {bars.map(({ day, parts }, at) => {
        let sum = 0
        return (
          <g>
            <title>{`${dayShort(day)}: ${format(sums[at] ?? 0)}`}</title>
            {parts.map((part, series) => {
              const from = sum
              sum += part
              const height = y(from) - y(sum) - (from > 0 ? 1 : 0)
              return height < 0.3 ? null : (
                <rect
                  class={hues[series]}
                  x={(step * (at + 0.5) - width / 2).toFixed(1)}
                  y={y(sum).toFixed(1)}
                  width={width.toFixed(1)}
                  height={height.toFixed(1)}
                  rx={Math.min(2, height / 2)}
                />
              )
            })}
          </g>
        )
      })}
    </svg>
  )
}

/** The names of the colours of a chart. */
export const Legend = ({
  names,
  hues,
}: {
  readonly names: readonly string[]
  readonly hues: readonly string[]
}): VNode => (
  <div class="legend">
    {names.map((name, i) => (
      <span>
        <svg viewBox="0 0 9 9" aria-hidden="true">
          <rect class={hues[i]} width="9" height="9" rx="2" />
        </svg>
        {name}
      </span>
    ))}
  </div>
)

/** A bar of parts of a whole. */
export function Meter({
  parts,
  total,
  label,
}: {
  readonly parts: readonly { readonly value: number; readonly hue: string }[]
  readonly total: number
  readonly label: string
}): VNode {
  const WHOLE = 264
  let x = 0
  return (
    <svg class="meter" viewBox={`0 0 ${WHOLE} 10`} preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="fl" width={WHOLE} height="10" />
      {parts.map(({ value, hue }) => {
        const from = x
        const width = total <= 0 ? 0 : (WHOLE * value) / total
        x += width
        return <rect class={hue} x={from.toFixed(2)} width={width.toFixed(2)} height="10" />
      })}
    </svg>
  )
}

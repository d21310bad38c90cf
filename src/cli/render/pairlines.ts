import type { Pairs } from '../../ops/set.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine, pad } from './text.ts'
import { widthOf } from './width.ts'

/** Returns the properties of a session, one line each. */
export function pairLines(set: Pairs): Line[] {
  const width = Math.max(0, ...Object.keys(set).map(widthOf))
  return Object.entries(set).map(([key, value]) => [styled('dim', pad(key, width)), `  ${firstLine(value)}`])
}

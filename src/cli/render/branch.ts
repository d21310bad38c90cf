import { short } from '../../model/oid.ts'
import type { Branch } from '../../ops/branch.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine, pad } from './text.ts'
import { widthOf } from './width.ts'

/** Gives branches as lines, the current one with a star. */
export function branchLines(branches: readonly Branch[]): Line[] {
  const width = Math.max(0, ...branches.map(({ name }) => widthOf(firstLine(name))))
  return branches.map(({ name, oid, current }) => [
    styled(current ? 'green' : 'plain', `${current ? '*' : ' '} ${pad(firstLine(name), width)}`),
    '  ',
    styled('yellow', short(oid)),
  ])
}

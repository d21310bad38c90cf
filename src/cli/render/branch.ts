import { short } from '../../model/oid.ts'
import type { ListedBranch } from '../../ops/branch.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine, pad } from './text.ts'
import { widthOf } from './width.ts'

/** Gives branches as lines, the current one with a star, with the labels of their tips. */
export function branchLines(branches: readonly ListedBranch[]): Line[] {
  const width = Math.max(0, ...branches.map(({ name }) => widthOf(firstLine(name))))
  return branches.map(({ name, oid, current, labels }) => [
    styled(current ? 'green' : 'plain', `${current ? '*' : ' '} ${pad(firstLine(name), width)}`),
    '  ',
    styled('yellow', short(oid)),
    styled('cyan', labels.length === 0 ? '' : `  (label: ${labels.map(firstLine).join(', ')})`),
  ])
}

import { short } from '../../model/oid.ts'
import type { Branch } from '../../ops/branch.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine } from './text.ts'

/** Gives a branch as a line, the current one with a star. */
export const branchLine = ({ name, oid, current }: Branch): Line => [
  current ? styled('green', `* ${firstLine(name)}`) : `  ${firstLine(name)}`,
  '  ',
  styled('yellow', short(oid)),
]

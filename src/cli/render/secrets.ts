import { short } from '../../model/oid.ts'
import type { FoundSecret } from '../../ops/scan.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine } from './text.ts'

/** Returns a line for a secret: its mark, its place, and its masked text. */
export const secretLine = ({ secret, session, oid, field, rule, masked }: FoundSecret): Line => [
  styled('red', secret),
  ' ',
  styled('yellow', oid === null ? '-' : short(oid)),
  ` ${session === null ? '-' : firstLine(session)}  `,
  styled('cyan', rule),
  ` ${masked}  `,
  styled('dim', firstLine(field)),
]

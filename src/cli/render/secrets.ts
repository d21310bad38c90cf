import { short } from '../../model/oid.ts'
import type { FoundSecret } from '../../ops/scan.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine } from './text.ts'

/** Gives a line for a secret: which one, where it stands, and as much of it as may be seen. */
export const secretLine = ({ secret, session, oid, field, rule, masked }: FoundSecret): Line => [
  styled('red', secret),
  ' ',
  styled('yellow', oid === null ? '-' : short(oid)),
  ` ${session === null ? '-' : firstLine(session)}  `,
  styled('cyan', rule),
  ` ${masked}  `,
  styled('dim', firstLine(field)),
]

import { type Oid, short } from '../../model/oid.ts'
import type { Head } from '../../repo/session.ts'
import { quoted, typed } from '../quoted.ts'
import { firstLine } from './text.ts'

/** Returns the position of a session, to follow the word "stands". */
export function placeText(head: Head, tip: Oid | null): string {
  if ('branch' in head)
    return `on branch ${firstLine(head.branch)} (${tip === null ? 'no entry yet' : short(tip)})`
  return tip === null ? 'before its first entry' : `on an entry of no branch (${short(tip)})`
}

/** A session, and where it stood. */
export interface Stood {
  readonly session: string
  readonly before: Head
  readonly beforeTip: Oid | null
}

/** Returns the command that restores the former position of a session. */
export function wayBack({ session, before, beforeTip }: Stood): string {
  const to = `sess switch --session ${quoted(session)}`
  if (!('branch' in before)) return `${to} ${before.oid === null ? '--root' : before.oid}`
  return beforeTip === null ? `${to} --root -c ${quoted(before.branch)}` : `${to} ${typed(before.branch)}`
}

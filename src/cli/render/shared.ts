import { short } from '../../model/encoding/oid.ts'
import { typed } from '../../text/shellwords.ts'
import { firstLine } from '../../text/text.ts'
import type { SharedBase } from '../../verbs/types.ts'

/** Returns which branches of two sessions share entries, with the command that compares them. */
export function sharedText({ left, right, base }: SharedBase, command: 'diff' | 'merge-base'): string {
  const [a, b] = [left, right].map(({ session, branch }) => `${session}/${branch}`) as [string, string]
  return `other branches share entries up to ${short(base)}: ${firstLine(`sess ${command} ${typed(a, b)}`)}`
}

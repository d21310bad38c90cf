import { short } from '../../model/oid.ts'
import type { ContextMessage } from '../../ops/context.ts'
import type { ContextDiff, Seen } from '../../ops/diff/diffcontext.ts'
import { type Look, styled } from '../style.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { summaryOf } from './summary.ts'
import { counted, cut, firstLine } from './text.ts'

export interface ContextDiffLook {
  /** The revisions as they were typed. */
  readonly a: string
  readonly b: string
  readonly columns: number
}

/** Returns which messages left and entered the context, and which settings changed. */
export function contextDiffLines(
  { before, after, prefix, pairs }: ContextDiff,
  { a, b, columns }: ContextDiffLook,
): Line[] {
  const lines: Line[] = [
    [styled('red', `- ${firstLine(a)}`), `: ${amountOf(before)}`],
    [styled('green', `+ ${firstLine(b)}`), `: ${amountOf(after)}`],
    [styled('dim', `both begin with the same ${counted(prefix, 'message')}`)],
    ...settingLines(before, after),
    [],
  ]
  let kept = 0
  const flush = (): void => {
    if (kept > 0) lines.push([styled('dim', `  ${counted(kept, 'message')} kept`)])
    kept = 0
  }
  for (const { left, right, same } of pairs) {
    if (same) kept++
    else {
      flush()
      if (left) lines.push(messageLine(left, 'red', '-', columns))
      if (right) lines.push(messageLine(right, 'green', '+', columns))
    }
  }
  flush()
  return lines
}

const amountOf = ({ messages, tokens }: Seen): string =>
  `${counted(messages, 'message')}, ${counted(tokens, 'token')} estimated`

function settingLines(before: Seen, after: Seen): Line[] {
  const settings = [
    ['model', before.model?.id, after.model?.id],
    ['thinking', before.thinking, after.thinking],
    ['mode', before.mode, after.mode],
  ] as const
  return settings.flatMap(([name, was, is]): Line[] =>
    was === is ? [] : [[`${name}: ${firstLine(was ?? 'none')}, then ${firstLine(is ?? 'none')}`]],
  )
}

function messageLine(
  { oid, part, role, blocks }: ContextMessage,
  look: Look,
  sign: string,
  columns: number,
): Line {
  const who = role ?? '-'
  const from = part === 'message' ? '' : `  ${part}`
  const words = cut(summaryOf({ role, blocks }, part), Math.max(16, columns - 15 - who.length - from.length))
  return [
    styled(look, `${sign}${short(oid)}`),
    '  ',
    styled(lookOf(role), who),
    styled('dim', from),
    '  ',
    words,
  ]
}

/** The difference of two contexts, as JSON. */
export interface ContextDiffData extends Omit<ContextDiff, 'pairs'> {
  readonly left: readonly ContextMessage[]
  readonly came: readonly ContextMessage[]
  /** Entries that say something else now. */
  readonly changed: readonly { readonly before: ContextMessage; readonly after: ContextMessage }[]
  readonly kept: number
}

/** Returns the messages that left, entered or changed, as JSON. */
export function contextDiffData({ before, after, prefix, pairs }: ContextDiff): ContextDiffData {
  return {
    before,
    after,
    prefix,
    left: pairs.flatMap(({ left, right }) => (left && !right ? [left] : [])),
    came: pairs.flatMap(({ left, right }) => (right && !left ? [right] : [])),
    changed: pairs.flatMap(({ left, right, same }) =>
      left && right && !same ? [{ before: left, after: right }] : [],
    ),
    kept: pairs.filter(({ same }) => same).length,
  }
}

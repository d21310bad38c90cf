import { short } from '../model/encoding/oid.ts'
import type { ContextHead, ContextMessage, NeutralContext } from '../verbs/types.ts'
import { lookOf } from './entry.ts'
import { saidLines } from './show.ts'
import { counted, firstLine, type Line, styled } from './text.ts'

/** Returns what is known of a context before its messages, as a line. */
export function contextHeadLine({ count, tokens, model, thinking, mode }: ContextHead): Line {
  const settings = [
    counted(count, 'message'),
    counted(tokens, 'token'),
    ...(model ? [`model ${firstLine(model.id)}`] : []),
    ...(thinking === undefined ? [] : [`thinking ${firstLine(thinking)}`]),
    ...(mode === undefined ? [] : [`mode ${firstLine(mode)}`]),
  ]
  return [styled('dim', settings.join(', '))]
}

/** Returns a message of a context in full, for people. */
export function* contextMessageLines({ oid, part, role, blocks }: ContextMessage): Generator<Line> {
  yield []
  yield [
    styled('yellow', short(oid)),
    '  ',
    styled(lookOf(role), role ?? '-'),
    styled('dim', part === 'message' ? '' : `  ${part}`),
  ]
  yield* saidLines({ blocks })
}

/** Returns a context for people: what is known of it, then each message in full. */
export function* contextLines({ messages, ...context }: NeutralContext): Generator<Line> {
  yield contextHeadLine({ ...context, count: messages.length })
  for (const message of messages) yield* contextMessageLines(message)
}

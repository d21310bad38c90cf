import { short } from '../model/encoding/oid.ts'
import type { NeutralContext } from '../verbs/types.ts'
import { lookOf } from './entry.ts'
import { saidLines } from './show.ts'
import { counted, firstLine, type Line, styled } from './text.ts'

/** Returns a context for people: its settings, then each message in full. */
export function* contextLines({ messages, tokens, model, thinking, mode }: NeutralContext): Generator<Line> {
  const settings = [
    counted(messages.length, 'message'),
    counted(tokens, 'token'),
    ...(model ? [`model ${firstLine(model.id)}`] : []),
    ...(thinking === undefined ? [] : [`thinking ${firstLine(thinking)}`]),
    ...(mode === undefined ? [] : [`mode ${firstLine(mode)}`]),
  ]
  yield [styled('dim', settings.join(', '))]
  for (const { oid, part, role, blocks } of messages) {
    yield []
    yield [
      styled('yellow', short(oid)),
      '  ',
      styled(lookOf(role), role ?? '-'),
      styled('dim', part === 'message' ? '' : `  ${part}`),
    ]
    yield* saidLines({ blocks })
  }
}

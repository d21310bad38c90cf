import { short } from '../../model/oid.ts'
import type { NeutralContext } from '../../ops/context.ts'
import { styled } from '../style.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { saidLines } from './show.ts'
import { counted, firstLine } from './text.ts'

/** Gives what the model sees, for people: how it is set, then each message in full. */
export function contextLines({ messages, repairs, model, thinking, mode }: NeutralContext): Line[] {
  const settings = [
    counted(messages.length, 'message'),
    ...(model ? [`model ${firstLine(model.id)}`] : []),
    ...(thinking === undefined ? [] : [`thinking ${firstLine(thinking)}`]),
    ...(mode === undefined ? [] : [`mode ${firstLine(mode)}`]),
    ...(repairs.length === 0 ? [] : [`${counted(repairs.length, 'tool call')} put right`]),
  ]
  return [
    [styled('dim', settings.join(', '))],
    ...messages.flatMap(({ oid, part, role, blocks }): Line[] => [
      [],
      [
        styled('yellow', short(oid)),
        '  ',
        styled(lookOf(role), role ?? '-'),
        styled('dim', part === 'message' ? '' : `  ${part}`),
      ],
      ...saidLines({ blocks }, true),
    ]),
  ]
}

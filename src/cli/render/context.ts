import { short } from '../../model/oid.ts'
import type { RepairKind } from '../../model/repair.ts'
import type { ComparedContexts } from '../../ops/context/comparecontexts.ts'
import type { ContextNotes, NeutralContext } from '../../ops/context.ts'
import { styled } from '../style.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { saidLines } from './show.ts'
import { counted, firstLine, grouped, pad, padStart } from './text.ts'

/** Returns a context for people: its settings, then each message in full. */
export function contextLines({ messages, tokens, model, thinking, mode }: NeutralContext): Line[] {
  const settings = [
    counted(messages.length, 'message'),
    counted(tokens, 'token'),
    ...(model ? [`model ${firstLine(model.id)}`] : []),
    ...(thinking === undefined ? [] : [`thinking ${firstLine(thinking)}`]),
    ...(mode === undefined ? [] : [`mode ${firstLine(mode)}`]),
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

/** The words for each kind of repair: what was repaired, and how. */
const REPAIRED: Readonly<Record<RepairKind, readonly [one: string, done: string]>> = {
  'closed-call': ['tool call', 'without a result closed'],
  'dropped-result': ['tool result', 'without a call left out'],
  'moved-result': ['late tool result', 'put behind its call'],
  'renamed-call': ['id', 'of tool calls replaced'],
  'renamed-tool': ['name', 'of tools replaced'],
  'dropped-thinking': ['thought', 'left out'],
  'dropped-image': ['image', 'told in words'],
  'added-start': ['message', 'of the user put in front'],
}

/** Returns the repairs and omissions of a context, one line each. */
export function noteLines({ repairs, left, tokens }: ContextNotes, budget?: number): Line[] {
  const counts = new Map<RepairKind, number>()
  for (const { kind } of repairs) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const saved = left.reduce((sum, one) => sum + one.tokens, 0)
  const lines = [...counts].map(([kind, count]): Line => {
    const [one, done] = REPAIRED[kind]
    return [`sess: ${counted(count, one)} ${done}`]
  })
  if (left.length > 0)
    lines.push([`sess: ${counted(left.length, 'part')} of ${counted(saved, 'token')} left out`])
  if (budget !== undefined && tokens > budget)
    lines.push([`sess: ${counted(tokens, 'token')}: summaries and the last message of the user stay`])
  return lines
}

/** Returns how much two contexts share, as a table. */
export function comparedLines(
  { shared, left, right }: ComparedContexts,
  names: readonly [left: string, right: string],
): Line[] {
  const rows = [
    ['', 'messages', 'bytes', 'tokens'],
    ...[shared, left, right].map(({ messages, bytes, tokens }, at) => [
      at === 0 ? 'shared' : firstLine(names[at - 1] ?? ''),
      ...[messages, bytes, tokens].map(grouped),
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row, at): Line => {
    const [name = '', ...numbers] = row
    const cells = numbers.map((text, i) => padStart(text, widths[i + 1] ?? 0)).join('  ')
    return [styled(at === 0 ? 'dim' : 'plain', `${pad(name, widths[0] ?? 0)}  ${cells}`)]
  })
}

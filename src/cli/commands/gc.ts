import { counted, grouped, type Line, sized, styled } from '../../text/text.ts'
import { padStart } from '../../text/width.ts'
import { gc } from '../../verbs/gc.ts'
import type { Dropped, Gc } from '../../verbs/types.ts'
import { defineCommand } from '../define.ts'
import { answerOf, outputOf } from '../present.ts'
import { performed } from '../progress.ts'

/** `sess gc`: removes unreachable data, and packs the rest. */
export const command = defineCommand({
  effect: gc.effect,
  unattended: true,
  options: gc.input,
  help: `Everything that a ref reaches is kept: forks, exports and labels included. What was undone, removed or rewritten is
kept as long as the operation that did it. This cannot be undone; sess gc -n shows what would be removed. It asks on a
terminal, and runs in a script as git gc does: it removes only what nothing has reached for the time that you set.`,
  examples: [
    ['sess gc -n', 'show what would be removed, and why'],
    ['sess gc', 'remove it, and pack the rest'],
    ['sess gc --operations now --grace now', 'keep only what refs reach'],
    ['sess gc --aggressive', 'take much longer to save a little more'],
  ],
  output: outputOf(
    'One object: what is removed, in canonical bytes, and the bytes of the store before and after.',
    gc.output,
  ),
  run: async (call, input) => {
    const context = await call.context()
    const begin = { step: 'looking', done: { entries: 0 } }
    const done = await performed(call, begin, () => gc.run(context, input))
    return answerOf(gc, done, { render: () => gcLines(done) })
  },
})

const WHY: Readonly<Record<Dropped['why'], string>> = {
  undone: 'reachable only from operations that are removed',
  unreachable: 'reachable from nothing',
  old: 'older than the operations that are kept',
}

/** Returns what gc removed or would remove: a line for each kind, then the total. */
function gcLines({ dryRun, dropped, kept, spared, before, after }: Gc): Line[] {
  const width = Math.max(...dropped.map(({ count }) => grouped(count).length))
  const lines = dropped.map(
    ({ kind, why, count, bytes }): Line => [
      `${padStart(grouped(count), width)} ${kind.padEnd(10)}  ${WHY[why]}, ${sized(bytes)}`,
    ],
  )
  const sum = [counted(kept.entries, 'entry'), counted(kept.operations, 'operation')].join(' and ')
  const ended = after === null ? 'would be kept' : 'kept'
  const fresh = spared === 0 ? '' : `, ${grouped(spared)} of them unreachable but recent`
  return [
    ...(dropped.length === 0
      ? [['nothing to remove'] as Line]
      : [[styled('bold', dryRun ? 'would remove:' : 'Removed permanently:')] as Line, ...lines]),
    [`${sum} ${ended}${fresh}`],
    ...(after === null ? [] : [[`the store was ${sized(before)} and is ${sized(after)}`] as Line]),
  ]
}

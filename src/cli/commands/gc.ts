import { type Dropped, type Gc, gc } from '../../ops/gc.ts'
import { counted, grouped, type Line, sized, styled } from '../../text/text.ts'
import { padStart } from '../../text/width.ts'
import { arrayOf, boolean, integer, nullable, object, oneOf } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { option, time, timeOf } from '../parameters.ts'
import { during, type ProgressStep } from '../progress.ts'

/** `sess gc`: removes unreachable data, and packs the rest. */
export const command = defineCommand({
  effect: 'destructive',
  unattended: true,
  options: {
    grace: option(time('age'), 'keep unreachable data younger than this (14d)'),
    operations: option(time('age'), 'keep operations younger than this, and what they name (90d)'),
  },
  help: `Everything that a ref reaches is kept: forks, exports and labels included. What was undone, removed or rewritten is
kept as long as the operation that did it. This cannot be undone; sess gc -n shows what would be removed. It asks on a
terminal, and runs in a script as git gc does: it removes only what nothing has reached for the time that you set.`,
  examples: [
    ['sess gc -n', 'show what would be removed, and why'],
    ['sess gc', 'remove it, and pack the rest'],
    ['sess gc --operations now --grace now', 'keep only what refs reach'],
  ],
  output: output(
    'One object: what is removed, in canonical bytes, and the bytes of the store before and after.',
    object({
      dryRun: boolean,
      dropped: arrayOf(
        object({
          kind: oneOf('entries', 'records', 'operations'),
          why: oneOf('undone', 'unreachable', 'old'),
          count: integer,
          bytes: integer,
        }),
      ),
      kept: object({ entries: integer, operations: integer }),
      spared: integer,
      before: integer,
      after: nullable(integer),
    }),
  ),
  run: async (call, { grace, operations }) => {
    let done: Parameters<NonNullable<Parameters<typeof gc>[1]['onProgress']>> = ['looking', 0]
    const step = (): ProgressStep => ({ text: `${done[0]}: ${counted(done[1], 'entry')}` })
    const options = {
      grace: grace ?? timeOf(call.where, call.config.value('gc.grace')),
      operations: operations ?? timeOf(call.where, call.config.value('gc.operations')),
      onProgress: (...now: typeof done): void => {
        done = now
      },
    }
    const repo = await call.repo()
    const did = await during(call, step, () => gc(repo, options))
    return { data: did, render: () => gcLines(did) }
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

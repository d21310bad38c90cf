import type { Dropped, Gc } from '../../ops/gc.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, grouped, padStart, sized } from './text.ts'

const WHY: Readonly<Record<Dropped['why'], string>> = {
  undone: 'named only by operations that go',
  unnamed: 'named by nothing',
  old: 'from before they are kept',
}

/** Returns what gc removed or would remove: a line for each kind, then the total. */
export function gcLines({ dryRun, dropped, kept, spared, before, after }: Gc): Line[] {
  const width = Math.max(...dropped.map(({ count }) => grouped(count).length))
  const lines = dropped.map(
    ({ kind, why, count, bytes }): Line => [
      `${padStart(grouped(count), width)} ${kind.padEnd(10)}  ${WHY[why]}, ${sized(bytes)}`,
    ],
  )
  const sum = [counted(kept.entries, 'entry', 'entries'), counted(kept.operations, 'operation')].join(' and ')
  const ended = after === null ? 'would be kept' : 'kept'
  const fresh = spared === 0 ? '' : `, of them ${grouped(spared)} that nothing names, being new`
  return [
    ...(dropped.length === 0
      ? [[dryRun ? 'nothing would go' : 'nothing went'] as Line]
      : [[styled('bold', dryRun ? 'would go:' : 'went, and cannot be brought back:')] as Line, ...lines]),
    [`${sum} ${ended}${fresh}`],
    ...(after === null ? [] : [[`the store was ${sized(before)} and is ${sized(after)}`] as Line]),
  ]
}

import type { EntrySet } from '../../model/entryset.ts'
import { exportRef, nativesRef, type RefName, sourceLogRef } from '../../model/refname.ts'
import { type Spending, SpendingSums } from '../../model/spending.ts'
import { listedSpending } from '../../repo/listedspending.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { allSessions, type LogHead, ownLogs, refValue, type SessionState } from '../../repo/session.ts'
import { RecordUsage } from '../recordusage.ts'
import { unlessDamaged } from './impact.ts'

type Sums = Pick<Spending, 'models' | 'rows'>

/** The digits of a cost that are compared: sums of the same costs differ in the last ones by their order. */
const DIGITS = 6

/** Returns sums as a text, which is equal where the sums are. */
function textOfSums(sums: Sums): string {
  const sorted = new SpendingSums()
  sorted.addSums(sums)
  const { models, rows } = sorted.value
  return rows
    .map(([at, model, ...counts]) =>
      [at, models[model ?? 0], ...counts.map((count) => count && +count.toFixed(DIGITS))].join(' '),
    )
    .sort()
    .join('\n')
}

/**
 * Returns whether the usage that is kept with the logs of a session is what its records say. Usage that is counted from the
 * records anyway, and records that cannot be read, count as right. Entries in `unused` are known to have no usage.
 */
export async function isUsageRight(
  reader: Reader,
  session: SessionState,
  unused?: EntrySet,
): Promise<boolean> {
  const kept = listedSpending(session)
  if (kept.isUnsure) return true
  const counted = await unlessDamaged(() =>
    new RecordUsage(reader, { unused }).count(session, ownLogs(session)),
  )
  return counted === undefined || textOfSums(kept) === textOfSums(counted)
}

/** Removes wrong usage from the heads of logs: it is counted from the records then. */
export async function forgetWrongUsage(repo: Repo): Promise<void> {
  const wrong = await repo.read(async (reader) => {
    const found: SessionState[] = []
    for await (const session of allSessions(reader))
      if (!(await isUsageRight(reader, session))) found.push(session)
    return found
  })
  if (wrong.length === 0) return
  await repo.write({ plain: true, repairs: true }, ({ move }) => {
    for (const session of wrong)
      for (const [name, head] of headsOf(session))
        if (head.summary?.spending) move(name, refValue(head), refValue(withoutSpending(head)))
  })
}

const headsOf = ({ id, source, natives, exports }: SessionState): (readonly [RefName, LogHead])[] => [
  ...[...natives].map(([writer, head]) => [nativesRef(id, writer), head] as const),
  ...(source ? [[sourceLogRef(id), source] as const] : []),
  ...[...exports].map(([native, head]) => [exportRef(id, native), head] as const),
]

function withoutSpending<H extends LogHead>(head: H): H {
  const { spending: _, ...summary } = head.summary ?? {}
  return { ...head, summary }
}

import type { ReportedCost } from '../model/logtotals.ts'
import type { LogId } from '../model/record.ts'
import type { LogHead, LogPrefixes } from '../model/refs/values.ts'
import { type Spending, SpendingSums } from '../model/spending.ts'
import { isCounted } from '../model/usage.ts'
import { logsOf, ownLogs, type SessionTrunk } from './session.ts'

/** The usage of a session as the heads of its logs keep it, and what tells whether other sessions share it. */
export interface ListedSpending extends Required<Pick<Spending, 'models' | 'rows' | 'openings'>> {
  readonly joined: boolean
  /** Whether the sums may be wrong, so that the records are to be counted. */
  readonly isUnsure: boolean
  /** The id that its agent gave it: copies of a file, and parts of it, have the same. */
  readonly native: string
  /** Its own logs, and those that a fork shares. */
  readonly logs: LogPrefixes
  readonly base: LogPrefixes
  /** The cost that its agent reports, and the model of the rest of it. */
  readonly reported: ReportedCost | null
  readonly model: string
}

const headsOf = ({ source, natives, exports }: SessionTrunk): LogHead[] => [
  ...natives.values(),
  ...(source ? [source] : []),
  ...exports.values(),
]

const spendingIn = (heads: readonly LogHead[]): Spending[] =>
  heads.flatMap(({ summary }) => (summary?.spending ? [summary.spending] : []))

/** Returns the openings of the logs of a session, those included that a fork shares: see `Spending`. */
const openingsOf = (session: SessionTrunk): string[] => [
  ...new Set([
    ...spendingIn(headsOf(session)).flatMap(({ openings = [] }) => openings),
    ...(session.meta.fork?.openings ?? []),
  ]),
]

/** Returns what a fork notes of the logs of a session. */
export function sharedLogs(session: SessionTrunk): { base: LogPrefixes; openings?: readonly string[] } {
  const openings = openingsOf(session)
  return { base: logsOf(session), ...(openings.length > 0 && { openings }) }
}

/** Returns the usage of a session by the heads of its logs. */
export function listedSpending(session: SessionTrunk): ListedSpending {
  const { id, meta, source, exports } = session
  const heads = headsOf(session)
  const spent = spendingIn(heads)
  const joined = spent.some((one) => one.joined)
  const isOld = heads.some(({ summary = {} }) => isCounted(summary) && !summary.spending)
  const isRepeated = spent.length > 1 && (joined || exports.size > 0)
  return {
    ...joinSpending(spent),
    openings: openingsOf(session),
    joined,
    isUnsure: isOld || isRepeated || source?.superseded === true,
    native: meta.native ?? id,
    logs: ownLogs(session),
    base: meta.fork?.base ?? [],
    reported: source?.summary?.reported ?? null,
    model: source?.summary?.model ?? '',
  }
}

function joinSpending(spent: readonly Spending[]): Pick<Spending, 'models' | 'rows'> {
  const [only = NOTHING_SPENT] = spent
  if (spent.length < 2) return { models: only.models, rows: only.rows }
  const sums = new SpendingSums()
  for (const one of spent) sums.addSums(one)
  return sums.value
}

const NOTHING_SPENT: Pick<Spending, 'models' | 'rows'> = { models: [], rows: [] }

const isText = (value: unknown): value is string => typeof value === 'string'

const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(is)

const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value)

const isPrefix = (value: unknown): value is readonly [LogId, number] =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && Number.isSafeInteger(value[1])

function isReportedCost(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null
  const { cost, models = {}, tally = '' } = value as Partial<ReportedCost>
  return Number.isFinite(cost) && isText(tally) && Object.values(models).every(Number.isFinite)
}

/** Returns whether a value has the form of the usage of a session in a list. */
export function isListedSpending(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { models, rows, openings, joined, isUnsure, native, logs, base, reported, model } =
    value as Partial<ListedSpending>
  return (
    isListOf(models, isText) &&
    isListOf(rows, (row) => isListOf(row, isNumberOrNull)) &&
    isListOf(openings, isText) &&
    typeof joined === 'boolean' &&
    typeof isUnsure === 'boolean' &&
    isText(native) &&
    isListOf(logs, isPrefix) &&
    isListOf(base, isPrefix) &&
    isReportedCost(reported) &&
    isText(model)
  )
}

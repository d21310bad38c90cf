import type { VNode } from 'preact'
import { type Bar, BarChart, Legend } from '../../page/chart.tsx'
import {
  agentHue,
  agentName,
  counted,
  dayOf,
  dayShort,
  grouped,
  lastPart,
  money,
  short,
  size,
} from '../../page/words.ts'
import type { Stats, UsageRow } from '../../verbs/types.ts'
import { addressOf } from '../api.ts'
import type { Usage } from '../data.ts'
import { anyChange, useApi } from '../hooks.ts'
import { Choice } from '../parts.tsx'
import { go, hrefWith } from '../router.ts'

const DAYS = 14
const DAY_MS = 24 * 3_600_000
const MAX_SERIES = 4

/** The cost of what is in the store, what sharing saved, and the attempts that were left. */
export const Figures = ({ query }: { readonly query: URLSearchParams }): VNode => (
  <section class="figures" aria-label="Figures">
    <CostFigure query={query} />
    <SharingFigure />
    <AttemptsFigure />
  </section>
)

type Measure = 'cost' | 'tokens'

const valueOf = (row: UsageRow, measure: Measure): number =>
  measure === 'cost' ? (row.cost ?? 0) : (row.tokens?.total ?? 0)

/** The days that are shown: those up to today or, of a store that rests, up to its last one. */
function daysOf(rows: readonly UsageRow[], measure: Measure): string[] {
  const today = dayOf(new Date())
  const last = rows.reduce(
    (newest, row) =>
      row.day && row.day <= today && row.day > newest && valueOf(row, measure) > 0 ? row.day : newest,
    '',
  )
  const oldest = dayOf(new Date(Date.now() - (DAYS - 1) * DAY_MS))
  const end = last === '' || last >= oldest ? today : last
  const noon = Date.parse(`${end}T12:00:00Z`)
  return Array.from({ length: DAYS }, (_, i) =>
    new Date(noon - (DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  )
}

interface Chart {
  readonly bars: readonly Bar[]
  readonly names: readonly (string | null)[]
  readonly sum: number
  /** The sum of as many days before. */
  readonly before: number
}

function chartOf(rows: readonly UsageRow[], measure: Measure): Chart {
  const days = daysOf(rows, measure)
  const first = days[0] ?? ''
  const shown = rows.filter(({ day }) => day && day >= first && day <= (days.at(-1) ?? ''))
  const sums = new Map<string | null, number>()
  for (const row of shown) sums.set(row.key, (sums.get(row.key) ?? 0) + valueOf(row, measure))
  const ranked = [...sums].filter(([, sum]) => sum > 0).toSorted(([, a], [, b]) => b - a)
  const names = ranked
    .slice(0, ranked.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES)
    .map(([name]) => name)
  const hasOthers = ranked.length > names.length
  const bars = days.map((day): Bar => {
    const those = shown.filter((row) => row.day === day)
    const parts = names.map((name) =>
      those.reduce((sum, row) => sum + (row.key === name ? valueOf(row, measure) : 0), 0),
    )
    const all = those.reduce((sum, row) => sum + valueOf(row, measure), 0)
    return { day, parts: hasOthers ? [...parts, all - parts.reduce((sum, part) => sum + part, 0)] : parts }
  })
  const start = new Date(Date.parse(`${first}T12:00:00Z`) - DAYS * DAY_MS).toISOString().slice(0, 10)
  const before = rows.reduce(
    (sum, row) => sum + (row.day && row.day >= start && row.day < first ? valueOf(row, measure) : 0),
    0,
  )
  const sum = shown.reduce((total, row) => total + valueOf(row, measure), 0)
  return { bars, names: hasOthers ? [...names, 'others'] : names, sum, before }
}

function CostFigure({ query }: { readonly query: URLSearchParams }): VNode {
  const by = query.get('by') === 'project' ? 'project' : 'agent'
  const { data } = useApi<Usage>(addressOf('/usage', { by, daily: true }), anyChange)
  const hasCost = data === undefined || data.rows.some(({ cost }) => (cost ?? 0) > 0)
  const measure: Measure = query.get('measure') === 'tokens' || !hasCost ? 'tokens' : 'cost'
  const set = (name: string, value: string | undefined): void =>
    go(hrefWith({ path: [], query, address: '' }, { [name]: value }), { replace: true })
  const { bars, names, sum, before } = chartOf(data?.rows ?? [], measure)
  const hues = huesOf(names, by)
  const text = measure === 'cost' ? money : short
  const last = bars.at(-1)?.day ?? ''
  const isPresent = last === dayOf(new Date())
  const span = isPresent ? `in ${DAYS} days` : `in the ${DAYS} days to ${dayShort(last)} ${last.slice(0, 4)}`
  const change = before > 0 ? Math.round((100 * (sum - before)) / before) : 0
  const compared = before > 0 && change !== 0 ? `, ${Math.abs(change)} % ${change < 0 ? 'less' : 'more'}` : ''
  return (
    <div class="card fig">
      <div class="row">
        <div>
          <div class="big">{data === undefined ? '…' : text(sum)}</div>
          <div class="cap">
            {measure === 'tokens' && 'tokens '}
            {span}
            {compared}
          </div>
        </div>
        <div class="tools-r">
          <Choice
            label="What is counted"
            value={measure}
            options={[
              ['cost', 'cost'],
              ['tokens', 'tokens'],
            ]}
            onChoose={(value) => set('measure', value === 'tokens' ? value : undefined)}
          />
          <Choice
            label="By what"
            value={by}
            options={[
              ['agent', 'agent'],
              ['project', 'project'],
            ]}
            onChoose={(value) => set('by', value === 'project' ? value : undefined)}
          />
        </div>
      </div>
      <BarChart
        bars={bars}
        hues={hues}
        format={(value) => (measure === 'cost' ? (value === 0 ? '0' : money(value)) : short(value))}
        label={`${measure === 'cost' ? 'Cost' : 'Tokens'} of each of ${DAYS} days, by ${by}`}
      />
      <Legend names={names.map((name) => nameOf(name, by))} hues={hues} />
    </div>
  )
}

/** Returns a colour for each series: of agents that of their tiles, where it is free. */
function huesOf(names: readonly (string | null)[], by: 'agent' | 'project'): string[] {
  const free = new Set(['g1', 'g2', 'g3', 'g4'])
  const wanted = names.map((name, i) => `g${by === 'agent' && name !== null ? agentHue(name) : i + 1}`)
  const own = wanted.map((hue) => (free.delete(hue) ? hue : undefined))
  return own.map((hue) => {
    const [next] = free
    if (hue !== undefined || next === undefined) return hue ?? 'g4'
    free.delete(next)
    return next
  })
}

const nameOf = (name: string | null, by: 'agent' | 'project'): string =>
  name === null ? 'unknown' : by === 'agent' ? agentName(name) : lastPart(name)

function SharingFigure(): VNode {
  const { data } = useApi<Stats>(addressOf('/store'))
  const [files, store] = [data?.sourceBytes ?? 0, data?.storeBytes ?? 0]
  const share = files > 0 ? Math.round(100 * (1 - store / files)) : 0
  const isSmaller = share > 0
  const most = Math.max(files, store, 1)
  return (
    <a class="card fig" href="#/store">
      <div class="big">{data === undefined ? '…' : isSmaller ? `${share} %` : size(store)}</div>
      <div class="cap">
        {data === undefined || isSmaller
          ? "less disk than the agents' own files"
          : 'in the store: a small one has a fixed part'}
      </div>
      <svg
        width="100%"
        height="58"
        viewBox="0 0 220 58"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${size(files)} of transcripts are kept in ${size(store)}`}
      >
        <rect class="fl" y="14" width={((220 * files) / most).toFixed(1)} height="14" rx="4" />
        <rect class="f2" y="36" width={((220 * store) / most).toFixed(1)} height="14" rx="4" />
      </svg>
      {data && (
        <Legend names={[`${size(files)} as files`, `${size(store)} in the store`]} hues={['fl', 'f2']} />
      )}
    </a>
  )
}

function AttemptsFigure(): VNode {
  const { data } = useApi<Stats>(addressOf('/store'))
  const left = data?.attempts ?? 0
  return (
    <div class="card fig">
      <div class="big">{data === undefined ? '…' : grouped(left)}</div>
      <div class="cap">
        {counted(left, 'attempt').replace(/^[\d,]+ /, '')} beside the main line, in{' '}
        {counted(data?.branched ?? 0, 'session')}
      </div>
      <svg width="100%" height="58" viewBox="0 0 220 58" aria-hidden="true">
        <path class="rail sl" d="M6 30H214" />
        {left > 0 && (
          <>
            <path class="rail s2" d="M40 30c10 0 6-18 18-18h30" />
            <circle class="f2" cx="88" cy="12" r="4" />
          </>
        )}
        {left > 1 && (
          <>
            <path class="rail s3" d="M88 30c10 0 6 18 18 18h54" />
            <circle class="f3" cx="160" cy="48" r="4" />
          </>
        )}
        {left > 2 && (
          <>
            <path class="rail s4" d="M132 30c10 0 6-18 18-18h40" />
            <circle class="f4" cx="190" cy="12" r="4" />
          </>
        )}
        <circle class="fg" cx="214" cy="30" r="5" />
      </svg>
    </div>
  )
}

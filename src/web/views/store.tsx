import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { agentName, counted, grouped, lastPart, modelName, money, short, size } from '../../page/words.ts'
import type { Stats, UsageRow } from '../../verbs/types.ts'
import { addressOf } from '../api.ts'
import type { About, Checked, Usage } from '../data.ts'
import { anyChange, type Loaded, useApi, usePageScroll, useTitle } from '../hooks.ts'
import { Loading, Problem, Section } from '../parts.tsx'
import { href } from '../router.ts'
import { View } from '../shell.tsx'

/** The store: its size and health, what sharing saved, and what was spent by agent, model and project. */
export function StoreView(): VNode {
  const about = useApi<About>(addressOf(''))
  const stats = useApi<Stats>(addressOf('/store'), anyChange)
  const [isAsked, ask] = useState(false)
  const check = useApi<Checked>(isAsked ? addressOf('/store/check') : null)
  const onCheck = (): void => (isAsked && !check.isLoading ? check.reload() : ask(!isAsked))
  useTitle('Store')
  usePageScroll('store', stats.data !== undefined)
  const { data, error } = stats
  return (
    <View name="page" bar={{ crumbs: [{ text: 'Sessions', href: '#/' }, { text: 'Store' }] }}>
      <h1 class="vh">Store</h1>
      {error && !data ? (
        <Problem error={error} retry={stats.reload} />
      ) : !data ? (
        <Loading rows={3} />
      ) : (
        <Sizes stats={data} about={about.data} check={check} onCheck={onCheck} />
      )}
      {check.data && check.data.findings.length > 0 && <Findings findings={check.data.findings} />}
      <div class="tables">
        <Spending by="agent" title="Agents" nameOf={agentName} />
        <Spending by="model" title="Models" nameOf={modelName} />
        <Spending by="project" title="Projects" nameOf={lastPart} />
      </div>
    </View>
  )
}

type Check = Loaded<Checked>

function Sizes({
  stats,
  about,
  check,
  onCheck,
}: {
  readonly stats: Stats
  readonly about: About | undefined
  readonly check: Check
  readonly onCheck: () => void
}): VNode {
  const { data } = check
  const { sessions, records, entries, blobs, sourceBytes, storeBytes, repairUnfinished } = stats
  const most = Math.max(sourceBytes, storeBytes, 1)
  const share = sourceBytes > 0 ? Math.round(100 * (1 - storeBytes / sourceBytes)) : 0
  return (
    <div class="figures even">
      <div class="card fig">
        <div class="big">{share > 0 ? `${share} %` : size(storeBytes)}</div>
        <div class="cap">{share > 0 ? "less disk than the agents' own files" : 'in the store'}</div>
        <svg
          width="100%"
          height="58"
          viewBox="0 0 220 58"
          preserveAspectRatio="none"
          role="img"
          aria-label={`${size(sourceBytes)} of files in ${size(storeBytes)}`}
        >
          <rect class="fl" y="14" width={((220 * sourceBytes) / most).toFixed(1)} height="14" rx="4" />
          <rect class="f2" y="36" width={((220 * storeBytes) / most).toFixed(1)} height="14" rx="4" />
        </svg>
        <div class="legend">
          <span>{size(sourceBytes)} as files</span>
          <span>{size(storeBytes)} in the store</span>
        </div>
      </div>
      <div class="card fig">
        <div class="big">{grouped(entries)}</div>
        <div class="cap">distinct entries, each kept once</div>
        <dl class="facts">
          <dt>Sessions</dt>
          <dd class="num">{grouped(sessions)}</dd>
          <dt>Records</dt>
          <dd class="num">{grouped(records)}</dd>
          <dt>Blobs</dt>
          <dd class="num">{grouped(blobs)}</dd>
        </dl>
      </div>
      <div class="card fig">
        <div class="big" role="status">
          {healthOf(stats, check)}
        </div>
        <div class="cap">
          {data
            ? `${counted(data.checked.entries, 'entry', 'entries')} and ${counted(data.checked.records, 'record')} read`
            : repairUnfinished
              ? 'what it was to recover may be missing'
              : 'a check reads all of the store'}
        </div>
        <dl class="facts">
          <dt>Folder</dt>
          <dd class="mono">{about?.store}</dd>
          <dt>Server</dt>
          <dd>
            sess {about?.version}, {about?.write ? 'read and write' : 'read only'}
          </dd>
        </dl>
        <p>
          <button class="btn" onClick={onCheck}>
            {check.isLoading ? 'Stop' : data ? 'Check again' : 'Check now'}
          </button>
        </p>
      </div>
    </div>
  )
}

function healthOf({ repairUnfinished }: Stats, { data, error, isLoading }: Check): string {
  if (isLoading) return 'Checking…'
  if (error) return error.detail
  if (data) return data.ok ? 'Sound' : counted(data.findings.length, 'finding')
  return repairUnfinished ? 'A repair did not finish' : 'Not checked yet'
}

const MAX_FINDINGS = 100

/** The findings of a check. */
const Findings = ({ findings }: Pick<Checked, 'findings'>): VNode => (
  <Section title="Findings">
    <div class="card files">
      <table>
        <tbody>
          {findings.slice(0, MAX_FINDINGS).map(({ code, subject, message }) => (
            <tr>
              <td>{code}</td>
              <td class="mono ell" title={subject}>
                {subject}
              </td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Section>
)

const SHOWN = 12

function Spending({
  by,
  title,
  nameOf,
}: {
  readonly by: 'agent' | 'model' | 'project'
  readonly title: string
  readonly nameOf: (key: string) => string
}): VNode {
  const { data } = useApi<Usage>(addressOf('/usage', { by }), anyChange)
  const rows = data?.rows.slice(0, SHOWN) ?? []
  const more = (data?.rows.length ?? 0) - rows.length
  return (
    <Section title={title} note={more > 0 ? `the first ${SHOWN} of ${data?.rows.length}` : undefined}>
      {data === undefined ? (
        <Loading rows={4} />
      ) : (
        <div class="card files">
          <table>
            <thead>
              <tr>
                <th scope="col">{title.slice(0, -1)}</th>
                <th scope="col" class="num">
                  sessions
                </th>
                <th scope="col" class="num">
                  tokens
                </th>
                <th scope="col" class="num">
                  cost
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <SpendingRow row={row} by={by} name={row.key === null ? 'unknown' : nameOf(row.key)} />
              ))}
            </tbody>
          </table>
          {rows.length === 0 && <p class="note">{counted(0, 'row')}</p>}
        </div>
      )}
    </Section>
  )
}

const SpendingRow = ({
  row,
  by,
  name,
}: {
  readonly row: UsageRow
  readonly by: string
  readonly name: string
}): VNode => (
  <tr>
    <td class="ell" title={row.key ?? undefined}>
      {row.key === null || by === 'model' ? name : <a href={href([], { [by]: row.key })}>{name}</a>}
    </td>
    <td class="num">{grouped(row.sessions)}</td>
    <td class="num">{row.tokens === null ? '' : short(row.tokens.total)}</td>
    <td class="num">{row.cost === null ? '' : money(row.cost)}</td>
  </tr>
)

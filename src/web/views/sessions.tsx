import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { AgentTile } from '../../page/agenttile.tsx'
import { Icon } from '../../page/icons.tsx'
import { hueOf, Shape } from '../../page/rail.tsx'
import {
  agentName,
  clock,
  counted,
  dayOf,
  dayShort,
  duration,
  grouped,
  lastPart,
  money,
  short,
  weekday,
} from '../../page/words.ts'
import { addressOf } from '../api.ts'
import { costOf, currentBranch, type Session, titleOf, type Usage } from '../data.ts'
import { useApi, usePageScroll, useTitle } from '../hooks.ts'
import { useKeys } from '../keys.ts'
import { BranchChip, Empty, LabelChip, Loading, Problem } from '../parts.tsx'
import { go, href, hrefWith, type Route } from '../router.ts'
import { View } from '../shell.tsx'
import { Figures } from './figures.tsx'
import { type SessionsList, useSessions } from './sessionlist.ts'

const PAGE = 60

interface Filters {
  readonly agent: string | undefined
  readonly project: string | undefined
  readonly branched: boolean
  readonly labelled: boolean
}

/** The sessions of the store, with what runs now and what it cost. */
export function SessionsView({ query }: { readonly query: URLSearchParams }): VNode {
  useTitle(undefined)
  const filters: Filters = {
    agent: query.get('agent') ?? undefined,
    project: query.get('project') ?? undefined,
    branched: query.has('branched'),
    labelled: query.has('labelled'),
  }
  const { agent, project } = filters
  const where = [...(filters.branched ? ['branch'] : []), ...(filters.labelled ? ['label'] : [])]
  const list = useSessions({ agent, project, where, limit: PAGE })
  const { items, error } = list
  usePageScroll(query.toString(), items !== undefined)
  useRowKeys()
  const live = (items ?? []).filter((one) => one.live)
  const isFiltered = agent !== undefined || project !== undefined || where.length > 0
  return (
    <View
      name="page"
      bar={{
        search: 'Search all sessions',
        actions:
          live.length > 0 ? (
            <span class="live">{live.length} running</span>
          ) : (
            <span class="faint hide">nothing runs now</span>
          ),
      }}
    >
      <h1 class="vh">Sessions</h1>
      {live.length > 0 && <RunningNow sessions={live} />}
      <Figures query={query} />
      <section aria-labelledby="h-all">
        <h2 id="h-all" class="vh">
          All sessions
        </h2>
        <FilterRow query={query} filters={filters} />
        {error && !items ? (
          <Problem error={error} retry={list.reload} />
        ) : items === undefined ? (
          <Loading />
        ) : (
          <SessionList list={list} items={items} isFiltered={isFiltered} />
        )}
      </section>
    </View>
  )
}

function useRowKeys(): void {
  const move = (by: number): void => {
    const rows = [...document.querySelectorAll<HTMLElement>('a.s, .now a.card')]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus()
  }
  useKeys([
    { keys: 'j', does: 'next session', run: () => move(1) },
    { keys: 'k', does: 'previous session', run: () => move(-1) },
  ])
}

const RunningNow = ({ sessions }: { readonly sessions: readonly Session[] }): VNode => (
  <section aria-labelledby="h-now">
    <div class="sec">
      <h2 id="h-now">Running now</h2>
    </div>
    <div class="now">
      {sessions.slice(0, 6).map((one) => (
        <RunningCard key={one.id} one={one} />
      ))}
    </div>
  </section>
)

function RunningCard({ one }: { readonly one: Session }): VNode {
  const branch = currentBranch(one)
  const cost = costOf(one)
  const age = one.created === null ? null : Date.now() - Date.parse(one.created)
  return (
    <a class="card" href={href(['s', one.id])}>
      <div class="top">
        <AgentTile format={one.format} />
        <span class="vh">{agentName(one.format)}</span>
        <h3 class="ell grow">{titleOf(one)}</h3>
        <span class="live">live</span>
      </div>
      <p class="last">{one.words ?? 'nothing was said yet'}</p>
      <div class="foot">
        {age !== null && <span>{duration(age)}</span>}
        <span>{counted(one.entries, 'entry', 'entries')}</span>
        {cost !== null && <span>{money(cost)}</span>}
        <span class="grow" />
        {branch !== null && (
          <BranchChip name={branch} hue={hueOf(Object.keys(one.branches).indexOf(branch))} />
        )}
      </div>
    </a>
  )
}

function FilterRow({
  query,
  filters,
}: {
  readonly query: URLSearchParams
  readonly filters: Filters
}): VNode {
  const usage = useApi<Usage>(addressOf('/usage', { by: 'agent' }))
  const projects = useApi<Usage>(addressOf('/usage', { by: 'project' }))
  const route: Route = { path: [], query, address: '' }
  const set = (name: string, value: string | undefined): void => go(hrefWith(route, { [name]: value }))
  const agents = (usage.data?.rows ?? [])
    .toSorted((a, b) => b.sessions - a.sessions)
    .flatMap(({ key }) => key ?? [])
  const shown = agents.slice(0, 5)
  if (filters.agent !== undefined && !shown.includes(filters.agent)) shown.push(filters.agent)
  const others = agents.filter((agent) => !shown.includes(agent))
  return (
    <div class="filters">
      <button class="f" aria-pressed={filters.agent === undefined} onClick={() => set('agent', undefined)}>
        All agents
      </button>
      {shown.map((agent) => (
        <button
          class="f"
          aria-pressed={filters.agent === agent}
          onClick={() => set('agent', filters.agent === agent ? undefined : agent)}
        >
          {agentName(agent)}
        </button>
      ))}
      {others.length > 0 && (
        <label class="f pick">
          <span class="vh">Another agent</span>
          <select value="" onChange={(event) => set('agent', event.currentTarget.value)}>
            <option value="">{others.length} more</option>
            {others.map((agent) => (
              <option value={agent}>{agentName(agent)}</option>
            ))}
          </select>
          <Icon name="down" />
        </label>
      )}
      <span class="grow" />
      <button
        class="f"
        aria-pressed={filters.branched}
        onClick={() => set('branched', filters.branched ? undefined : '1')}
      >
        <Icon name="branch" />
        has branches
      </button>
      <button
        class="f"
        aria-pressed={filters.labelled}
        onClick={() => set('labelled', filters.labelled ? undefined : '1')}
      >
        <Icon name="tag" />
        labelled
      </button>
      <label class={filters.project === undefined ? 'f pick' : 'f pick on'}>
        <span class="vh">Project</span>
        <select
          value={filters.project ?? ''}
          onChange={(event) => set('project', event.currentTarget.value || undefined)}
        >
          <option value="">any project</option>
          {(projects.data?.rows ?? [])
            .slice(0, 60)
            .flatMap(({ key }) => (key === null ? [] : <option value={key}>{lastPart(key)}</option>))}
        </select>
        <Icon name="down" />
      </label>
    </div>
  )
}

function SessionList({
  list,
  items,
  isFiltered,
}: {
  readonly list: SessionsList
  readonly items: readonly Session[]
  readonly isFiltered: boolean
}): VNode {
  const silent = items.filter((one) => one.silent && !one.live).length
  const chosen = items.filter((one) => !one.silent || one.live)
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!end.current) return undefined
    const observer = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && list.more(),
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [list.next, list.isLoadingMore])
  if (items.length === 0) return <NoSessions isFiltered={isFiltered} />
  const today = dayOf(new Date())
  return (
    <>
      {list.waiting > 0 && (
        <div class="new top">
          <button onClick={list.show}>{counted(list.waiting, 'new session')} ↑</button>
        </div>
      )}
      <div class="s heads" aria-hidden="true">
        <span />
        <span />
        <span>shape</span>
        <span class="num hide">entries</span>
        <span class="num hide">cost</span>
        <span class="num">last</span>
      </div>
      {byDay(chosen, today).map(([name, those]) => (
        <section class="dayed" key={name}>
          <h3 class="day">{name}</h3>
          <ul>
            {those.map((one) => (
              <SessionRow key={one.id} one={one} today={today} />
            ))}
          </ul>
        </section>
      ))}
      <div ref={end} class="note" role="status">
        {list.isLoadingMore
          ? 'reading older sessions…'
          : list.next === null && silent > 0
            ? `${counted(silent, 'session')} in which nobody speaks ${silent === 1 ? 'is' : 'are'} left out`
            : ' '}
      </div>
    </>
  )
}

const NoSessions = ({ isFiltered }: { readonly isFiltered: boolean }): VNode =>
  isFiltered ? (
    <Empty icon="list" title="No session fits">
      <p>
        <a class="link" href="#/">
          Show all sessions
        </a>
      </p>
    </Empty>
  ) : (
    <Empty icon="disk" title="This store is empty">
      <p>
        <code>sess import</code> reads what the agents on this machine have written, and{' '}
        <code>sess watch</code> follows them while they work. They appear here by themselves.
      </p>
    </Empty>
  )

/** Returns sessions by the day of their last change, in the words that people use for it. */
function byDay(sessions: readonly Session[], today: string): (readonly [string, readonly Session[]])[] {
  const groups = new Map<string, Session[]>()
  const yesterday = dayOf(new Date(Date.now() - 24 * 3_600_000))
  const weekAgo = dayOf(new Date(Date.now() - 6 * 24 * 3_600_000))
  for (const one of sessions) {
    const day = one.updated === null ? null : dayOf(new Date(one.updated))
    const name =
      day === null
        ? 'Without a time'
        : day >= today
          ? 'Today'
          : day === yesterday
            ? 'Yesterday'
            : day > weekAgo
              ? weekday(day)
              : `${dayShort(day)}${day.slice(0, 4) === today.slice(0, 4) ? '' : ` ${day.slice(0, 4)}`}`
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  return [...groups]
}

function SessionRow({ one, today }: { readonly one: Session; readonly today: string }): VNode {
  const branch = currentBranch(one)
  const cost = costOf(one)
  const labels = Object.keys(one.labels)
  const branches = Object.keys(one.branches).length
  const about = [
    one.project === null ? null : lastPart(one.project),
    one.moreBranches ? 'many branches' : branches > 1 ? counted(branches, 'branch', 'branches') : null,
    branch === null || branch === 'main' ? null : `on ${branch}`,
    one.words === null ? null : `“${one.words}”`,
  ].filter((text) => text !== null)
  const day = one.updated === null ? null : dayOf(new Date(one.updated))
  return (
    <li>
      <a class="s" href={href(['s', one.id])}>
        <span>
          <AgentTile format={one.format} />
          <span class="vh">{agentName(one.format)}</span>
        </span>
        <div class="grow">
          <div class="t">
            <span class="ell">{titleOf(one)}</span>
            {one.live && <span class="live">live</span>}
            {labels.slice(0, 2).map((name) => (
              <LabelChip name={name} />
            ))}
          </div>
          <div class="sub ell">{about.join(' · ') || 'nothing was said'}</div>
        </div>
        <Shape entries={one.entries} branches={branches} partings={one.forks} />
        <span class="num hide">{grouped(one.entries)}</span>
        <span class="num hide" title={one.costComputed ? 'computed by list prices' : undefined}>
          {cost === null ? (one.tokens ? `${short(one.tokens.total)} tok` : '') : money(cost)}
        </span>
        <span class="num">
          {one.updated === null || day === null ? '' : day === today ? clock(one.updated) : dayShort(day)}
        </span>
      </a>
    </li>
  )
}

import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../page/icons.tsx'
import { clock, counted, cutTo, duration, firstLine } from '../../page/words.ts'
import type { LogEntry, Subagent, Turn } from '../../verbs/types.ts'
import { type ApiError, addressOf, get } from '../api.ts'
import { type Page, type Session, type Turns, titleOf } from '../data.ts'
import { during, useApi, usePageScroll, useTitle } from '../hooks.ts'
import { Empty, Loading, Problem } from '../parts.tsx'
import { href } from '../router.ts'
import { View } from '../shell.tsx'

const MAX_ENTRIES = 1000
const PAGE = 200
const MAX_DEPTH = 4

/** Something that took time: a turn, a call of a tool, a sub-agent. */
interface Span {
  readonly oid: string
  readonly icon: IconName
  readonly kind: 'user' | 'assistant' | 'tool' | 'agent'
  readonly name: string
  readonly from: number
  readonly to: number
  readonly failed: boolean
  readonly agent: Subagent | null
}

type Entry = Omit<LogEntry, 'view' | 'added'>

/** How the time of a session was spent: turns, calls and sub-agents below what started them. */
export function TimelineView({ id }: { readonly id: string }): VNode {
  const session = useApi<Session>(addressOf(`/sessions/${encodeURIComponent(id)}`))
  const { spans, error, isCut } = useSpans(id)
  useTitle('Timeline')
  usePageScroll(id, spans !== undefined)
  const title = session.data ? titleOf(session.data) : id.slice(0, 8)
  return (
    <View name="page" bar={{ crumbs: [{ text: title, href: href(['s', id]) }, { text: 'Timeline' }] }}>
      <h1 class="vh">Timeline</h1>
      {error ? (
        <Problem error={error} />
      ) : !spans ? (
        <Loading rows={12} />
      ) : spans.length === 0 ? (
        <Empty icon="clock" title="Its entries have no times" />
      ) : (
        <Spans id={id} spans={spans} isCut={isCut} />
      )}
    </View>
  )
}

const PAUSE_MS = 120_000
/** A longer step waited for a person, whatever it says. */
const LONG_MS = 600_000
const SHOWN = 200

/** Time without anything, such as a night, is cut to a short stretch: else all else would be too thin to see. */
function scaleOf(spans: readonly Span[]): { readonly at: (time: number) => number; readonly total: number } {
  const times = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  const covered = (from: number, to: number): boolean =>
    spans.some((span) => span.kind !== 'user' && span.from <= from && span.to >= to)
  const places = new Map<number, number>()
  let total = 0
  for (const [i, time] of times.entries()) {
    const before = times[i - 1]
    if (before !== undefined) {
      const gap = time - before
      total += gap > LONG_MS || (gap > PAUSE_MS && !covered(before, time)) ? PAUSE_MS / 4 : gap
    }
    places.set(time, total)
  }
  return { at: (time) => (total === 0 ? 0 : (100 * (places.get(time) ?? 0)) / total), total }
}

function Spans({
  id,
  spans,
  isCut,
}: {
  readonly id: string
  readonly spans: readonly Span[]
  readonly isCut: boolean
}): VNode {
  const { at } = scaleOf(spans)
  const [shown, show] = useState(SHOWN)
  const steps = spans.filter(({ kind, from, to }) => kind !== 'user' && to - from <= LONG_MS)
  const timeOf = (asked: Span['kind']): string =>
    duration(steps.reduce((sum, { kind, from, to }) => (kind === asked ? sum + to - from : sum), 0))
  const [slowest] = steps.toSorted((a, b) => b.to - b.from - (a.to - a.from))
  return (
    <>
      <div class="figures even">
        <div class="card fig">
          <div class="big">{timeOf('assistant')}</div>
          <div class="cap">until the model answered</div>
        </div>
        <div class="card fig">
          <div class="big">{timeOf('tool')}</div>
          <div class="cap">in {counted(spans.filter(({ kind }) => kind === 'tool').length, 'tool call')}</div>
        </div>
        <div class="card fig">
          <div class="big">{slowest ? duration(slowest.to - slowest.from) : '0'}</div>
          <div class="cap ell">{slowest ? `the longest: ${slowest.name}` : ''}</div>
        </div>
      </div>
      <div class="card spans">
        {spans.slice(0, shown).map((span) => (
          <SpanRow session={id} span={span} at={at} depth={0} />
        ))}
      </div>
      {spans.length > shown && (
        <button class="common" onClick={() => show(shown + SHOWN)}>
          {counted(spans.length - shown, 'more step')}
        </button>
      )}
      <p class="note">
        {isCut && `The last ${counted(spans.length, 'step')}. `}Pauses of more than two minutes are drawn
        short.
      </p>
    </>
  )
}

function SpanRow({
  session,
  span,
  at,
  depth,
}: {
  readonly session: string
  readonly span: Span
  readonly at: (time: number) => number
  readonly depth: number
}): VNode {
  const [left, right] = [at(span.from), at(span.to)]
  const [isOpen, open] = useState(false)
  const inner = span.agent?.session ?? null
  return (
    <>
      <div class={`span d${Math.min(depth, MAX_DEPTH)}`}>
        <span class="span-name">
          {inner !== null && depth < MAX_DEPTH ? (
            <button
              class="icon small"
              aria-expanded={isOpen}
              aria-label="Its own steps"
              onClick={() => open(!isOpen)}
            >
              <Icon name={isOpen ? 'down' : 'right'} />
            </button>
          ) : (
            <span class="faint">
              <Icon name={span.icon} />
            </span>
          )}
          <a
            class={span.kind === 'user' ? 'ell strong' : 'ell'}
            href={inner === null ? href(['s', session], { e: span.oid }) : href(['s', inner])}
          >
            {span.name}
          </a>
        </span>
        <svg class="span-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect
            class={span.failed ? 'fbad' : SPAN_HUES[span.kind]}
            x={Math.min(left, 99.6).toFixed(2)}
            width={Math.max(0.4, right - left).toFixed(2)}
            height="10"
            rx="0.4"
          />
        </svg>
        <span class="num faint">
          {span.kind === 'user' ? clock(new Date(span.from).toISOString()) : duration(span.to - span.from)}
        </span>
      </div>
      {isOpen && inner !== null && <Nested id={inner} depth={depth + 1} />}
    </>
  )
}

const SPAN_HUES = { user: 'ft', assistant: 'g3', tool: 'g2', agent: 'g4' } as const

/** The steps of a sub-agent, on a scale of their own. */
function Nested({ id, depth }: { readonly id: string; readonly depth: number }): VNode {
  const { spans, error } = useSpans(id)
  if (error) return <p class="note">{error.detail}</p>
  if (!spans) return <Loading rows={2} />
  const { at } = scaleOf(spans)
  return (
    <div class="nested">
      {spans.slice(0, SHOWN).map((span) => (
        <SpanRow session={id} span={span} at={at} depth={depth} />
      ))}
    </div>
  )
}

function useSpans(id: string): {
  readonly spans: readonly Span[] | undefined
  readonly error: ApiError | undefined
  readonly isCut: boolean
} {
  const [state, set] = useState<{
    readonly spans?: readonly Span[]
    readonly error?: ApiError
    readonly isCut: boolean
  }>({
    isCut: false,
  })
  useEffect(() => {
    const aborter = new AbortController()
    void during(
      async () => set(await readSpans(id, aborter.signal)),
      (error) => set({ error, isCut: false }),
    )
    return () => aborter.abort()
  }, [id])
  return { spans: state.spans, error: state.error, isCut: state.isCut }
}

async function readSpans(
  id: string,
  signal: AbortSignal,
): Promise<{ readonly spans: readonly Span[]; readonly isCut: boolean }> {
  const path = `/sessions/${encodeURIComponent(id)}`
  const entries: Entry[] = []
  let after: string | undefined
  do {
    const page: Page<Entry> = await get(addressOf(`${path}/entries`, { limit: PAGE, after }), signal)
    entries.push(...page.items)
    after = page.next ?? undefined
  } while (after !== undefined && entries.length < MAX_ENTRIES)
  const times = new Map(
    entries.flatMap(({ oid, time }) => (time === null ? [] : [[oid as string, Date.parse(time)]])),
  )
  const oldest = entries.at(-1)
  const turns: Turn[] = []
  let next: string | undefined
  do {
    const query = next === undefined ? (oldest ? { at: oldest.oid } : {}) : { after: next }
    const page: Turns = await get(addressOf(`${path}/turns`, { limit: 60, ...query }), signal)
    turns.push(...page.items)
    next = page.next ?? undefined
  } while (next !== undefined)
  return { spans: spansOf(turns, times, entries), isCut: after !== undefined }
}

function spansOf(
  turns: readonly Turn[],
  times: ReadonlyMap<string, number>,
  entries: readonly Entry[],
): Span[] {
  // Newest first; the entry before one says when the model was asked.
  const before = new Map(entries.map(({ oid }, i) => [oid as string, entries[i + 1]?.oid]))
  const spans: Span[] = []
  for (const turn of turns) {
    if (turn.who === null) continue
    const answered = new Set<string>()
    for (const part of turn.parts) {
      const time = times.get(part.oid)
      if (time === undefined || part.kind === 'mark' || part.kind === 'aside') continue
      const base = { oid: part.oid, failed: false, agent: null }
      if (turn.who === 'assistant' && !answered.has(part.oid)) {
        answered.add(part.oid)
        const asked = times.get(before.get(part.oid) ?? '') ?? time
        const text = part.kind === 'text' || part.kind === 'thinking' ? firstLine(part.text) : ''
        if (text !== '' || time - asked > 2000)
          spans.push({
            ...base,
            icon: 'bulb',
            kind: 'assistant',
            name: cutTo(text || 'decides on a call', 90),
            from: asked,
            to: time,
          })
      } else if (turn.who !== 'assistant' && part.kind === 'text')
        spans.push({
          ...base,
          icon: 'user',
          kind: 'user',
          name: cutTo(firstLine(part.text), 90),
          from: time,
          to: time,
        })
      if (part.kind !== 'tool') continue
      const end = part.result === null ? time : (times.get(part.result.oid) ?? time)
      const asked = Object.values((part.input ?? {}) as Record<string, unknown>).find(
        (one) => typeof one === 'string',
      )
      const tool = { ...base, failed: part.result?.error === true, from: time, to: Math.max(time, end) }
      spans.push({
        ...tool,
        icon: 'terminal',
        kind: 'tool',
        name: cutTo(`${part.name ?? 'tool'} ${firstLine(asked ?? '')}`, 90),
      })
      for (const agent of part.agents)
        spans.push({
          ...tool,
          icon: 'agent',
          kind: 'agent',
          agent,
          name: agent.description ?? agent.type ?? 'sub-agent',
        })
    }
  }
  return spans
}

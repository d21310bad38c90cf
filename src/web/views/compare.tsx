import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import {
  commonLine,
  FilesTable,
  MarkedText,
  ScoreTable,
  SideChips,
  sideName,
  winsOf,
} from '../../page/compareview.tsx'
import { Icon } from '../../page/icons.tsx'
import { hueOf, Parting } from '../../page/rail.tsx'
import { agentName, clock, counted, dateAndTime } from '../../page/words.ts'
import type { Comparison, LogEntry } from '../../verbs/types.ts'
import { addressOf, post } from '../api.ts'
import type { Branches, Page } from '../data.ts'
import { anyChange, during, useApi, usePageScroll, useTitle } from '../hooks.ts'
import { Empty, Loading, Problem, Section } from '../parts.tsx'
import { go, href } from '../router.ts'
import { View } from '../shell.tsx'
import { useWrites } from './actions.tsx'

type Side = Omit<LogEntry, 'view' | 'added'>

interface DiffData {
  readonly base: string | null
  readonly left: readonly Side[]
  readonly right: readonly Side[]
  readonly pairs: readonly {
    readonly left: string | null
    readonly right: string | null
    readonly same: boolean
  }[]
}

/** Two or more revisions side by side: what they have in common, who is ahead, and where they differ. */
export function CompareView({ query }: { readonly query: URLSearchParams }): VNode {
  const revisions = query.getAll('r')
  const isAsked = revisions.length >= 2
  const { data, error, reload } = useApi<Comparison>(
    isAsked ? addressOf('/compare', { revisions, metric: query.get('metric') ?? undefined }) : null,
    anyChange,
  )
  useTitle('Compare')
  usePageScroll(revisions.join(' '), data !== undefined)
  const [session] = (revisions[0] ?? '').split('/')
  const bar = {
    crumbs: [{ text: 'Session', href: session ? href(['s', session]) : '#/' }, { text: 'Compare' }],
    actions: (
      <>
        {revisions.length === 2 && (
          <a class="btn" href={href(['diff'], { a: revisions[0], b: revisions[1] })}>
            <Icon name="file" />
            <span>Files</span>
          </a>
        )}
        {data?.winner && <SwitchButton winner={data.winner} />}
      </>
    ),
  }
  return (
    <View name="cmp" bar={bar}>
      <h1 class="vh">Compare</h1>
      <Picker revisions={revisions} />
      {!isAsked ? (
        <Empty icon="compare" title="Choose two branches">
          <p>Above, or with Compare in a session.</p>
        </Empty>
      ) : error && !data ? (
        <Problem error={error} retry={reload} />
      ) : !data ? (
        <Loading />
      ) : (
        <Compared comparison={data} revisions={revisions} />
      )}
    </View>
  )
}

/** Switches the session to the branch that is ahead. */
function SwitchButton({ winner }: { readonly winner: string }): VNode | null {
  const writes = useWrites()
  const [note, setNote] = useState<string>()
  const [session = '', ...rest] = winner.split('/')
  const branch = rest.join('/')
  if (branch === '') return null
  return (
    <>
      {note !== undefined && (
        <span class="chip" role="status">
          {note}
        </span>
      )}
      <button
        class="btn main"
        disabled={!writes}
        title={writes ? undefined : 'the server only reads: start it with --write'}
        onClick={() => {
          void during(
            async () => {
              await post(`/sessions/${encodeURIComponent(session)}/switch`, { branch })
              setNote('switched')
            },
            ({ detail }) => setNote(detail),
          )
        }}
      >
        <Icon name="branch" />
        <span>Switch to {branch}</span>
      </button>
    </>
  )
}

/** Chooses what is compared, among the branches of the session. */
function Picker({ revisions }: { readonly revisions: readonly string[] }): VNode | null {
  const [session = ''] = (revisions[0] ?? '').split('/')
  const { data } = useApi<Branches>(
    session === '' ? null : addressOf(`/sessions/${encodeURIComponent(session)}/branches`),
  )
  if (!data || data.length < 2) return null
  const named = data.map(({ name }) => `${session}/${name}`)
  const toggle = (revision: string): void => {
    const next = revisions.includes(revision)
      ? revisions.filter((one) => one !== revision)
      : [...revisions, revision]
    go(href(['compare'], { r: next }))
  }
  return (
    <div class="filters">
      {named.map((revision, i) => (
        <button class="f" aria-pressed={revisions.includes(revision)} onClick={() => toggle(revision)}>
          <Icon name="branch" />
          {data[i]?.name}
        </button>
      ))}
    </div>
  )
}

function Compared({
  comparison,
  revisions,
}: {
  readonly comparison: Comparison
  readonly revisions: readonly string[]
}): VNode {
  const { sides, base } = comparison
  const wins = winsOf(comparison)
  return (
    <>
      <Common base={base} />
      <Parting count={sides.length} />
      <div class="ends">
        {sides.map((side, i) => (
          <a
            class={`card end h${hueOf(i + 1)}`}
            href={href(['s', side.session ?? side.oid], { b: side.branch ?? side.oid })}
          >
            <div class="hd">
              <h2 class="ell">{sideName(side)}</h2>
              <SideChips side={side} wins={wins} at={i} />
            </div>
            <p>
              {counted(side.entries, 'entry', 'entries')} of its own
              {side.lastActivity !== null && `, last ${dateAndTime(side.lastActivity)}`}
            </p>
          </a>
        ))}
      </div>
      <ScoreTable comparison={comparison} />
      {revisions.length === 2 && (
        <Differences a={revisions[0] as string} b={revisions[1] as string} names={sides.map(sideName)} />
      )}
      {sides.some(({ files }) => files.changed.length > 0) && (
        <Section title="Files changed">
          <FilesTable sides={sides} />
        </Section>
      )}
    </>
  )
}

const SHOWN_COMMON = 6

/** The path that the sides have in common, folded. */
function Common({ base }: { readonly base: string | null }): VNode {
  const [isOpen, open] = useState(false)
  const { data } = useApi<Page<Side>>(
    base !== null && isOpen
      ? addressOf(`/sessions/${base}/entries`, { revision: base, limit: SHOWN_COMMON })
      : null,
  )
  if (base === null) return <p class="common">{commonLine(null)}</p>
  return (
    <details class="common-fold" open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
      <summary class="common">
        <Icon name={isOpen ? 'down' : 'right'} />
        What they have in common, up to {base.slice(0, 8)}
      </summary>
      {isOpen && !data && <Loading rows={2} />}
      {data && (
        <ul class="plain card">
          {data.items.toReversed().map(({ oid, role, text }) => (
            <li class="plain-row">
              <span class="faint">{role ?? 'setting'}</span>
              <a class="ell grow" href={href(['s', oid], { e: oid })}>
                {text ?? 'tools'}
              </a>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

const FIRST_PAIRS = 12

function Differences({
  a,
  b,
  names,
}: {
  readonly a: string
  readonly b: string
  readonly names: readonly string[]
}): VNode {
  const [shown, show] = useState(FIRST_PAIRS)
  const { data, error } = useApi<DiffData>(addressOf('/diff', { a, b }), anyChange)
  if (error && !data) return <Problem error={error} />
  if (!data) return <Loading />
  const sides = new Map([...data.left, ...data.right].map((one) => [one.oid as string, one]))
  const pairs = data.pairs.filter(({ same, left, right }) => {
    if (same) return false
    return [left, right].some((oid) => oid !== null && (sides.get(oid)?.text ?? '') !== '')
  })
  const same = data.pairs.filter((pair) => pair.same).length
  return (
    <Section
      title="Where they differ"
      note={`${Math.min(shown, pairs.length)} of ${counted(pairs.length, 'pair')} shown${same > 0 ? `, ${same} the same` : ''}`}
    >
      {pairs.slice(0, shown).map(({ left, right }) => (
        <div class="pair">
          <Message
            entry={left === null ? undefined : sides.get(left)}
            other={right === null ? undefined : sides.get(right)}
            name={names[0] ?? ''}
            hue={hueOf(1)}
          />
          <Message
            entry={right === null ? undefined : sides.get(right)}
            other={left === null ? undefined : sides.get(left)}
            name={names[1] ?? ''}
            hue={hueOf(2)}
          />
        </div>
      ))}
      {pairs.length > shown && (
        <button class="common" onClick={() => show(shown + 50)}>
          <Icon name="down" />
          {counted(pairs.length - shown, 'more pair')}
        </button>
      )}
      {pairs.length === 0 && <p class="note">What was said is the same on both sides.</p>}
    </Section>
  )
}

const SPEAKERS = { user: 'You', system: 'System', tool: 'Tools' } as const

function Message({
  entry,
  other,
  name,
  hue,
}: {
  readonly entry: Side | undefined
  readonly other: Side | undefined
  readonly name: string
  readonly hue: number
}): VNode {
  if (!entry) return <div class="card msg none">nothing like it in {name}</div>
  const { role, type, time, text, session, oid } = entry
  const who =
    role === 'assistant' ? agentName(type.split('/')[0] ?? '') : role === null ? type : SPEAKERS[role]
  return (
    <div class="card msg">
      <div class="hd">
        <b>{who}</b>
        {time !== null && <span>{clock(time)}</span>}
        <a
          class="act-link"
          href={href(['s', session ?? oid], { e: oid, b: oid })}
          aria-label="Open this entry"
        >
          <Icon name="right" />
        </a>
      </div>
      {text === null ? (
        <p class="faint">tool calls</p>
      ) : (
        <MarkedText text={text} other={other?.text ?? null} hue={hue} />
      )}
    </div>
  )
}

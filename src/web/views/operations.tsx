import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../page/icons.tsx'
import { clock, counted, dateAndTime, dayOf, dayShort } from '../../page/words.ts'
import type { LoggedOperation, Moved, Turned } from '../../verbs/types.ts'
import { type ApiError, addressOf, get, post } from '../api.ts'
import type { Operation, Operations } from '../data.ts'
import { anyChange, during, useApi, usePageScroll, useTitle } from '../hooks.ts'
import { Empty, Loading, Problem } from '../parts.tsx'
import { href } from '../router.ts'
import { View } from '../shell.tsx'
import { useWrites } from './actions.tsx'

const PAGE = 60

/** The operations of the store, what each changed, and how it is taken back. */
export function OperationsView({ chosen }: { readonly chosen: string | null }): VNode {
  const address = addressOf('/ops', { limit: PAGE })
  const { data, error, reload } = useApi<Operations>(address, anyChange)
  const [older, setOlder] = useState<readonly Operations[]>([])
  useTitle('Operations')
  usePageScroll('ops', data !== undefined)
  const last = older.at(-1) ?? data
  const items = [data, ...older].flatMap((page) => page?.items ?? [])
  const shown = [...new Map(items.map((one) => [one.number, one])).values()]
  const more = (): void => {
    if (!last?.next) return
    const { next } = last
    void during(async () => {
      const page = await get<Operations>(addressOf('/ops', { limit: PAGE, after: next }))
      setOlder((former) => [...former, page])
    }, reload)
  }
  return (
    <View name="page" bar={{ crumbs: [{ text: 'Sessions', href: '#/' }, { text: 'Operations' }] }}>
      <h1 class="vh">Operations</h1>
      {error && !data ? (
        <Problem error={error} retry={reload} />
      ) : !data ? (
        <Loading rows={10} />
      ) : shown.length === 0 ? (
        <Empty icon="undo" title="Nothing was changed yet" />
      ) : (
        <div class={chosen === null ? 'two' : 'two has'}>
          <div>
            <ul class="ops">
              {shown.map((one) => (
                <OperationRow one={one} isChosen={String(one.number) === chosen} />
              ))}
            </ul>
            {last?.next && (
              <button class="common" onClick={more}>
                older operations
              </button>
            )}
          </div>
          {chosen === null ? (
            <p class="note side-note">Choose one to see what it moved, and what undoing it would do.</p>
          ) : (
            <OperationCard key={chosen} number={chosen} />
          )}
        </div>
      )}
    </View>
  )
}

const today = (): string => dayOf(new Date())

function timeOf(time: string): string {
  const day = dayOf(new Date(time))
  return day === today() ? clock(time) : `${dayShort(day)} ${clock(time)}`
}

const TURNS = { undo: 'undid', redo: 'redid', restore: 'went back to' } as const

function OperationRow({
  one,
  isChosen,
}: {
  readonly one: LoggedOperation
  readonly isChosen: boolean
}): VNode {
  const { number, command, who, actor, time, refs, turn, undoneBy } = one
  return (
    <li>
      <a class="op" href={href(['ops', String(number)])} aria-current={isChosen ? 'true' : undefined}>
        <span class={`op-sign ${actor}`} title={actor === 'person' ? 'a person' : 'a program'}>
          <Icon name={turn ? 'undo' : actor === 'person' ? 'user' : 'agent'} />
        </span>
        <span class="grow">
          <span class={undoneBy === null ? 'op-name ell' : 'op-name ell undone'}>{command}</span>
          <span class="sub ell">
            {turn && `${TURNS[turn.kind]} ${turn.operation} · `}
            {who} · {counted(refs, 'ref')}
            {undoneBy !== null && ` · undone by ${undoneBy}`}
          </span>
        </span>
        <span class="num faint">{time === null ? '' : timeOf(time)}</span>
        <span class="num faint">{number}</span>
      </a>
    </li>
  )
}

function OperationCard({ number }: { readonly number: string }): VNode {
  const { data, error } = useApi<Operation>(addressOf(`/ops/${number}`), anyChange)
  if (error && !data) return <Problem error={error} />
  if (!data) return <Loading rows={5} />
  return (
    <section class="card op-card" aria-label={`Operation ${number}`}>
      <h2>
        {data.command} <span class="faint">operation {data.number}</span>
      </h2>
      <dl class="facts">
        <dt>Who</dt>
        <dd>
          {data.who}, {data.actor === 'person' ? 'a person' : 'a program'}
        </dd>
        {data.time !== null && (
          <>
            <dt>When</dt>
            <dd>{dateAndTime(data.time)}</dd>
          </>
        )}
        {data.undoneBy !== null && (
          <>
            <dt>Undone by</dt>
            <dd>
              <a class="link" href={href(['ops', String(data.undoneBy)])}>
                {data.undoneBy}
              </a>
            </dd>
          </>
        )}
      </dl>
      <Moves moves={data.moves} title="What it moved" />
      <Undo operation={data} />
    </section>
  )
}

const MAX_MOVES = 40

/** The refs that an operation moves. */
function Moves({ moves, title }: { readonly moves: readonly Moved[]; readonly title: string }): VNode {
  return (
    <>
      <h3>{title}</h3>
      <ul class="moves">
        {moves.slice(0, MAX_MOVES).map(({ name, old, new: next }) => {
          const [, session = '', rest = ''] = /^sessions\/([^/]+)\/?(.*)$/.exec(name) ?? []
          return (
            <li>
              <a class="ell" href={session === '' ? '#/ops' : href(['s', decoded(session)])} title={name}>
                <span class="mono">{session === '' ? name : decoded(session).slice(0, 8)}</span> {rest}
              </a>
              <span class="mono faint">
                {valueText(old)} → {valueText(next)}
              </span>
            </li>
          )
        })}
      </ul>
      {moves.length > MAX_MOVES && <p class="note">{counted(moves.length - MAX_MOVES, 'further ref')}</p>}
    </>
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the value of a ref in a few characters. */
function valueText(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'string') return /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 8) : value.slice(0, 24)
  const text = JSON.stringify(value)
  return /[0-9a-f]{64}/.exec(text)?.[0].slice(0, 8) ?? (text.length > 24 ? '…' : text)
}

/** Shows what undoing an operation would do, and does it. */
function Undo({ operation }: { readonly operation: LoggedOperation }): VNode {
  const writes = useWrites()
  const [preview, setPreview] = useState<Turned>()
  const [error, setError] = useState<ApiError>()
  const [done, setDone] = useState(false)
  const send = (dryRun: boolean): void => {
    setError(undefined)
    void during(async () => {
      const { result } = await post<{ readonly result: Turned }>('/undo', {
        operation: String(operation.number),
        ...(dryRun && { dryRun }),
      })
      if (dryRun) setPreview(result)
      else setDone(true)
    }, setError)
  }
  if (done)
    return (
      <p class="note" role="status">
        undone
      </p>
    )
  return (
    <div class="undo">
      {preview && (
        <div class="preview">
          <Moves moves={preview.moves} title="Undoing it would move" />
          {preview.left.length > 0 && (
            <p class="note">{counted(preview.left.length, 'log')} would stay, because of later appends</p>
          )}
        </div>
      )}
      {error && (
        <p class="bad-text" role="alert">
          {error.detail}
        </p>
      )}
      <div class="sheet-ft">
        {preview ? (
          <button class="btn main" onClick={() => send(false)}>
            <Icon name="undo" />
            Undo operation {operation.number}
          </button>
        ) : (
          <button
            class="btn"
            disabled={!writes || operation.undoneBy !== null}
            title={writes ? undefined : 'the server only reads: start it with --write'}
            onClick={() => send(true)}
          >
            <Icon name="undo" />
            Show what undoing it would do
          </button>
        )}
      </div>
    </div>
  )
}

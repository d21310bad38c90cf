import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Legend, Meter } from '../../page/chart.tsx'
import { Code } from '../../page/code.tsx'
import { agentName, dateAndTime, duration, grouped, modelName, money, short } from '../../page/words.ts'
import type { NeutralContext } from '../../verbs/types.ts'
import { addressOf } from '../api.ts'
import { type Branches, costOf, type Entry, type Session } from '../data.ts'
import { useApi } from '../hooks.ts'
import { CopyButton, LabelChip, Loading } from '../parts.tsx'
import { href } from '../router.ts'
import { EntryActions } from './actions.tsx'
import { sharesOf } from './shares.ts'

/** A context of more entries is measured only when it is asked for. */
const MAX_MEASURED = 1500
const MAX_RAW = 30_000

/** The details of a session, of a branch and of an entry. */
export function Details({
  session,
  branch,
  entry,
  revision,
}: {
  readonly session: Session
  readonly branch: Branches[number] | undefined
  readonly entry: string | null
  readonly revision: string
}): VNode {
  return (
    <div class="side">
      <ContextMeter session={session} revision={revision} />
      <SessionFacts session={session} branch={branch} />
      {entry !== null && (
        <>
          <EntryFacts entry={entry} />
          <section>
            <h2>Do</h2>
            <EntryActions session={session} entry={entry} branch={branch?.name} />
          </section>
          <RawEntry entry={entry} />
        </>
      )}
    </div>
  )
}

function ContextMeter({
  session,
  revision,
}: {
  readonly session: Session
  readonly revision: string
}): VNode {
  const [isAsked, ask] = useState(session.entries <= MAX_MEASURED)
  const { data } = useApi<NeutralContext>(
    isAsked ? addressOf(`/sessions/${encodeURIComponent(session.id)}/context`, { revision }) : null,
  )
  const link = href(['context'], { r: revision })
  const shares = data ? sharesOf(data.messages, data.tokens) : []
  return (
    <section>
      <h2>
        <span>Context here</span>
        <a class="link" href={link}>
          {data ? `${short(data.tokens)} tokens` : 'open'}
        </a>
      </h2>
      {!isAsked ? (
        <button class="link" onClick={() => ask(true)}>
          measure it
        </button>
      ) : data === undefined ? (
        <Loading rows={1} />
      ) : (
        <>
          <Meter
            parts={shares.map(({ tokens, hue }) => ({ value: tokens, hue }))}
            total={data.tokens}
            label={shares.map(({ name, tokens }) => `${name} ${grouped(tokens)}`).join(', ')}
          />
          <Legend
            names={shares.map(({ name, tokens }) => `${name} ${short(tokens)}`)}
            hues={shares.map(({ hue }) => hue)}
          />
        </>
      )}
    </section>
  )
}

function SessionFacts({
  session,
  branch,
}: {
  readonly session: Session
  readonly branch: Branches[number] | undefined
}): VNode {
  const { tokens, created, updated } = session
  const cost = costOf(session)
  const cached = tokens && tokens.input + tokens.cacheRead + tokens.cacheWrite
  const own = branch?.figures?.cost
  return (
    <section>
      <h2>{branch && branch.forkPoint !== null ? 'This branch' : 'This session'}</h2>
      <dl>
        <dt>Entries</dt>
        <dd>
          {branch && branch.forkPoint !== null
            ? `${grouped(branch.entries)} own of ${grouped(session.entries)}`
            : grouped(session.entries)}
        </dd>
        {cost !== null && (
          <>
            <dt>Cost</dt>
            <dd>
              {branch?.forkPoint && typeof own === 'number' ? `${money(own)} of ${money(cost)}` : money(cost)}
            </dd>
          </>
        )}
        {tokens && cached ? (
          <>
            <dt>Tokens in</dt>
            <dd>
              {short(cached)}
              {tokens.cacheRead > 0 && `, ${Math.round((100 * tokens.cacheRead) / cached)} % cached`}
            </dd>
            <dt>Tokens out</dt>
            <dd>{short(tokens.output)}</dd>
          </>
        ) : null}
        <dt>Tool calls</dt>
        <dd>{grouped(session.calls)}</dd>
        {created !== null && updated !== null && (
          <>
            <dt>Time</dt>
            <dd>{duration(Date.parse(updated) - Date.parse(created))}</dd>
            <dt>Last</dt>
            <dd>{dateAndTime(updated)}</dd>
          </>
        )}
        {session.model !== null && (
          <>
            <dt>Model</dt>
            <dd>{modelName(session.model)}</dd>
          </>
        )}
        {session.git?.branch && (
          <>
            <dt>git</dt>
            <dd class="mono">{session.git.branch}</dd>
          </>
        )}
      </dl>
      {Object.keys(session.labels).length > 0 && (
        <p class="chips">
          {Object.entries(session.labels).map(([name, oid]) => (
            <a href={href(['s', session.id], { e: oid })}>
              <LabelChip name={name} />
            </a>
          ))}
        </p>
      )}
    </section>
  )
}

function EntryFacts({ entry }: { readonly entry: string }): VNode {
  const { data } = useApi<Entry>(addressOf(`/entries/${entry}`))
  return (
    <section>
      <h2>This entry</h2>
      {data === undefined ? (
        <Loading rows={3} />
      ) : (
        <dl>
          <dt>Id</dt>
          <dd class="mono">{`${entry.slice(0, 4)} ${entry.slice(4, 8)}`}</dd>
          <dt>From</dt>
          <dd>{[agentName(data.type.split('/')[0] ?? ''), data.role].filter(Boolean).join(', ')}</dd>
          <dt>Kind</dt>
          <dd class="mono">{data.type}</dd>
          {data.time !== null && (
            <>
              <dt>Time</dt>
              <dd>{dateAndTime(data.time)}</dd>
            </>
          )}
          {data.native !== null && (
            <>
              <dt>Native id</dt>
              <dd class="mono ell" title={data.native}>
                {data.native}
              </dd>
            </>
          )}
          <dt>Parents</dt>
          <dd>{data.parents.length}</dd>
        </dl>
      )}
      <p class="links">
        <CopyButton text={entry} label="copy the id" />
      </p>
    </section>
  )
}

function RawEntry({ entry }: { readonly entry: string }): VNode {
  const [isOpen, open] = useState(false)
  const { data } = useApi<Entry>(isOpen ? addressOf(`/entries/${entry}`) : null)
  const text = data === undefined ? '' : JSON.stringify(data.record ?? data.body, null, 2)
  return (
    <section>
      <details open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
        <summary>
          <h2>
            <span>Raw record</span>
            <span class="link">{isOpen ? 'close' : 'open'}</span>
          </h2>
        </summary>
        {isOpen &&
          (data === undefined ? (
            <Loading rows={4} />
          ) : (
            <>
              <CopyButton text={text} label="copy" />
              <Code text={text.slice(0, MAX_RAW)} language="json" />
              {text.length > MAX_RAW && (
                <p class="note">
                  {grouped(text.length - MAX_RAW)} more characters:{' '}
                  <code>sess show {entry.slice(0, 8)} --json</code>
                </p>
              )}
            </>
          ))}
      </details>
    </section>
  )
}

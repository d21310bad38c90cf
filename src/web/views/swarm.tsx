import type { VNode } from 'preact'
import { AgentTile } from '../../page/agenttile.tsx'
import { Icon } from '../../page/icons.tsx'
import type { Look } from '../../page/look.ts'
import { hueOf } from '../../page/rail.tsx'
import { TurnView } from '../../page/turn.tsx'
import { counted, money } from '../../page/words.ts'
import type { Swarm } from '../../verbs/types.ts'
import { addressOf } from '../api.ts'
import { type Branches, costOf, type Session, type Turns, tipOf, titleOf } from '../data.ts'
import { anyChange, isOf, useApi, useTitle } from '../hooks.ts'
import { BranchChip, Empty, Fold, Loading, Problem } from '../parts.tsx'
import { href } from '../router.ts'
import { View } from '../shell.tsx'

/** Branches of several agents side by side, as they grow. */
export function LanesView({
  revisions,
  swarm,
}: {
  readonly revisions: readonly string[]
  /** The swarm whose branches they are. */
  readonly swarm?: string
}): VNode {
  useTitle(swarm ?? 'Side by side')
  return (
    <View
      name="swarm"
      bar={{
        crumbs:
          swarm === undefined
            ? [{ text: 'Sessions', href: '#/' }, { text: 'Side by side' }]
            : [{ text: 'Swarms', href: '#/swarms' }, { text: swarm }],
        ...(revisions.length > 1 && {
          actions: (
            <a class="btn" href={href(['compare'], { r: revisions })}>
              Compare
            </a>
          ),
        }),
      }}
    >
      <h1 class="vh">{swarm ?? 'Side by side'}</h1>
      {revisions.length === 0 ? (
        <Empty icon="branch" title="No branch was chosen">
          <p>Side by side in a session with branches shows all of them as they grow.</p>
        </Empty>
      ) : (
        <div class="lanes-row">
          {revisions.map((revision, i) => (
            <LaneColumn key={revision} revision={revision} hue={hueOf(i)} />
          ))}
        </div>
      )}
    </View>
  )
}

/** A swarm, or the list of all of them. */
export function SwarmView({ name }: { readonly name: string | null }): VNode {
  const list = useApi<readonly Swarm[]>(name === null ? addressOf('/swarms') : null, anyChange)
  const one = useApi<Swarm>(
    name === null ? null : addressOf(`/swarms/${encodeURIComponent(name)}`),
    anyChange,
  )
  useTitle(name ?? 'Swarms')
  if (name !== null && one.data)
    return <LanesView swarm={name} revisions={one.data.branches.map(revisionOf)} />
  const error = list.error ?? one.error
  return (
    <View name="page narrow" bar={{ crumbs: [{ text: 'Sessions', href: '#/' }, { text: 'Swarms' }] }}>
      <h1 class="vh">Swarms</h1>
      {error ? (
        <Problem error={error} />
      ) : !list.data ? (
        <Loading />
      ) : list.data.length === 0 ? (
        <Empty icon="branch" title="There are no swarms">
          <p>
            A swarm is a group of branches on which agents work at one task: <code>sess swarm</code> makes
            one.
          </p>
        </Empty>
      ) : (
        <ul class="ops">
          {list.data.map((swarm) => (
            <li>
              <a class="op" href={href(['swarms', swarm.name])}>
                <span class="op-sign">
                  <Icon name="branch" />
                </span>
                <span class="grow">
                  <span class="op-name ell">{swarm.name}</span>
                  <span class="sub ell">{swarm.branches.map((branch) => branch.name).join(', ')}</span>
                </span>
                <span class="num faint">{counted(swarm.branches.length, 'branch', 'branches')}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </View>
  )
}

const revisionOf = ({ session, branch }: Swarm['branches'][number]): string =>
  branch === null ? session : `${session}/${branch}`

const SHOWN_TURNS = 4

function LaneColumn({ revision, hue }: { readonly revision: string; readonly hue: number }): VNode {
  const [id = '', ...rest] = revision.split('/')
  const branch = rest.join('/') || null
  const path = `/sessions/${encodeURIComponent(id)}`
  const session = useApi<Session>(addressOf(path), isOf(id))
  const branches = useApi<Branches>(addressOf(`${path}/branches`, { verbose: true }), isOf(id))
  const { data } = session
  const tip = data === undefined ? null : branch === null ? tipOf(data) : (data.branches[branch] ?? null)
  const turns = useApi<Turns>(
    tip === null ? null : addressOf(`${path}/turns`, { revision, at: tip, tools: true, limit: SHOWN_TURNS }),
  )
  const last = turns.data?.items[0]?.cursor
  const earlier = useApi<Turns>(
    last === undefined
      ? null
      : addressOf(`${path}/turns`, { revision, before: last, tools: true, limit: SHOWN_TURNS }),
  )
  if (session.error && !data) return <Problem error={session.error} />
  if (!data) return <Loading />
  const figures = branches.data?.find(({ name }) => name === branch)
  const cost = branch === null ? costOf(data) : (figures?.figures?.cost ?? null)
  const look: Look = {
    zone: undefined,
    format: data.format,
    folder: data.cwd,
    Fold,
    session: (other) => href(['s', other]),
  }
  return (
    <section class={`lane h${hue}`} aria-label={branch ?? titleOf(data)}>
      <header>
        <AgentTile format={data.format} />
        <a class="ell grow strong" href={href(['s', id], { b: branch })}>
          {branch ?? titleOf(data)}
        </a>
        {data.live && <span class="live">live</span>}
        {branch !== null && <BranchChip name={titleOf(data).slice(0, 24)} hue={hue} />}
      </header>
      <p class="faint lane-facts">
        {counted(figures?.entries ?? data.entries, 'entry', 'entries')}
        {cost !== null && ` · ${money(cost)}`}
      </p>
      <div
        class="lane-talk"
        tabIndex={0}
        role="region"
        aria-label={`Last turns of ${branch ?? titleOf(data)}`}
      >
        {[...(earlier.data?.items ?? []), ...(turns.data?.items ?? [])].map((turn) => (
          <TurnView key={turn.oid} turn={turn} look={look} />
        ))}
        {!turns.data && <Loading rows={4} />}
      </div>
    </section>
  )
}

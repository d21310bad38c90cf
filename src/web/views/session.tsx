import type { ComponentChildren, VNode } from 'preact'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { FILTERS, type GraphFilter } from '../../model/graphfilter.ts'
import { type Attempt, ForkCard } from '../../page/forkcard.tsx'
import { Icon } from '../../page/icons.tsx'
import type { Look } from '../../page/look.ts'
import { cutTo, firstLine, lastPart } from '../../page/words.ts'
import { addressOf } from '../api.ts'
import { type Branches, currentBranch, type Session, type Turns, tipOf, titleOf } from '../data.ts'
import { isOf, useApi, useTitle } from '../hooks.ts'
import { useKeys } from '../keys.ts'
import { BranchChip, Choice, Fold, Loading, Problem } from '../parts.tsx'
import { go, href, hrefWith, type Route } from '../router.ts'
import { Bar } from '../shell.tsx'
import { ResumeButton } from './actions.tsx'
import { Details } from './details.tsx'
import { FindField } from './findfield.tsx'
import { Transcript } from './transcript.tsx'
import { TreePane } from './treepane.tsx'
import type { TreeFolds } from './treerows.ts'

interface SessionProps {
  readonly id: string
  readonly query: URLSearchParams
}

const FILTER_NAMES: readonly (readonly [GraphFilter, string, string])[] = [
  ['default', 'Default', 'forks, branches and some prompts'],
  ['no-tools', 'No tools', 'all that was said'],
  ['user-only', 'Prompts', 'all prompts'],
  ['labeled-only', 'Labels', 'entries with a label'],
  ['all', 'All', 'every entry'],
]

/** Returns the hue of a branch: the current one has the first, the others the rest in turn. */
function huesOf(branches: Branches, current: string | null): (name: string) => number {
  const others = branches.map(({ name }) => name).filter((name) => name !== current)
  return (name) => (name === current ? 1 : (Math.max(0, others.indexOf(name)) % 3) + 2)
}

/** A session: its tree, the conversation on one of its paths, and the details of an entry. */
export function SessionView({ id, query }: SessionProps): VNode {
  const name = encodeURIComponent(id)
  const session = useApi<Session>(addressOf(`/sessions/${name}`), isOf(id))
  const branches = useApi<Branches>(addressOf(`/sessions/${name}/branches`), isOf(id))
  // Their costs take longer to count, of many branches too long.
  const isCounted = (branches.data?.length ?? Number.POSITIVE_INFINITY) <= MAX_COUNTED_BRANCHES
  const counted = useApi<Branches>(
    isCounted ? addressOf(`/sessions/${name}/branches`, { verbose: true }) : null,
    isOf(id),
  )
  const { data, error } = session
  useTitle(data && titleOf(data))
  if (!data)
    return (
      <>
        <Bar crumbs={[{ text: 'Sessions', href: '#/' }, { text: id.slice(0, 8) }]} />
        <main id="main" class="page" tabIndex={-1}>
          {error ? <Problem error={error} retry={session.reload} /> : <Loading rows={10} />}
        </main>
      </>
    )
  return <Loaded session={data} branches={counted.data ?? branches.data} query={query} />
}

const MAX_COUNTED_BRANCHES = 40

const PANES = ['tree', 'talk', 'details'] as const

type Pane = (typeof PANES)[number]

/** Returns the tip of a branch: a session that has very many names some of them, and the list all. */
const tipIn = ({ branches }: Session, all: Branches, branch: string): string | null =>
  branches[branch] ?? all.find(({ name }) => name === branch)?.oid ?? null

function Loaded({
  session,
  branches,
  query,
}: {
  readonly session: Session
  readonly branches: Branches | undefined
  readonly query: URLSearchParams
}): VNode {
  const { id } = session
  const route: Route = { path: ['s', id], query, address: '' }
  const [pane, setPane] = useState<Pane>('talk')
  const current = currentBranch(session)
  const branch = query.get('b')
  const entry = query.get('e')
  const filter = FILTERS.find((one) => one === query.get('filter')) ?? 'no-tools'
  const known = branches ?? []
  const hue = huesOf(known, current)
  const revision = branch === null ? id : isOid(branch) ? branch : `${id}/${branch}`
  const tip = branch === null ? tipOf(session) : isOid(branch) ? branch : tipIn(session, known, branch)
  const select = useCallback(
    (oid: string, of?: string | null) => {
      const changes = of === undefined ? { e: oid } : { e: oid, b: of ?? undefined }
      go(hrefWith({ path: ['s', id], query, address: '' }, changes), { replace: true })
      setPane('talk')
    },
    [id, query],
  )
  const look = useLook(session, known, branch, route)
  const read = branch ?? current
  const steps = known.map((one) => one.name)
  const stepBy = (by: number): void => {
    const at = steps.indexOf(read ?? '')
    const next = steps[(at + by + steps.length) % steps.length]
    if (next !== undefined) go(branchHref(route, next, current))
  }
  useKeys([
    { keys: ']', does: 'next branch', run: () => stepBy(1) },
    { keys: '[', does: 'previous branch', run: () => stepBy(-1) },
    { keys: 'j', does: 'next turn', run: () => stepTurn(1) },
    { keys: 'k', does: 'previous turn', run: () => stepTurn(-1) },
    { keys: 'i', does: 'to the tree', run: () => document.querySelector<HTMLElement>('.tree')?.focus() },
    { keys: 'c', does: 'the context at this entry', run: () => go(contextHref(entry ?? revision)) },
  ])
  return (
    <>
      <Bar
        crumbs={[
          {
            text: session.project === null ? 'Sessions' : lastPart(session.project),
            href: href([], { project: session.project ?? undefined }),
          },
          { text: titleOf(session) },
        ]}
        marks={
          <>
            {read !== null && !isOid(read) && <BranchChip name={read} hue={hue(read)} />}
            {session.live && <span class="live">live</span>}
          </>
        }
        actions={
          <>
            <a class="btn wide" href={href(['timeline', id])}>
              <Icon name="clock" />
              <span>Timeline</span>
            </a>
            {known.length > 1 && (
              <a
                class="btn wide"
                href={href(['beside'], { r: known.slice(0, 6).map((one) => `${id}/${one.name}`) })}
              >
                <Icon name="branch" />
                <span>Side by side</span>
              </a>
            )}
            {known.length > 1 && (
              <a class="btn" href={compareHref(id, known, read)}>
                <Icon name="compare" />
                <span>Compare</span>
              </a>
            )}
            <ResumeButton session={session} />
          </>
        }
      />
      <nav class="panes-choice" aria-label="Parts of this view">
        <Choice
          label="What is shown"
          value={pane}
          options={[
            ['tree', 'Tree'],
            ['talk', 'Conversation'],
            ['details', 'Details'],
          ]}
          onChoose={setPane}
        />
      </nav>
      <div class={`work show-${pane}`}>
        <nav class="pane l" aria-label="Tree of the session">
          <div class="ph">
            <FindField session={session} onFound={(oid) => select(oid)} />
            <Choice
              label="Rows"
              value={filter}
              options={FILTER_NAMES}
              onChoose={(chosen) =>
                go(
                  hrefWith(route, {
                    filter: chosen === 'no-tools' ? undefined : chosen,
                    closed: undefined,
                    opened: undefined,
                    shown: undefined,
                  }),
                  { replace: true },
                )
              }
            />
          </div>
          <TreePane
            key={`${id} ${filter}`}
            choice={{ session: id, filter, folds: foldsIn(query), read: branch === null ? null : tip }}
            selected={entry}
            tip={tip}
            branchHue={hue}
            onFold={(folds) => go(hrefWith(route, { ...folds }), { replace: true })}
            onSelect={select}
          />
        </nav>
        <main id="main" class="middle" tabIndex={-1}>
          <h1 class="vh">{titleOf(session)}</h1>
          <Transcript
            key={revision}
            session={id}
            revision={revision}
            begin={entry}
            tip={tip}
            look={look}
            selected={entry}
            onSelect={select}
          />
        </main>
        <aside class="pane r" aria-label="Details">
          <Details
            session={session}
            branch={known.find((one) => one.name === read)}
            entry={entry ?? tip}
            revision={entry ?? revision}
          />
        </aside>
      </div>
    </>
  )
}

const foldsIn = (query: URLSearchParams): TreeFolds => ({
  closed: query.getAll('closed'),
  opened: query.getAll('opened'),
  shown: query.getAll('shown'),
})

const isOid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

const branchHref = (route: Route, name: string, current: string | null): string =>
  hrefWith(route, { b: name === current ? undefined : name, e: undefined })

const contextHref = (revision: string): string => href(['context'], { r: revision })

/** The address of the comparison of the branch that is read with the one it parted from. */
function compareHref(id: string, branches: Branches, read: string | null): string {
  const own = branches.find(({ name }) => name === read) ?? branches[0]
  const others = branches.filter(({ name }) => name !== own?.name)
  const sibling =
    others.find(({ forkPoint }) => forkPoint !== null && forkPoint === own?.forkPoint) ?? others[0]
  return href(['compare'], { r: [own, sibling].flatMap((one) => (one ? [`${id}/${one.name}`] : [])) })
}

/** Scrolls the conversation to the next turn, or to the one before. */
function stepTurn(by: number): void {
  const pane = document.querySelector('.reading')
  if (!pane) return
  const { top } = pane.getBoundingClientRect()
  const places = [...pane.querySelectorAll('[data-turn]')].map(
    (turn) => turn.getBoundingClientRect().top - top,
  )
  const ahead = places.filter((place) => (by > 0 ? place > 30 : place < 10))
  const next = by > 0 ? Math.min(...ahead) : Math.max(...ahead)
  if (Number.isFinite(next)) pane.scrollBy({ top: next - 20 })
}

/** The first words of an attempt. */
function FirstWords({
  session,
  from,
  branch,
}: {
  readonly session: string
  readonly from: string
  readonly branch: string
}): VNode | null {
  const { data } = useApi<Turns>(
    addressOf(`/sessions/${encodeURIComponent(session)}/turns`, {
      ...{ revision: `${from}..${session}/${branch}`, limit: 1 },
    }),
  )
  const texts =
    data?.items[0]?.parts.flatMap((part) => (part.kind === 'text' ? firstLine(part.text) : [])) ?? []
  return texts[0] === undefined ? null : <>{cutTo(texts[0], 120)}</>
}

/** Returns how turns are shown, with the attempts that part at an entry after it. */
function useLook(session: Session, branches: Branches, branch: string | null, route: Route): Look {
  return useMemo((): Look => {
    const current = currentBranch(session)
    const hue = huesOf(branches, current)
    const read = branch ?? current
    const readFork = branches.find(({ name }) => name === read)?.forkPoint ?? null
    const forks = new Map<string, Branches[number][]>()
    for (const one of branches) {
      if (one.forkPoint === null) continue
      forks.set(one.forkPoint, [...(forks.get(one.forkPoint) ?? []), one])
    }
    const main = branches.find(({ forkPoint }) => forkPoint === null) ?? branches[0]
    const attemptOf = (one: Branches[number], at: string, isHere: boolean): Attempt => ({
      name: one.name,
      about: <FirstWords session={session.id} from={at} branch={one.name} />,
      hue: hue(one.name),
      isHere,
      entries: one.entries,
      cost: one.figures?.cost ?? null,
      href: branchHref(route, one.name, current),
    })
    const after = (oid: string): ComponentChildren => {
      const parted = forks.get(oid)
      if (!parted || !main) return null
      const others = parted.some(({ name }) => name === main.name) ? parted : [main, ...parted]
      const isOnRead = readFork === oid
      const attempts = others.map((one) =>
        attemptOf(one, oid, isOnRead ? one.name === read : one.name === main.name),
      )
      return attempts.length > 1 ? <ForkCard attempts={attempts} /> : null
    }
    return {
      zone: undefined,
      format: session.format,
      folder: session.cwd,
      Fold,
      after,
      session: (other) => href(['s', other]),
      entry: (oid) => hrefWith(route, { e: oid }),
    }
  }, [session.id, session.format, session.cwd, branches, branch, route.query])
}

import { render, type VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { useToken } from './api.ts'
import { follow } from './events.ts'
import { Help } from './help.tsx'
import { listenForKeys, useKeys } from './keys.ts'
import { Palette } from './palette.tsx'
import { Empty } from './parts.tsx'
import { go, useRoute } from './router.ts'
import { applyTheme, nextTheme } from './settings.ts'
import { Bar, open } from './shell.tsx'
import { findToken, keepToken } from './token.ts'
import { CompareView } from './views/compare.tsx'
import { ContextView } from './views/context.tsx'
import { DiffPage } from './views/diffpage.tsx'
import { OperationsView } from './views/operations.tsx'
import { SearchView } from './views/search.tsx'
import { SessionView } from './views/session.tsx'
import { SessionsView } from './views/sessions.tsx'
import { StoreView } from './views/store.tsx'
import { LanesView, SwarmView } from './views/swarm.tsx'
import { TimelineView } from './views/timeline.tsx'

function Routed(): VNode {
  const { path, query, address } = useRoute()
  const [first = '', second = ''] = path
  useEffect(() => document.getElementById('main')?.focus({ preventScroll: true }), [first, second])
  if (first === '') return <SessionsView query={query} />
  switch (first) {
    case 's':
      return <SessionView key={second} id={second} query={query} />
    case 'timeline':
      return <TimelineView key={second} id={second} />
    case 'compare':
      return <CompareView key={address} query={query} />
    case 'diff':
      return <DiffPage key={address} query={query} />
    case 'context':
      return <ContextView key={address} query={query} />
    case 'ops':
      return <OperationsView chosen={second === '' ? null : second} />
    case 'search':
      return <SearchView query={query} />
    case 'swarms':
      return <SwarmView key={second} name={second === '' ? null : second} />
    case 'beside':
      return <LanesView key={address} revisions={query.getAll('r')} />
    case 'store':
      return <StoreView />
    default:
      return (
        <>
          <Bar />
          <main id="main" class="page" tabIndex={-1}>
            <h1 class="vh">Not found</h1>
            <Empty icon="help" title="There is no such page">
              <p>
                <a class="link" href="#/">
                  All sessions
                </a>
              </p>
            </Empty>
          </main>
        </>
      )
  }
}

function App(): VNode {
  useKeys([
    { keys: '/', does: 'search', run: () => open('palette') },
    { keys: '?', does: 'show the keys', run: () => open('help') },
    { keys: 't', does: 'change the theme', run: nextTheme },
    { keys: 'g h', does: 'go to all sessions', run: () => go('#/') },
    { keys: 'g o', does: 'go to the operations', run: () => go('#/ops') },
    { keys: 'g s', does: 'go to the store', run: () => go('#/store') },
    { keys: 'g w', does: 'go to the swarms', run: () => go('#/swarms') },
    { keys: 'g f', does: 'go to the search', run: () => go('#/search') },
  ])
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to content
      </a>
      <Routed />
      <Palette />
      <Help />
    </>
  )
}

/** Asks for the token where no address and no tab has it. */
function Locked(): VNode {
  return (
    <main id="main" class="locked">
      <h1 class="vh">sess</h1>
      <Empty icon="terminal" title="Open the address that sess serve printed">
        <p>It carries the token of this run, without which the server answers nothing.</p>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const token = new FormData(event.currentTarget).get('token')
            if (typeof token === 'string' && token !== '') keepToken(token)
          }}
        >
          <label>
            <span class="vh">The address or its token</span>
            <input class="field" name="token" placeholder="the address, or its token" autocomplete="off" />
          </label>{' '}
          <button class="btn main">Open</button>
        </form>
      </Empty>
    </main>
  )
}

applyTheme()
history.scrollRestoration = 'manual'
const token = await findToken()
if (token === undefined) render(<Locked />, document.body)
else {
  useToken(token)
  follow()
  listenForKeys()
  render(<App />, document.body)
}

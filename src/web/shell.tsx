import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon, Mark } from '../page/icons.tsx'
import { onConnection } from './events.ts'
import { nextTheme, useSettings } from './settings.ts'

/** A step of the path that the bar shows; the last one is where the page is. */
export interface Crumb {
  readonly text: string
  readonly href?: string | undefined
}

interface BarProps {
  readonly crumbs?: readonly Crumb[]
  /** Beside the crumbs, such as the branch. */
  readonly marks?: ComponentChildren
  readonly actions?: ComponentChildren
  /** The words in the search field, where there are no crumbs. */
  readonly search?: string
}

const THEME_NAMES = { auto: 'as the system', light: 'light', dark: 'dark' } as const
const THEME_ICONS = { auto: 'half', light: 'sun', dark: 'moon' } as const

/** Opens the palette or the help from anywhere. */
export const open = (what: 'palette' | 'help'): boolean => dispatchEvent(new CustomEvent(`sess-${what}`))

/** The bar at the top of every view. */
export function Bar({ crumbs = [], marks, actions, search = 'Search' }: BarProps): VNode {
  const { theme } = useSettings()
  const last = crumbs.at(-1)
  return (
    <header class="bar">
      <a class="mark" href="#/" aria-label="sess, all sessions">
        <Mark />
        <span>sess</span>
      </a>
      {last === undefined ? (
        <button class="search" onClick={() => open('palette')}>
          <Icon name="search" />
          <span class="grow ell">{search}</span>
          <kbd>/</kbd>
          <kbd>{isMac ? '⌘' : 'Ctrl'} K</kbd>
        </button>
      ) : (
        <nav class="crumbs" aria-label="Where this is">
          {crumbs.slice(0, -1).map(({ text, href }) => (
            <>
              <a class="ell" href={href ?? '#/'}>
                {text}
              </a>
              <Icon name="right" />
            </>
          ))}
          <b class="ell" aria-current="page">
            {last.text}
          </b>
          {marks}
        </nav>
      )}
      <span class="grow" />
      <Connection />
      {actions}
      {last !== undefined && (
        <button
          class="icon"
          aria-label="Search and commands"
          title="Search and commands"
          onClick={() => open('palette')}
        >
          <Icon name="search" />
        </button>
      )}
      <button
        class="icon"
        aria-label={`Theme: ${THEME_NAMES[theme]}`}
        title={`Theme: ${THEME_NAMES[theme]}`}
        onClick={nextTheme}
      >
        <Icon name={THEME_ICONS[theme]} />
      </button>
      <button class="icon" aria-label="Keyboard help" title="Keyboard help" onClick={() => open('help')}>
        <Icon name="help" />
      </button>
    </header>
  )
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

const NOTE_AFTER_MS = 1500

/** Says when the server does not answer. */
function Connection(): VNode | null {
  const [isCut, set] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onConnection((state) => {
      clearTimeout(timer)
      if (state === 'cut') timer = setTimeout(() => set(true), NOTE_AFTER_MS)
      else set(false)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [])
  return isCut ? (
    <span class="chip bad" role="status">
      cut off from the server
    </span>
  ) : null
}

/** A view with its bar: the skip link leads to what it shows. */
export const View = ({
  bar,
  name,
  children,
}: {
  readonly bar: BarProps
  readonly name: string
  readonly children: ComponentChildren
}): VNode => (
  <>
    <Bar {...bar} />
    <main id="main" class={name} tabIndex={-1}>
      {children}
    </main>
  </>
)

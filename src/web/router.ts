import { useEffect, useState } from 'preact/hooks'

/** Where the page is: the words of the path, and its parameters. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
  /** The whole address after `#`. */
  readonly address: string
}

const read = (): Route => {
  const address = location.hash.replace(/^#/, '') || '/'
  const [path = '', query = ''] = address.split('?', 2)
  return {
    path: path
      .split('/')
      .filter((word) => word !== '')
      .map(decoded),
    query: new URLSearchParams(query),
    address,
  }
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/** Returns an address of the page. */
export function href(
  path: readonly string[],
  query: Readonly<Record<string, string | readonly string[] | undefined | null>> = {},
): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    if (typeof value === 'string') parameters.set(name, value)
    else for (const one of value) parameters.append(name, one)
  }
  const text = parameters.toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Returns the same address with other parameters. */
export function hrefWith(
  { path, query }: Route,
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name)
    for (const one of typeof value === 'object' ? value : [value]) if (one) next.append(name, one)
  }
  const text = next.toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

const listeners = new Set<() => void>()

/** Goes to an address; with `replace` Back does not return to the present one. */
export function go(address: string, { replace = false } = {}): void {
  if (address === location.hash) return
  if (replace) history.replaceState(history.state, '', address)
  else history.pushState(null, '', address)
  for (const listener of listeners) listener()
}

/** Returns where the page is, and paints again when that changes. */
export function useRoute(): Route {
  const [route, set] = useState(read)
  useEffect(() => {
    const update = (): void => set((former) => (former.address === read().address ? former : read()))
    listeners.add(update)
    addEventListener('hashchange', update)
    addEventListener('popstate', update)
    return () => {
      listeners.delete(update)
      removeEventListener('hashchange', update)
      removeEventListener('popstate', update)
    }
  }, [])
  return route
}

type Kept = Readonly<Record<string, unknown>>

/** Keeps a value with this entry of the browser's history, for a reload and for Back. */
export function keep(name: string, value: unknown): void {
  history.replaceState({ ...(history.state as Kept | null), [name]: value }, '')
}

/** Returns what was kept with this entry of the history. */
export const kept = (name: string): unknown => (history.state as Kept | null)?.[name]

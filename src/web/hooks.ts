import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get } from './api.ts'
import { type Heard, onChange } from './events.ts'
import { keep, kept } from './router.ts'

/** The answer of an address, as far as it is known. */
export interface Loaded<T> {
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  readonly reload: () => void
}

/** The last answers: Back shows a view at once, and where it was. */
const answers = new Map<string, unknown>()
const MAX_ANSWERS = 80
const RELOAD_MS = 250

function remember(address: string, data: unknown): void {
  answers.delete(address)
  answers.set(address, data)
  const [oldest] = answers.keys()
  if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest)
}

/** Returns an error as the server's, whatever it is. */
const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(0, 'no-server', 'the server does not answer; is sess serve still running?')

/** Whether a call was ended by its signal. */
const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Does what takes time. What fails is passed on, unless its signal ended it. */
export async function during(work: () => Promise<void>, onError: (error: ApiError) => void): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isAbort(error)) onError(asApiError(error))
  }
}

/**
 * Reads an address, and again when something changes that it may show. A new address ends the call of the former one; null
 * reads nothing.
 */
export function useApi<T>(address: string | null, concerns?: (change: Heard) => boolean): Loaded<T> {
  const [state, set] = useState<{
    readonly address: string | null
    readonly data?: T | undefined
    readonly error?: ApiError | undefined
    readonly isLoading: boolean
  }>(() => ({ address, data: known(address) as T | undefined, isLoading: address !== null }))
  const [version, setVersion] = useState(0)
  const reload = useCallback(() => setVersion((former) => former + 1), [])
  useEffect(() => {
    if (address === null) return undefined
    const aborter = new AbortController()
    set((former) =>
      former.address === address
        ? { ...former, isLoading: true }
        : { address, data: known(address) as T | undefined, isLoading: true },
    )
    void during(
      async () => {
        const data = await get<T>(address, aborter.signal)
        remember(address, data)
        set({ address, data, isLoading: false })
      },
      (error) => set((former) => ({ ...former, error, isLoading: false })),
    )
    return () => aborter.abort()
  }, [address, version])
  useChanges(concerns, reload)
  const isPresent = state.address === address
  return {
    data: isPresent ? state.data : (known(address) as T | undefined),
    error: isPresent ? state.error : undefined,
    isLoading: isPresent ? state.isLoading : address !== null,
    reload,
  }
}

const known = (address: string | null): unknown => (address === null ? undefined : answers.get(address))

/** Calls a function some moments after changes that concern it. */
export function useChanges(concerns: ((change: Heard) => boolean) | undefined, act: () => void): void {
  const latest = useRef({ concerns, act })
  latest.current = { concerns, act }
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onChange((change) => {
      if (!latest.current.concerns?.(change) || timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        latest.current.act()
      }, RELOAD_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [])
}

/** Whether a change is of a session. */
export const isOf =
  (session: string | undefined) =>
  (change: Heard): boolean =>
    change === null || change.sessions.some(({ id }) => id === session)

/** Whatever changes. */
export const anyChange = (): boolean => true

const SCROLL_KEY = 'scroll'
const KEEP_MS = 120

/** Keeps how far the page is scrolled with the entry of the history, and goes there again once what it shows is there. */
export function usePageScroll(address: string, isReady: boolean): void {
  useLayoutEffect(() => {
    if (!isReady) return undefined
    const former = kept(SCROLL_KEY)
    scrollTo(0, typeof former === 'number' ? former : 0)
    let timer: ReturnType<typeof setTimeout> | undefined
    const onScroll = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => keep(SCROLL_KEY, scrollY), KEEP_MS)
    }
    addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(timer)
      removeEventListener('scroll', onScroll)
    }
  }, [address, isReady])
}

/** Sets the title of the tab. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined || title === '' ? 'sess' : `${title} · sess`
  }, [title])
}

/** Returns a value that changes only when it has not changed for some moments. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, set] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiError, addressOf, get } from '../api.ts'
import type { Page, Session } from '../data.ts'
import { anyChange, during, useApi } from '../hooks.ts'

/** Closer to the top than this, new rows move nothing that is read. */
const NEAR_TOP_PX = 160

/** The pages of the list that are shown. */
export interface SessionsList {
  readonly items: readonly Session[] | undefined
  readonly error: ApiError | undefined
  readonly next: string | null
  readonly isLoadingMore: boolean
  /** How many sessions are new or moved that the list does not show yet. */
  readonly waiting: number
  readonly more: () => void
  readonly show: () => void
  readonly reload: () => void
}

/** Reads the list of sessions page by page; what is new waits where it would move what is read. */
export function useSessions(asked: {
  readonly agent: string | undefined
  readonly project: string | undefined
  readonly where: readonly string[]
  readonly limit: number
}): SessionsList {
  const address = addressOf('/sessions', asked)
  const first = useApi<Page<Session>>(address, anyChange)
  const [shown, setShown] = useState(first.data)
  const [rest, setRest] = useState<readonly Page<Session>[]>([])
  const [isLoadingMore, setLoading] = useState(false)
  const seen = useRef(address)
  useEffect(() => {
    const isOther = seen.current !== address
    seen.current = address
    if (isOther) setRest([])
    if (first.data && (isOther || !shown || scrollY < NEAR_TOP_PX)) setShown(first.data)
    else if (isOther) setShown(undefined)
  }, [first.data, address])
  const last = rest.at(-1) ?? shown
  const items = useMemo(() => {
    if (!shown) return undefined
    const fresh = new Map(first.data?.items.map((one) => [one.id, one]))
    const known = new Map<string, Session>()
    for (const one of [shown, ...rest].flatMap((page) => page.items))
      if (!known.has(one.id)) known.set(one.id, fresh.get(one.id) ?? one)
    return [...known.values()]
  }, [shown, rest, first.data])
  const order = (page: Page<Session> | undefined): string => page?.items.map(({ id }) => id).join(' ') ?? ''
  const shownIds = new Set(shown?.items.map(({ id }) => id))
  const waiting =
    shown && first.data && order(shown) !== order(first.data)
      ? Math.max(1, first.data.items.filter(({ id }) => !shownIds.has(id)).length)
      : 0
  return {
    items,
    error: first.error,
    next: last?.next ?? null,
    isLoadingMore,
    waiting,
    show: () => {
      setRest([])
      setShown(first.data)
      scrollTo({ top: 0 })
    },
    reload: first.reload,
    more: () => {
      if (isLoadingMore || !last?.next) return
      setLoading(true)
      const { next } = last
      void during(async () => {
        try {
          const page = await get<Page<Session>>(addressOf('/sessions', { ...asked, after: next }))
          setRest((former) => [...former, page])
        } finally {
          setLoading(false)
        }
      }, first.reload)
    },
  }
}

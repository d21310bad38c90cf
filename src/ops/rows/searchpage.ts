import type { Repo } from '../../repo/repo.ts'
import type { Hit } from '../search/hit.ts'
import { type Found, type SearchOptions, search } from '../search/search.ts'
import { decodeCursor, hitCursor } from './cursor.ts'
import { type Page, type PageOptions, pageOf, pageQuery } from './page.ts'

/** The sessions and entries in which a page of hits is searched for. */
export interface SearchPageOptions extends Omit<SearchOptions, 'limit'>, PageOptions {}

/** A page of hits. */
export interface HitPage extends Page<Hit>, Pick<Found, 'short'> {}

/**
 * Returns a page of the hits of a search, the best first. A cursor names a hit, which may have moved since among hits that
 * were added. Throws as `search`, and `bad-usage` for a cursor of another list.
 */
export async function searchPage(
  repo: Repo,
  query: string,
  options: SearchPageOptions = {},
): Promise<HitPage> {
  const { after: _, before: __, limit: ___, ...where } = options
  const asked = pageQuery({ limit: 20, ...options })
  const { from, isBack, limit } = asked
  const [place, session, oid] = from === undefined ? [0, '', null] : decodeCursor('hit', from)
  for (let most = place + limit + 2; ; most *= 2) {
    const { hits, short } = await search(repo, query, { ...where, limit: most })
    const at = hits.findIndex((hit) => hit.session === session && hit.oid === oid)
    // A hit that is there no more is taken to be where it was.
    const end = at < 0 ? place : at
    const first = from === undefined ? 0 : at < 0 ? place : at + 1
    const isLacking = (from !== undefined && at < 0) || (!isBack && hits.length <= first + limit)
    if (isLacking && hits.length >= most) continue
    const placed = hits.map((hit, i) => ({ hit, place: i }))
    const found = isBack
      ? placed.slice(Math.max(0, end - limit - 1), end)
      : placed.slice(first, first + limit + 1)
    const page = pageOf(found, asked, ({ hit, place: i }) => hitCursor(hit, i))
    return { ...page, items: page.items.map(({ hit, cursor }) => ({ ...hit, cursor })), short }
  }
}

import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../page/icons.tsx'
import { counted, dateAndTime } from '../../page/words.ts'
import type { Hit, HitSnippet } from '../../verbs/types.ts'
import { addressOf, get } from '../api.ts'
import type { Hits } from '../data.ts'
import { during, useApi, usePageScroll, useSettled, useTitle } from '../hooks.ts'
import { useKeys } from '../keys.ts'
import { Empty, Loading, Problem } from '../parts.tsx'
import { go, href } from '../router.ts'
import { View } from '../shell.tsx'

const SETTLED_MS = 250
const PAGE = 30

/** The search through all sessions. */
export function SearchView({ query }: { readonly query: URLSearchParams }): VNode {
  const asked = query.get('q') ?? ''
  const [typed, setTyped] = useState(asked)
  const words = useSettled(typed.trim(), SETTLED_MS)
  const written = useRef(asked)
  useEffect(() => {
    if (asked === written.current) return
    // The address was changed elsewhere.
    written.current = asked
    setTyped(asked)
  }, [asked])
  useEffect(() => {
    if (words === written.current) return
    written.current = words
    go(href(['search'], { q: words }), { replace: true })
  }, [words])
  const { data, error, isLoading } = useApi<Hits>(
    words === '' ? null : addressOf('/search', { query: words, limit: PAGE }),
  )
  const [more, setMore] = useState<{ readonly words: string; readonly pages: readonly Hits[] }>({
    words,
    pages: [],
  })
  const pages = data ? [data, ...(more.words === words ? more.pages : [])] : []
  const last = pages.at(-1)
  useTitle(words === '' ? 'Search' : words)
  usePageScroll(words, data !== undefined)
  useKeys([{ keys: '/', does: 'to the search field', run: () => document.getElementById('q')?.focus() }])
  const hits = pages.flatMap(({ items }) => items)
  return (
    <View name="page narrow" bar={{ crumbs: [{ text: 'Sessions', href: '#/' }, { text: 'Search' }] }}>
      <h1 class="vh">Search</h1>
      <label class="search big">
        <Icon name="search" />
        <span class="vh">Words, phrases, fields</span>
        <input
          id="q"
          class="grow"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          placeholder={'words, "a phrase", tool:bash, re:expression'}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      {words === '' ? (
        <Empty icon="search" title="All that was said, in all sessions">
          <p>
            Words and “phrases” are joined by AND. <code>re:</code> finds an expression.
          </p>
        </Empty>
      ) : error && !data ? (
        <Problem error={error} />
      ) : !data ? (
        <Loading />
      ) : hits.length === 0 ? (
        <Empty icon="search" title="Nothing was found">
          <p>Fewer words find more.</p>
        </Empty>
      ) : (
        <div aria-busy={isLoading}>
          <p class="note" role="status">
            {!last?.next ? counted(hits.length, 'hit') : `the first ${counted(hits.length, 'hit')}`}
          </p>
          <ul class="found">
            {hits.map((hit) => (
              <HitCard hit={hit} />
            ))}
          </ul>
          {last?.next && (
            <button
              class="common"
              onClick={() => {
                const after = last.next ?? undefined
                void during(
                  async () => {
                    const page = await get<Hits>(addressOf('/search', { query: words, limit: PAGE, after }))
                    setMore((former) => ({
                      words,
                      pages: former.words === words ? [...former.pages, page] : [page],
                    }))
                  },
                  () => setMore({ words, pages: [] }),
                )
              }}
            >
              more
            </button>
          )}
        </div>
      )}
    </View>
  )
}

const SPEAKERS = { user: 'you', assistant: 'the agent', tool: 'a tool', system: 'the system' } as const

function HitCard({ hit }: { readonly hit: Hit }): VNode {
  const { session, oid, title, prompt, role, time, snippets, others } = hit
  return (
    <li>
      <a class="card hit-card" href={href(['s', session], { e: oid })}>
        <div class="hd">
          <b class="ell">{title ?? prompt ?? session.slice(0, 8)}</b>
          {role !== null && <span class="faint">{SPEAKERS[role]}</span>}
          <span class="grow" />
          {others.length > 0 && <span class="faint">in {counted(others.length, 'other session')} too</span>}
          {time !== null && <span class="faint">{dateAndTime(time)}</span>}
        </div>
        {snippets.slice(0, 3).map((snippet) => (
          <Snippet snippet={snippet} />
        ))}
      </a>
    </li>
  )
}

function Snippet({ snippet: { text, spans, place, tool } }: { readonly snippet: HitSnippet }): VNode {
  const pieces: (VNode | string)[] = []
  let at = 0
  for (const { from, to } of spans) {
    pieces.push(text.slice(at, from), <mark class="m3">{text.slice(from, to)}</mark>)
    at = to
  }
  pieces.push(text.slice(at))
  return (
    <p class={place === 'tool' ? 'snip mono' : 'snip'}>
      {tool !== null && <span class="chip">{tool}</span>}
      {pieces}
    </p>
  )
}

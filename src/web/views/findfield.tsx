import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../page/icons.tsx'
import { cutTo, firstLine, grouped } from '../../page/words.ts'
import { addressOf } from '../api.ts'
import type { Hits, Session } from '../data.ts'
import { useApi, useSettled } from '../hooks.ts'

const SETTLED_MS = 180
const MIN_CHARS = 2
const MAX_HITS = 12

/** Finds what was said in a session. */
export function FindField({
  session,
  onFound,
}: {
  readonly session: Session
  readonly onFound: (oid: string) => void
}): VNode {
  const [typed, setTyped] = useState('')
  const words = useSettled(typed.trim(), SETTLED_MS)
  const isAsked = words.length >= MIN_CHARS
  const { data, error } = useApi<Hits>(
    isAsked ? addressOf('/search', { query: words, session: session.id, limit: MAX_HITS }) : null,
  )
  const hits = (data?.items ?? []).flatMap(({ oid, snippets: [snippet] }) =>
    oid === null || !snippet ? [] : [{ oid, text: firstLine(snippet.text) }],
  )
  return (
    <div class="find">
      <label class="search">
        <Icon name="search" />
        <span class="vh">Find in this session</span>
        <input
          class="grow"
          value={typed}
          placeholder={`Find in ${grouped(session.entries)} entries`}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setTyped('')
            const [first] = hits
            if (event.key === 'Enter' && first) onFound(first.oid)
          }}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      {isAsked && (
        <ul class="hits" aria-label="Found">
          {hits.map(({ oid, text }) => (
            <li>
              <button class="hit ell" onClick={() => onFound(oid)}>
                {cutTo(text, 120)}
              </button>
            </li>
          ))}
          {data && hits.length === 0 && <li class="note">nothing found</li>}
          {error && <li class="note">{error.detail}</li>}
        </ul>
      )}
    </div>
  )
}

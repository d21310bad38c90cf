import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { addTo } from '../../model/lists.ts'
import { editsOf, type FileEdit, patchIn } from '../../model/toolinput.ts'
import { languageOf } from '../../page/code.tsx'
import { Amounts, DiffView } from '../../page/diffview.tsx'
import { Icon } from '../../page/icons.tsx'
import { Output } from '../../page/toolrow.tsx'
import { counted, lastPart } from '../../page/words.ts'
import type { ToolPart, Turn } from '../../verbs/types.ts'
import { type ApiError, addressOf, get } from '../api.ts'
import type { Turns } from '../data.ts'
import { during, usePageScroll, useTitle } from '../hooks.ts'
import { Choice, Empty, Loading, Problem } from '../parts.tsx'
import { go, href } from '../router.ts'
import { View } from '../shell.tsx'

/** A change of a file, and the entry that asked for it. */
interface Change extends FileEdit {
  readonly oid: string
  readonly patch?: string
}

const MAX_TURNS = 600
const PAGE_TURNS = 60

/** The changes of files on one side of a comparison, file by file. */
export function DiffPage({ query }: { readonly query: URLSearchParams }): VNode {
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? '']
  const side = query.get('side') === 'a' ? 'a' : 'b'
  const range = side === 'b' ? `${a}..${b}` : `${b}..${a}`
  const { changes, error, isCut } = useEdits(a === '' || b === '' ? null : range, side === 'b' ? b : a)
  useTitle('Files changed')
  usePageScroll(range, changes !== undefined)
  const grouped = new Map<string, Change[]>()
  for (const one of changes ?? []) addTo(grouped, one.path, one)
  const files = [...grouped].toSorted(([x], [y]) => (x < y ? -1 : 1))
  return (
    <View
      name="cmp"
      bar={{
        crumbs: [{ text: 'Compare', href: href(['compare'], { r: [a, b] }) }, { text: 'Files' }],
      }}
    >
      <h1 class="vh">Files changed</h1>
      <div class="filters">
        <Choice
          label="Side"
          value={side}
          options={[
            ['a', `only in ${lastPart(a)}`],
            ['b', `only in ${lastPart(b)}`],
          ]}
          onChoose={(value) =>
            go(href(['diff'], { a, b, side: value === 'a' ? 'a' : undefined }), { replace: true })
          }
        />
        <span class="muted">
          {changes && `${counted(files.length, 'file')}, ${counted(changes.length, 'change')}`}
          {isCut && ' in the first turns'}
        </span>
      </div>
      {error ? (
        <Problem error={error} />
      ) : !changes ? (
        <Loading />
      ) : files.length === 0 ? (
        <Empty icon="file" title="No file was changed here">
          <p>Only changes that tool calls contain are known: what a command wrote is not.</p>
        </Empty>
      ) : (
        <div class="by-file">
          <nav class="file-list" aria-label="Files">
            {files.map(([path, those]) => (
              <button
                class="ell"
                title={path}
                onClick={() => document.getElementById(`f-${path}`)?.scrollIntoView({ block: 'start' })}
              >
                <Icon name="file" />
                <span class="ell grow">{lastPart(path)}</span>
                <span class="faint">{those.length}</span>
              </button>
            ))}
          </nav>
          <div>
            {files.map(([path, those]) => (
              <FileCard path={path} changes={those} />
            ))}
          </div>
        </div>
      )}
    </View>
  )
}

function FileCard({ path, changes }: { readonly path: string; readonly changes: readonly Change[] }): VNode {
  const before = changes.map((one) => one.before).join('\n')
  const after = changes.map((one) => one.after).join('\n')
  return (
    <details class="card file-card" id={`f-${path}`} open>
      <summary>
        <Icon name="down" />
        <span class="mono ell grow">{path}</span>
        <Amounts before={before} after={after} />
      </summary>
      {changes.map((one) => (
        <div class="file-change">
          <a class="link" href={href(['s', one.oid], { e: one.oid, b: one.oid })}>
            {one.oid.slice(0, 8)}
          </a>
          {one.patch === undefined ? (
            <DiffView
              before={one.before}
              after={one.after}
              language={languageOf(path)}
              label={`Change of ${path}`}
            />
          ) : (
            <Output text={one.patch} />
          )}
        </div>
      ))}
    </details>
  )
}

function useEdits(
  range: string | null,
  session: string,
): {
  readonly changes: readonly Change[] | undefined
  readonly error: ApiError | undefined
  readonly isCut: boolean
} {
  const [changes, setChanges] = useState<readonly Change[]>()
  const [error, setError] = useState<ApiError>()
  const [isCut, setCut] = useState(false)
  useEffect(() => {
    if (range === null) return undefined
    const aborter = new AbortController()
    const read = async (): Promise<void> => {
      const found: Change[] = []
      let after: string | undefined
      let turns = 0
      do {
        const query = { revision: range, tools: true, limit: PAGE_TURNS, after }
        const address = addressOf(`/sessions/${encodeURIComponent(session)}/turns`, query)
        const page: Turns = await get<Turns>(address, aborter.signal)
        turns += page.items.length
        found.push(...page.items.flatMap(changesIn))
        after = page.next ?? undefined
      } while (after !== undefined && turns < MAX_TURNS)
      setCut(after !== undefined)
      setChanges(found)
    }
    void during(read, setError)
    return () => aborter.abort()
  }, [range])
  return { changes, error, isCut }
}

const changesIn = ({ parts }: Turn): Change[] =>
  parts.flatMap((part) => (part.kind === 'tool' && part.result?.error !== true ? changesOf(part) : []))

function changesOf(part: ToolPart): Change[] {
  const call = { kind: 'toolCall', id: '', name: part.name ?? '', input: part.input } as const
  const edits = editsOf(call).map((edit): Change => ({ ...edit, oid: part.oid }))
  if (edits.length > 0) return edits
  const patch = patchIn(call)
  if (patch === undefined) return []
  return patch.split(/^(?=\*\*\* (?:Add|Update|Delete) File: )/m).flatMap((text): Change[] => {
    const [, path] = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(text) ?? []
    return path === undefined ? [] : [patched(path.trim(), text, part.oid)]
  })
}

/** Returns a patch as what was there before and after, as far as it says so. */
function patched(path: string, text: string, oid: string): Change {
  const lines = text.split('\n').slice(1)
  const sideOf = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => line.slice(1))
      .join('\n')
  return { path, oid, before: sideOf('-'), after: sideOf('+') }
}

import type { ComponentChildren, VNode } from 'preact'
import { colored } from './code.tsx'
import { lineDiff, type WordPiece, wordDiff } from './worddiff.ts'
import { counted } from './words.ts'

/** A line of a difference: the numbers that it has before and after. */
interface Row {
  readonly kind: 'same' | 'added' | 'removed'
  readonly left: number | null
  readonly right: number | null
  readonly text: ComponentChildren
}

/** More edits than these take too long to find: then all is removed and all added. */
const MAX_EDITS = 3000
const MAX_COMPARED_CHARS = 400_000
/** Longer lines are compared as wholes. */
const MAX_LINE = 2000
/** The lines shown around a change; longer stretches without one are folded. */
const AROUND = 3
const MAX_ROWS = 2000

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

function partsOf(before: string, after: string): readonly WordPiece[] {
  const found =
    before.length + after.length > MAX_COMPARED_CHARS ? undefined : lineDiff(before, after, MAX_EDITS)
  return (
    found ?? [
      { value: before, added: false, removed: true },
      { value: after, added: true, removed: false },
    ]
  )
}

/** Returns the lines of a difference, words that differ marked. */
function diffRows(before: string, after: string, language = ''): Row[] {
  const rows: Row[] = []
  let [left, right] = [1, 1]
  const parts = partsOf(before, after).filter(({ value }) => value !== '')
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1]
    const previous = parts[i - 1]
    const lines = linesOf(part.value)
    const others =
      part.removed && next?.added
        ? linesOf(next.value)
        : part.added && previous?.removed
          ? linesOf(previous.value)
          : []
    for (const [at, line] of lines.entries()) {
      const other = others.length === lines.length ? others[at] : undefined
      if (part.added)
        rows.push({ kind: 'added', left: null, right: right++, text: words(other, line, 'added', language) })
      else if (part.removed)
        rows.push({
          kind: 'removed',
          left: left++,
          right: null,
          text: words(other, line, 'removed', language),
        })
      else rows.push({ kind: 'same', left: left++, right: right++, text: colored(line, language) })
    }
  }
  return rows
}

function words(
  other: string | undefined,
  line: string,
  kind: 'added' | 'removed',
  language: string,
): ComponentChildren {
  if (other === undefined || other.length > MAX_LINE || line.length > MAX_LINE) return colored(line, language)
  const pieces = kind === 'added' ? wordDiff(other, line) : wordDiff(line, other)
  const shared = pieces.reduce((sum, one) => sum + (one.added || one.removed ? 0 : one.value.length), 0)
  // Lines that have little in common are read more easily without marks.
  if (shared < line.length / 3) return colored(line, language)
  return pieces
    .filter((piece) => (kind === 'added' ? !piece.removed : !piece.added))
    .map((piece) => (piece[kind] ? <mark>{piece.value}</mark> : piece.value))
}

/** How many lines were added and removed. */
export function Amounts({ before, after }: { readonly before: string; readonly after: string }): VNode {
  let [added, removed] = [0, 0]
  for (const part of partsOf(before, after)) {
    if (part.value === '') continue
    if (part.added) added += linesOf(part.value).length
    if (part.removed) removed += linesOf(part.value).length
  }
  return <PlusMinus added={added} removed={removed} />
}

/** Numbers of lines added and removed. */
const PlusMinus = ({ added, removed }: { readonly added: number; readonly removed: number }): VNode => (
  <span class="pm">
    {added > 0 && <span class="plus">+{added}</span>}
    {removed > 0 && <span class="minus">−{removed}</span>}
    {added + removed === 0 && <span class="faint">no change</span>}
  </span>
)

const SIGNS = { same: ' ', added: '+', removed: '−' } as const
const CLASSES = { same: '', added: 'a', removed: 'd' } as const

const line = (row: Row): VNode => (
  <tr class={CLASSES[row.kind]}>
    <td class="ln">{row.right ?? row.left}</td>
    <td class="sg">{SIGNS[row.kind]}</td>
    <td>{row.text}</td>
  </tr>
)

/** Returns the runs of rows: those to show, and how many are folded between them. */
function runsOf(rows: readonly Row[]): (readonly Row[] | number)[] {
  const near = new Set<number>()
  for (const [i, row] of rows.entries())
    if (row.kind !== 'same') for (let at = i - AROUND; at <= i + AROUND; at++) near.add(at)
  const runs: (Row[] | number)[] = []
  for (const [i, row] of rows.entries()) {
    const last = runs.at(-1)
    if (near.has(i) || rows.length <= 2 * AROUND) {
      if (Array.isArray(last)) last.push(row)
      else runs.push([row])
    } else if (typeof last === 'number') runs[runs.length - 1] = last + 1
    else runs.push(1)
  }
  return runs
}

interface DiffProps {
  readonly before: string
  readonly after: string
  readonly language?: string
  readonly label: string
}

/** A difference as plain lines: a file has no room for a table. */
export function DiffText({ before, after }: DiffProps): VNode {
  return (
    <pre class="out">
      {partsOf(before, after).map(({ value, added, removed }) => {
        const sign = added ? '+' : removed ? '-' : ' '
        const lines = value === '' ? [] : linesOf(value)
        const shown =
          added || removed || lines.length <= 2 * AROUND + 1
            ? lines
            : [...lines.slice(0, AROUND), '…', ...lines.slice(-AROUND)]
        const text = shown.map((one) => `${sign}${one}\n`).join('')
        return added || removed ? <span class={added ? 'in' : 'de'}>{text}</span> : text
      })}
    </pre>
  )
}

/** The difference of two texts, by lines. */
export function DiffView({ before, after, language = '', label }: DiffProps): VNode {
  const rows = diffRows(before, after, language)
  const shown = rows.slice(0, MAX_ROWS)
  return (
    <table class="diff" aria-label={label}>
      <colgroup>
        <col class="cl" />
        <col class="cs" />
        <col />
      </colgroup>
      <tbody>
        {runsOf(shown).map((run) =>
          typeof run === 'number' ? (
            <tr class="skip-lines">
              <td colSpan={3}>{counted(run, 'line')} without change</td>
            </tr>
          ) : (
            run.map(line)
          ),
        )}
        {rows.length > shown.length && (
          <tr class="skip-lines">
            <td colSpan={3}>{counted(rows.length - shown.length, 'further line')}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

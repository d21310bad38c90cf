import type { VNode } from 'preact'
import type { Turn } from '../model/turn.ts'
import { Code, PlainCode } from './code.tsx'
import { DiffText, DiffView } from './diffview.tsx'
import { escaped, type Forms, htmlOf } from './html.ts'
import { Icon, IconShapes, Mark, NamedIcon } from './icons.tsx'
import type { FoldProps, Look } from './look.ts'
import { STYLE } from './style.ts'
import { TurnView } from './turn.tsx'
import { agentName, counted, dateAndTime } from './words.ts'

/** The facts that a file states of its session. */
export interface FileHead {
  readonly id: string
  readonly title: string
  readonly format: string
  readonly folder: string | null
  readonly created: string | null
  readonly entries: number
}

/** Nothing runs, and nothing is read from elsewhere. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const FORMS: Forms = new Map<unknown, never>([
  [Code, PlainCode as never],
  [DiffView, DiffText as never],
  [Icon, NamedIcon as never],
])

/** Opens without a script. */
const FileFold = ({ class: name, line, body, open }: FoldProps): VNode => (
  <details class={name} open={open}>
    <summary class={name === 'tool-fold' ? 'tool' : undefined}>{line}</summary>
    {body()}
  </details>
)

/** Returns how turns are shown in a file. */
export const fileLook = (
  { format, folder }: Pick<FileHead, 'format' | 'folder'>,
  more: Pick<Look, 'after' | 'picture'>,
): Look => ({ zone: 'UTC', format, folder, Fold: FileFold, ...more })

const squeezed = (css: string): string => css.replace(/\/\*[^]*?\*\//g, '').replace(/\s+/g, ' ')

/** Returns the beginning of a page that needs nothing else: no script, no network. */
export const fileBegin = (head: FileHead): string => {
  const title = escaped(head.title)
  return (
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n` +
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n` +
    `<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="referrer" content="no-referrer">\n` +
    `<meta name="color-scheme" content="light dark">\n<title>${title}</title>\n<style>${squeezed(STYLE)}</style>\n` +
    `${htmlOf(<IconShapes />, FORMS)}\n<main class="read">\n${htmlOf(<Head head={head} />, FORMS)}\n`
  )
}

const Head = ({
  head: { id, title, format, folder, created, entries },
}: {
  readonly head: FileHead
}): VNode => (
  <header class="file-hd">
    <Mark />
    <h1>{title}</h1>
    <dl class="facts">
      <dt>Agent</dt>
      <dd>{agentName(format)}</dd>
      {created !== null && (
        <>
          <dt>Begun</dt>
          <dd>{dateAndTime(created, 'UTC')} UTC</dd>
        </>
      )}
      {folder !== null && (
        <>
          <dt>Folder</dt>
          <dd class="mono">{folder}</dd>
        </>
      )}
      <dt>Session</dt>
      <dd class="mono">{id}</dd>
      <dt>Length</dt>
      <dd>{counted(entries, 'entry', 'entries')}</dd>
    </dl>
  </header>
)

/** Returns a turn as a part of such a page. */
export const fileTurn = (turn: Turn, look: Look): string =>
  `${htmlOf(<TurnView turn={turn} look={look} />, FORMS)}\n`

/** Returns the line of a label. */
export const FileLabel = ({ name }: { readonly name: string }): VNode => <p class="setting">label: {name}</p>

/** The end of such a page. */
export const FILE_END = '<footer class="file-ft">written by sess</footer>\n</main>\n</html>\n'

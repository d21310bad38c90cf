import type { VNode } from 'preact'
import type { Turn } from '../model/turn.ts'
import { pageBegin, painted } from './filepage.tsx'
import { Mark } from './icons.tsx'
import type { FoldProps, Look } from './look.ts'
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

/** Returns the beginning of a page with a session. */
export const fileBegin = (head: FileHead): string =>
  `${pageBegin(head.title, 'read')}${painted(<Head head={head} />)}`

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
export const fileTurn = (turn: Turn, look: Look): string => painted(<TurnView turn={turn} look={look} />)

/** Returns the line of a label. */
export const FileLabel = ({ name }: { readonly name: string }): VNode => <p class="setting">label: {name}</p>

export { comparedBegin, comparedNone, comparedPair } from './comparefile.tsx'
export { PAGE_END as FILE_END } from './filepage.tsx'

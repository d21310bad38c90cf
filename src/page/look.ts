import type { ComponentChildren, FunctionComponent } from 'preact'
import type { ZoneName } from './words.ts'

/** A line, and what is below it once it is opened. */
export interface FoldProps {
  readonly class: string
  readonly line: ComponentChildren
  readonly body: () => ComponentChildren
  readonly open?: boolean
}

/** How a conversation is shown, here and in a file. */
export interface Look {
  readonly zone: ZoneName
  /** The format of the session: its agent speaks in it. */
  readonly format: string
  /** The folder of the session: paths in it are shown relative to it. */
  readonly folder: string | null
  /** Paints its body when it is opened, or at once. */
  readonly Fold: FunctionComponent<FoldProps>
  /** Returns what follows an entry: the attempts that part there. */
  readonly after?: (oid: string) => ComponentChildren
  /** The address of the data of an image, where the page has it. */
  readonly picture?: (oid: string, mediaType: string, bytes: number) => string | undefined
  /** The address of a session. */
  readonly session?: (id: string) => string | undefined
  /** The address of an entry. */
  readonly entry?: (oid: string) => string
}

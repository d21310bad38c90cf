import type { Awaitable } from '../../model/awaitable.ts'
import type { Backend } from '../../storage/backend.ts'
import type { Holder } from '../../storage/folder/holder.ts'
import type { HolderService } from './server.ts'

/** Readers are served by a snapshot where another process holds the database. */
export type Purpose = 'read' | 'write'

export interface LeaseOptions {
  /** Milliseconds to wait while another process holds the database. */
  readonly lockTimeout: number
  readonly holder: Holder
  /** Called each time the database was opened, before its first use. `isFenced` tells from then on whether it is fenced. */
  readonly onOpen?: (backend: Backend, isFenced: () => boolean) => Awaitable<void>
  /** Called each time before that database is closed. */
  readonly onClose?: () => void
  /** A folder that takes all that is written, over a snapshot that is kept until the end. */
  readonly scratch?: string | undefined
  /** The id of the store. */
  readonly store?: string
  /** Does work for other processes while this one holds the database. */
  readonly work?: HolderService['work']
  /** Reports progress besides that of the database. */
  readonly progress?: HolderService['progress']
}

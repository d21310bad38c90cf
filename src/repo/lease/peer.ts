import { readGeneration } from '../../storage/folder/folder.ts'
import { readHolder } from '../../storage/folder/holder.ts'
import { HolderClient, type Unanswered } from './client.ts'
import { Unreachable } from './detector.ts'
import { storeName } from './socket.ts'

/** Callbacks for events of the process that holds the database. */
interface Reports {
  readonly reached: () => void
  readonly left: () => void
  /** The failure detector suspects the holder that was met while a fencing token was current. */
  readonly silent: (generation: number) => void
}

/** Finds the process that holds a store's database, and keeps the connection to it. */
export class Peer {
  readonly #dir: string
  readonly #store: string
  readonly #reports: Reports
  readonly #unreachable = new Unreachable()
  #holder: HolderClient | undefined
  /** Why the holder and this process do not understand each other. */
  #refused: string | undefined

  constructor(dir: string, store: string, reports: Reports) {
    this.#dir = dir
    this.#store = store
    this.#reports = reports
  }

  get refused(): string | undefined {
    return this.#refused
  }

  /** The holder, while it is connected and takes requests. */
  get connected(): HolderClient | undefined {
    const holder = this.#holder
    return holder?.isOpen && !holder.isLeaving ? holder : undefined
  }

  /** Returns the holder, connecting to it if necessary, or undefined where none can be reached now. */
  async find(): Promise<HolderClient | undefined> {
    const known = this.#holder
    if (known?.isLeaving) {
      // Requests that it has come first, wherever they are done.
      await known.settled()
      known.close()
    }
    if (known?.isOpen) return known
    const generation = readGeneration(this.#dir)
    const holder = readHolder(this.#dir)
    // A holder without a socket closes the database soon after its last use.
    if (holder?.socket === '') return undefined
    const found = holder?.socket === undefined ? 'gone' : await this.#connect(holder.socket, generation)
    if (found instanceof HolderClient) {
      this.#unreachable.forget()
      this.#refused = undefined
      this.#holder = found
      this.#reports.reached()
      return found
    }
    if (typeof found === 'object') this.#refused = found.refused
    else if (found === 'silent' || this.#isUnreachable(holder)) this.#reports.silent(generation)
    return undefined
  }

  #isUnreachable(holder: object | undefined): boolean {
    return this.#unreachable.isSuspect(JSON.stringify(holder ?? null), performance.now())
  }

  #connect(socket: string, generation: number): ReturnType<typeof HolderClient.connect> {
    const onEnd = (why: Unanswered): void => {
      if (why === 'silent') this.#reports.silent(generation)
      else this.#reports.left()
    }
    return HolderClient.connect(socket, storeName(this.#store, this.#dir), onEnd)
  }

  close(): void {
    this.#holder?.close()
  }
}

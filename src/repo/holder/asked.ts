import type { Json } from '../../model/json.ts'
import type { HolderClient } from './client.ts'

/** The process that has the database, as it is asked: from one that does not answer the store is taken over. */
export class AskedHolder {
  readonly #client: HolderClient
  readonly #takeOver: () => void

  constructor(client: HolderClient, takeOver: () => void) {
    this.#client = client
    this.#takeOver = takeOver
  }

  get isOpen(): boolean {
    return this.#client.isOpen
  }

  get isLeaving(): boolean {
    return this.#client.isLeaving
  }

  settled(): Promise<void> {
    return this.#client.settled()
  }

  /** Has a piece of work done there: `gone` where it was not done, `lost` where nobody knows. */
  async work(name: string, of: Json): Promise<{ readonly value: Json } | 'gone' | 'lost'> {
    const answer = await this.#client.work(name, of)
    if (answer !== 'silent') return answer
    this.#takeOver()
    return 'lost'
  }

  /** Asks it to let the database go. */
  async yield(): Promise<void> {
    if ((await this.#client.yield()) === 'silent') this.#takeOver()
  }

  close(): void {
    this.#client.close()
  }
}

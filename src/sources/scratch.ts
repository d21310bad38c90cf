import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenedSource } from './content.ts'

/** A folder for files that live as long as an import: made when it is first needed, and only its user's. */
export class Scratch {
  readonly #prefix: string
  #dir: string | undefined
  #count = 0

  /** Its path begins with the prefix, in a folder that is only its user's too. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Gives a name in it that nothing has. */
  file(): string {
    this.#dir ??= mkdtempSync(this.#prefix)
    return join(this.#dir, String(this.#count++))
  }

  /** Writes chunks to a new file in it. What fails leaves none. */
  async keep(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<OpenedSource> {
    const file = this.file()
    const handle = openSync(file, 'wx', 0o600)
    let size = 0
    let done = false
    try {
      for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length; ) at += writeSync(handle, chunk, at)
        size += chunk.length
      }
      done = true
    } finally {
      closeSync(handle)
      if (!done) rmSync(file)
    }
    return { file, size, close: () => rmSync(file, { force: true }) }
  }

  /** Removes all of it. */
  close(): void {
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true, force: true })
    this.#dir = undefined
  }
}

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenedSource } from './content.ts'

/** A private folder for temporary files of an import. Created when it is first needed. */
export class Scratch {
  readonly #prefix: string
  #dir: string | undefined
  #count = 0

  /** `prefix` is the start of its path, in a folder that is private too. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Returns the path of a file in it that does not exist yet. */
  file(): string {
    this.#dir ??= mkdtempSync(this.#prefix)
    return join(this.#dir, String(this.#count++))
  }

  /** Writes chunks to a new file in it. Removes the file on an error. */
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

  close(): void {
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true, force: true })
    this.#dir = undefined
  }
}

import { rmSync } from 'node:fs'
import type { Level } from 'level'
import { KeyValueStore } from '../level/keyvaluestore.ts'
import { newLevel, openOwn } from '../leveldb/database.ts'
import { Rewrite } from '../rewrite/rewrite.ts'
import type { ContentEdits } from '../rewrite/scope.ts'
import { readGeneration } from './generation.ts'
import { newGenerationFolder, publishGeneration } from './takeover.ts'

/** Refs are alike, and compress better in larger parts. */
const DENSE_BLOCK_BYTES = 32 << 10

/** The database of a store's next generation, while it is made beside the one that holds it. */
export class NextGeneration {
  readonly rewrite: Rewrite
  readonly #dir: string
  readonly #generation: number
  readonly #folder: string
  readonly #level: Level<Uint8Array, Uint8Array>

  private constructor(
    dir: string,
    generation: number,
    folder: string,
    level: Level<Uint8Array, Uint8Array>,
    revision?: ContentEdits,
  ) {
    this.#dir = dir
    this.#generation = generation
    this.#folder = folder
    this.#level = level
    this.rewrite = new Rewrite(dir, new KeyValueStore(level, () => undefined), revision)
  }

  /** Begins it with an empty database. */
  static async begin(dir: string, revision?: ContentEdits): Promise<NextGeneration> {
    const generation = readGeneration(dir)
    const folder = newGenerationFolder(dir, generation)
    const level = newLevel(folder, true, DENSE_BLOCK_BYTES)
    try {
      await openOwn(level)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
    return new NextGeneration(dir, generation, folder, level, revision)
  }

  /** Has it hold the store from now on, and tells whether it does: see `publish`. */
  async publish(): Promise<boolean> {
    await this.#level.close()
    // What was written last is in LevelDB's log, which it makes a table of when it opens: better now than by others.
    await openOwn(this.#level)
    await this.#level.close()
    return publishGeneration(this.#dir, this.#generation, this.#folder)
  }

  /** Removes what is left of it, where it was not published. */
  async remove(): Promise<void> {
    await this.#level.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

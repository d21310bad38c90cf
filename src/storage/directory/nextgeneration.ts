import { rmSync } from 'node:fs'
import type { Level } from 'level'
import type { Density } from '../levelbackend/compression.ts'
import { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { newLevel, openOwn } from '../leveldb/database.ts'
import { Rewrite } from '../rewrite/rewrite.ts'
import type { ContentEdits } from '../rewrite/scope.ts'
import { newGenerationFolder, publishGeneration, readGeneration } from './generation.ts'

/** The block size of its tables: refs are similar, and compress better in larger blocks. */
const DENSE_BLOCK_BYTES = 32 << 10

/** How a database is rewritten. */
export interface RewriteChoices {
  readonly density: Density
  readonly revision?: ContentEdits | undefined
}

/** The database of a store's next generation, while it is made. */
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
    { density, revision }: RewriteChoices,
  ) {
    this.#dir = dir
    this.#generation = generation
    this.#folder = folder
    this.#level = level
    this.rewrite = new Rewrite(dir, new KeyValueStore(level, () => undefined), density, revision)
  }

  /** Starts it with an empty database. */
  static async begin(dir: string, choices: RewriteChoices): Promise<NextGeneration> {
    const generation = readGeneration(dir)
    const folder = newGenerationFolder(dir, generation)
    const level = newLevel(folder, true, DENSE_BLOCK_BYTES)
    try {
      await openOwn(level)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
    return new NextGeneration(dir, generation, folder, level, choices)
  }

  /** Returns whether it still follows the current generation of the store. */
  isNext(): boolean {
    return readGeneration(this.#dir) === this.#generation
  }

  /** Makes it the current generation of the store. Returns whether it is: see `publishGeneration`. */
  async publish(): Promise<boolean> {
    await this.#level.close()
    // LevelDB turns its log into a table when it opens: done here, so that the next process need not.
    await openOwn(this.#level)
    await this.#level.close()
    return publishGeneration(this.#dir, this.#generation, this.#folder)
  }

  /** Removes its folder, unless it was published. */
  async remove(): Promise<void> {
    await this.#level.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

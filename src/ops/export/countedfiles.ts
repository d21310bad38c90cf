import { type NamedFile, type WrittenFile, writeNewFile, writeNewFiles } from '../../files/newfile.ts'
import type { Files } from './destinations.ts'

/** How files are written for a caller that waits for them. */
interface CountedWriting {
  /** Only count the bytes; write nothing. */
  readonly dryRun: boolean
  /** Called before each part. Throws where the call was cancelled: then no new file is left, and the former one stays. */
  readonly checkStop: () => void
  /** Called with the number of bytes that were written so far. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Returns what writes new files, can be stopped, and reports how much it has written. */
export function countedFiles({ dryRun, checkStop, onBytes }: CountedWriting): Files {
  let bytes = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      checkStop()
      bytes += chunk.length
      onBytes?.(bytes)
      yield chunk
    }
  }
  return {
    dryRun,
    file: (path, pieces, options): Promise<WrittenFile> =>
      writeNewFile(path, counted(pieces), { ...options, dryRun }),
    folder: (path, files, options): Promise<WrittenFile> => {
      async function* all(): AsyncGenerator<NamedFile> {
        for await (const { name, chunks } of files) yield { name, chunks: counted(chunks) }
      }
      return writeNewFiles(path, all(), { ...options, dryRun })
    },
  }
}

import { resolve } from 'node:path'
import {
  type NamedFile,
  type NamedFiles,
  type NewFileOptions,
  type WrittenFile,
  writeNewFile,
  writeNewFiles,
} from '../files/newfile.ts'
import { sized } from '../text/text.ts'
import type { Invocation } from './invocation.ts'
import { during } from './progress.ts'

/**
 * Writes chunks to a new file that only the user may read; in a dry run counts them. Throws `exists` where there is
 * one, unless it is forced. What fails or is stopped midway leaves no file, and the one that was there.
 */
export function writeNew(
  call: Invocation,
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { force = false }: Pick<NewFileOptions, 'force'> = {},
): Promise<WrittenFile> {
  const path = resolve(call.platform.env.cwd, file)
  return withProgress(call, (counted) => writeNewFile(path, counted(chunks), { force, dryRun: call.dryRun }))
}

/** Writes files to a folder, each new; in a dry run counts them. Throws as `writeNewFiles`, and leaves nothing then. */
export function writeFolder(
  call: Invocation,
  folder: string,
  files: NamedFiles,
  { force = false }: Pick<NewFileOptions, 'force'> = {},
): Promise<WrittenFile> {
  const path = resolve(call.platform.env.cwd, folder)
  return withProgress(call, (counted) => {
    async function* all(): AsyncGenerator<NamedFile> {
      for await (const { name, chunks: parts } of files) yield { name, chunks: counted(parts) }
    }
    return writeNewFiles(path, all(), { force, dryRun: call.dryRun })
  })
}

/** Runs a write that can be stopped, with progress. */
function withProgress(
  call: Invocation,
  work: (counted: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) => Promise<WrittenFile>,
): Promise<WrittenFile> {
  let bytes = 0
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      call.checkStop()
      bytes += chunk.length
      yield chunk
    }
  }
  return call.finish(
    during(
      call,
      () => ({ text: `writing: ${sized(bytes)}` }),
      () => work(counted),
    ),
  )
}

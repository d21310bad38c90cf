import { type FileHandle, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import { writeError } from './writeerror.ts'

/**
 * Writes pieces to a new file that only the user may read. Throws `exists` where there is one: nothing is
 * ever overwritten. What fails midway leaves no file.
 */
export async function writeNew(
  file: string,
  cwd: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const path = resolve(cwd, file)
  let handle: FileHandle | undefined
  let bytes = 0
  try {
    for await (const piece of pieces) {
      handle ??= await opened(path)
      await handle.writeFile(piece)
      bytes += piece.length
    }
    handle ??= await opened(path)
    await handle.sync()
    await handle.close()
  } catch (error) {
    await handle?.close()
    if (handle) await rm(path)
    throw error instanceof SessError ? error : writeError(path, error)
  }
  return { path, bytes }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    throw writeError(path, error)
  }
}

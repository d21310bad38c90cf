import { type FileHandle, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SessError } from '../model/errors.ts'

/**
 * Writes pieces to a new file that only the user may read. Throws `exists` where there is one: nothing is ever
 * overwritten. What fails midway leaves no file.
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
    throw error instanceof SessError ? error : failed(path, error)
  }
  return { path, bytes }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    throw failed(path, error)
  }
}

function failed(path: string, cause: unknown): SessError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EEXIST')
    return new SessError('exists', path, { hint: 'choose another file; nothing was overwritten', cause })
  if (code === 'ENOSPC') return new SessError('no-space', path, { cause })
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new SessError('cannot-write', path, { detail, cause })
}

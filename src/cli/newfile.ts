import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { Call } from './call.ts'
import { during } from './progress.ts'
import { sized } from './render/text.ts'
import { exists, writeError } from './writeerror.ts'

interface Written {
  readonly path: string
  readonly bytes: number
}

/**
 * Writes pieces to a new file that only the user may read; in a dry run counts them. Throws `exists` where there is
 * one: nothing is ever overwritten. What fails or is stopped midway leaves no file.
 */
export function writeNew(call: Call, file: string, pieces: AsyncIterable<Uint8Array>): Promise<Written> {
  const path = resolve(call.world.env.cwd, file)
  let bytes = 0
  async function* told(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      call.checkStop()
      bytes += piece.length
      yield piece
    }
  }
  const work = (): Promise<Written> => (call.dryRun ? measured(path, told()) : written(path, told()))
  return call.finish(during(call, () => ({ text: `writing: ${sized(bytes)}` }), work))
}

async function measured(path: string, pieces: AsyncIterable<Uint8Array>): Promise<Written> {
  if (existsSync(path)) throw exists(path)
  let bytes = 0
  for await (const piece of pieces) bytes += piece.length
  return { path, bytes }
}

async function written(path: string, pieces: AsyncIterable<Uint8Array>): Promise<Written> {
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

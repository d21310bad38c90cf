import { lstatSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { Call } from './call.ts'
import { during } from './progress.ts'
import { sized } from './render/text.ts'
import { exists, writeError } from './writeerror.ts'

/** A file that was written. */
export interface Written {
  readonly path: string
  readonly bytes: number
  /** How many bytes the file had that was replaced; null where there was none. */
  readonly replaced: number | null
}

interface NewFileOptions {
  /** Replace a file that is there, once all is written. */
  readonly force?: boolean
}

/**
 * Writes pieces to a new file that only the user may read; in a dry run counts them. Throws `exists` where there is
 * one, unless it is forced. What fails or is stopped midway leaves no file, and the one that was there.
 */
export function writeNew(
  call: Call,
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  { force = false }: NewFileOptions = {},
): Promise<Written> {
  const path = resolve(call.world.env.cwd, file)
  let bytes = 0
  async function* told(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      call.checkStop()
      bytes += piece.length
      yield piece
    }
  }
  const work = async (): Promise<Written> => {
    const replaced = sizeAt(path, force)
    if (call.dryRun) for await (const _ of told());
    else if (replaced === null) await write(path, told())
    else {
      const beside = `${path}.new`
      await write(beside, told())
      await rename(beside, path).catch((cause: unknown) => {
        throw writeError(path, cause)
      })
    }
    return { path, bytes, replaced }
  }
  return call.finish(during(call, () => ({ text: `writing: ${sized(bytes)}` }), work))
}

/** Makes a folder and those above it, for the user alone, where they are not there. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw writeError(path, error)
  }
}

/**
 * Gives how many bytes the file has that is to be replaced, null where there is none. Throws `exists` where it must stay:
 * where nothing is forced, and always what is no plain file.
 */
function sizeAt(path: string, force: boolean): number | null {
  const found = statAt(path)
  if (found === undefined) return null
  if (!force || !found.isFile()) throw exists(path)
  return found.size
}

function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw writeError(path, error)
  }
}

async function write(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let handle: FileHandle | undefined
  try {
    for await (const piece of pieces) {
      handle ??= await opened(path)
      await handle.writeFile(piece)
    }
    handle ??= await opened(path)
    await handle.sync()
    await handle.close()
  } catch (error) {
    await handle?.close()
    if (handle) await rm(path)
    throw error instanceof SessError ? error : writeError(path, error)
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    throw writeError(path, error)
  }
}

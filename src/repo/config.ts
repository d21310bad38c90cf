import { readFileSync, statSync } from 'node:fs'
import { SessError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import { isMissing, readText } from '../storage/directory/files.ts'
import { NOT_FILE, problemAt } from '../storage/directory/safefile.ts'
import { unreadableError } from '../storage/ioerrors.ts'

/**
 * Returns the settings in a file, or `{}` where there is no file. With `links` the file may be a symbolic link: the
 * user's own file may, one in a store may not, because a store may come from somebody else. Throws `bad-config` where
 * the path is not a regular file or does not hold a JSON object, and `unreadable-path`.
 */
export function readConfig(path: string, { links = false } = {}): JsonObject {
  const text = links ? readLinked(path) : readPlain(path)
  if (text === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : ''
    throw new SessError('bad-config', path, { detail, cause })
  }
  if (!isObject(value as JsonObject))
    throw new SessError('bad-config', path, { detail: 'it is no JSON object' })
  return value as JsonObject
}

const noFile = (path: string, detail: string): SessError => new SessError('bad-config', path, { detail })

function readPlain(path: string): string | undefined {
  const problem = problemAt(path)
  if (problem !== undefined) throw noFile(path, problem)
  return readText(path)
}

function readLinked(path: string): string | undefined {
  try {
    // Reading a FIFO would wait for a writer.
    if (!statSync(path).isFile()) throw noFile(path, NOT_FILE)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error instanceof SessError ? error : unreadableError(path, error)
  }
}

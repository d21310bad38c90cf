import { readFileSync, statSync } from 'node:fs'
import { SessError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import { readText } from '../storage/directory/files.ts'
import { NOT_FILE, problemAt } from '../storage/directory/safefile.ts'

/**
 * Returns the settings in a file, or `{}` where there is no file. With `links` the file may be a symbolic link: the
 * user's own file may, one in a store may not, because a store may come from somebody else. Throws `bad-config` where
 * the path is not a regular file or does not hold a JSON object.
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
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  // Reading a FIFO would wait for a writer.
  if (!stats.isFile()) throw noFile(path, NOT_FILE)
  return readFileSync(path, 'utf8')
}

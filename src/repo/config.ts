import { dirname } from 'node:path'
import { SessError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import { makeFolder, readText, replaceFile } from '../storage/folder/folder.ts'
import { isNoFile, NO_FILE } from '../storage/folder/openfile.ts'

/** Gives what a file of settings says; nothing where there is no file. Throws `bad-config` where it is no file or no object. */
export function readConfig(path: string): JsonObject {
  if (isNoFile(path)) throw new SessError('bad-config', path, { detail: NO_FILE })
  const text = readText(path)
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

/** Writes a file of settings, whole or not at all; only the user may read it. Throws `cannot-write`. */
export function writeConfig(path: string, settings: JsonObject): void {
  makeFolder(dirname(path))
  try {
    replaceFile(path, `${JSON.stringify(settings, undefined, 2)}\n`)
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : ''
    throw new SessError('cannot-write', path, { detail, cause })
  }
}

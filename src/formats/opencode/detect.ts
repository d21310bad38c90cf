import { field, isObject, type Json } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { bundledIn, isBundle } from '../bundle.ts'
import type { Sample } from '../format.ts'

const utf8 = new TextDecoder()

/** How a source of OpenCode came: its own export, the files of a session, or the rows of one. */
type Shape = 'export' | 'files' | 'rows'

/** Gives how a source of OpenCode came, by its first bytes; undefined where it is none. */
export function shapeOf(head: Uint8Array): Shape | undefined {
  if (isBundle(head)) return isSession(firstFile(head)) ? 'files' : undefined
  const text = utf8.decode(head.subarray(0, 4096))
  if (text.startsWith('{"table":"session","row":{')) return /"project_id":/.test(text) ? 'rows' : undefined
  if (EXPORT.test(text) && /"projectID"\s*:/.test(text)) return 'export'
  return undefined
}

const EXPORT = /^\s*\{\s*"info"\s*:\s*\{/

function firstFile(head: Uint8Array): Json | undefined {
  const [first] = bundledIn(head).files
  return first && tryParse(utf8.decode(head.subarray(first.from, first.to)))
}

const isSession = (value: Json | undefined): boolean =>
  typeof field(value, 'projectID') === 'string' && typeof field(value, 'directory') === 'string'

/** Tells whether a source is a session of OpenCode, or one of the files that one was kept in. */
export const detect = ({ head, whole }: Sample): boolean =>
  shapeOf(head) !== undefined || (whole && head.length < 1 << 20 && isFile(tryParse(utf8.decode(head))))

function isFile(value: Json | undefined): boolean {
  if (!isObject(value)) return false
  const isPart = typeof value.type === 'string' && typeof value.messageID === 'string'
  const isMessage = typeof value.role === 'string' && typeof value.sessionID === 'string'
  return typeof value.id === 'string' && (isPart || isMessage || isSession(value))
}

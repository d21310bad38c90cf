import { type Json, jsonText, plain } from '../model/json.ts'
import { commandOf, editsOf, filesOf } from '../model/toolinput.ts'
import { type Block, summaryIn, type View } from '../model/view.ts'
import { nullable, string } from '../verbs/schema.ts'
import type { LogEntry } from '../verbs/types.ts'
import { CITED, cited } from './cited.ts'
import { lineOrNull } from './quoted.ts'

/** Returns the arguments of a tool call as text: its command, its edits, the files that it reads, or else JSON. */
export function askedText(name: string | null, input: Json): string {
  if (name === null) return jsonText(plain(input))
  const call = { kind: 'toolCall', id: '', name, input } as const
  const command = commandOf(call)
  if (command !== undefined) return command
  const edits = editsOf(call).map(({ path, before, after }) =>
    before === '' ? `${path}: ${after}` : `${path}: ${before} => ${after}`,
  )
  if (edits.length > 0) return edits.join('\n')
  const deeds = filesOf(call)
  const isRead = deeds.length > 0 && deeds.every(({ does }) => does === 'read')
  return isRead ? deeds.map(({ path }) => path).join(', ') : jsonText(plain(input))
}

/** Returns what an entry says, with its calls and results, as text for people. */
export function textOfView({ blocks, effect, note }: View): string {
  const said = [...blocks.map(blockText), summaryIn(effect) ?? ''].filter((text) => text !== '')
  return said.length > 0 ? said.join('\n') : (note ?? '')
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'thinking':
      return block.text
    case 'toolCall':
      return `${block.name}: ${askedText(block.name, block.input)}`
    case 'toolResult':
      return `${block.error ? 'error' : 'result'}: ${block.text}`
    case 'image':
      return `[image ${block.mediaType}, ${block.bytes} bytes]`
  }
}

/** The properties of an entry in a list. */
export const LISTED = { ...CITED, role: nullable(string), text: nullable(string) }

/** Returns an entry for a list, with the beginning of what it says. */
export const listedEntry = (
  entry: Pick<LogEntry, 'session' | 'oid' | 'time' | 'role' | 'view'>,
  limit: number,
): object => ({ ...cited(entry), role: entry.role, text: lineOrNull(textOfView(entry.view), limit) })

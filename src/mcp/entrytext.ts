import { type Json, jsonText, plain } from '../model/json.ts'
import { commandOf } from '../model/toolinput.ts'
import { type Block, summaryIn, type View } from '../model/view.ts'
import { nullable, string } from '../verbs/schema.ts'
import type { LogEntry } from '../verbs/types.ts'
import { lineOrNull, type Quoted } from './quoted.ts'
import { CITED } from './tool.ts'

/** Returns the arguments of a tool call as text: its command, or JSON. */
export function askedText(name: string | null, input: Json): string {
  const command = name === null ? undefined : commandOf({ kind: 'toolCall', id: '', name, input })
  return command ?? jsonText(plain(input))
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

type ListedData = Pick<LogEntry, 'session' | 'oid' | 'time' | 'role'> & { readonly text: Quoted | null }

/** Returns an entry for a list, with the beginning of what it says. */
export const listedEntry = (
  { session, oid, time, role, view }: Pick<LogEntry, 'session' | 'oid' | 'time' | 'role' | 'view'>,
  limit: number,
): ListedData => ({
  session,
  oid,
  time,
  role,
  text: lineOrNull(textOfView(view), limit),
})

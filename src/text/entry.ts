import { short } from '../model/encoding/oid.ts'
import { isObject, plain } from '../model/json.ts'
import { ownWords } from '../model/prompt.ts'
import { firstResultLine } from '../model/resultline.ts'
import { commandOf, filesOf } from '../model/toolinput.ts'
import { type Block, type Effect, type Role, summaryIn, type View } from '../model/view.ts'
import type { LogEntry } from '../verbs/types.ts'
import { type Display, firstLine, type Line, sized, styled, type TextStyle } from './text.ts'
import { minute } from './time.ts'
import { cut, pad, widthOf } from './width.ts'

/** Marks an entry that a graft joins to its parent. */
export const GRAFTED = 'graft'

const LOOKS: Readonly<Record<Role, TextStyle>> = {
  user: 'green',
  assistant: 'blue',
  tool: 'magenta',
  system: 'cyan',
}

/** Returns the style of a role. */
export const lookOf = (role: Role | null): TextStyle => (role === null ? 'dim' : LOOKS[role])

/** The longest role. */
const ROLE = 'assistant'.length

interface EntryLook extends Display {
  /** The names of branches and labels, by oid. */
  readonly names: ReadonlyMap<string, string>
  /** The short ids of sessions, where each line names that of its entry. */
  readonly sessions?: ReadonlyMap<string, string>
}

/** The columns of a session's id. */
const SESSION = 8

/** Returns an entry as one line: oid, time, its session where that is asked for, role, branches, summary. */
export function entryLine(entry: LogEntry, { columns, zone, names, sessions }: EntryLook): Line {
  const { oid, time, role, view, type, grafted, session } = entry
  const name = [names.get(oid) ?? [], grafted ? GRAFTED : []].flat().join(', ')
  const decoration = name === '' ? '' : `(${firstLine(name)}) `
  const id = firstLine(sessions?.get(session ?? '') ?? session ?? '-')
  const owner = sessions ? `${pad(id, SESSION)}  ` : ''
  const left = columns - 10 - 16 - ROLE - 6 - widthOf(decoration) - widthOf(owner)
  return [
    styled('yellow', short(oid)),
    '  ',
    styled('dim', minute(time, zone)),
    '  ',
    ...(owner === '' ? [] : [styled('yellow', owner)]),
    styled(lookOf(role), pad(role ?? '-', ROLE)),
    '  ',
    styled('cyan', decoration),
    cut(summaryOf(view, type), Math.max(10, left)),
  ]
}

/** Returns an entry in one line; its type if it has neither text nor effect. */
export function summaryOf(view: View, type: string): string {
  const { blocks, effect, sets, note } = view
  const parts: string[] = []
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const words = firstNonBlank([ownWords(view) ?? '', ...texts])
  if (words !== undefined) parts.push(words)
  else if (effect) parts.push(firstLine(summaryIn(effect) ?? (effect.kind === 'merge' ? effect.from : '')))
  for (const block of blocks)
    if (block.kind !== 'text') parts.push(summaryOfBlock(block, words !== undefined))
  // Each reply names its model: it is shown only if there is nothing else.
  if (parts.length > 0) return [kindOf(effect), ...parts].filter(Boolean).join('  ')
  if (sets?.model) parts.push(`model: ${firstLine(sets.model.id)}`)
  if (sets?.thinking !== undefined) parts.push(`thinking: ${firstLine(sets.thinking)}`)
  if (sets?.mode !== undefined) parts.push(`mode: ${firstLine(sets.mode)}`)
  if (note !== undefined) parts.push(`[${firstLine(note)}]`)
  return [kindOf(effect), ...parts].filter(Boolean).join('  ') || `[${firstLine(type)}]`
}

/** Returns the first line of the first text that has one. */
function firstNonBlank(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const line = firstLine(text)
    if (line !== '') return line
  }
  return undefined
}

const kindOf = (effect: Effect | undefined): string => (effect === undefined ? '' : `[${effect.kind}]`)

function summaryOfBlock(block: Block, brief: boolean): string {
  switch (block.kind) {
    case 'text':
      return firstLine(block.text)
    case 'thinking':
      return brief ? '' : `(thinking) ${firstLine(block.text)}`
    case 'toolCall':
      return `→ ${firstLine(block.name)} ${brief ? fileOf(block) : inputOf(block)}`.trimEnd()
    case 'toolResult':
      return `${block.error ? '✗' : '←'} ${firstLine(firstResultLine(block.text))}`.trimEnd()
    case 'image':
      return `[${firstLine(block.mediaType)}, ${sized(block.bytes)}]`
  }
}

/** Returns the file that a call names; '' if it names none. */
const fileOf = (call: Block & { kind: 'toolCall' }): string => firstLine(filesOf(call)[0]?.path ?? '')

/** Returns the arguments of a call in short: its texts, or its command where that is a list of words. */
function inputOf(call: Block & { kind: 'toolCall' }): string {
  const input = plain(call.input)
  const values = isObject(input) ? Object.values(input) : [input]
  const texts = values.filter((value) => typeof value === 'string')
  const command = commandOf(call)
  return command === undefined || texts.includes(command)
    ? texts.map(firstLine).join(' ')
    : firstLine(command)
}

import type { Subagent } from '../verbs/types.ts'
import { counted, firstLine, type Line, rounded, styled } from './text.ts'
import { cut, widthOf } from './width.ts'

/** How many sub-agents of one entry or of one sub-agent are shown. */
const SHOWN = 12

/** The beginning of an id that is shown: of a sub-agent of Claude Code, with the word that begins it. */
const SHORT = /^(?:agent-)?.{1,8}/

interface SubagentLook {
  readonly columns: number
  readonly ascii?: boolean
  /** Show whole ids, those of the entry's own sub-agents without a mark. */
  readonly whole?: boolean
}

/** Returns a line for each sub-agent that an entry started, those that it started itself below it. */
export function subagentLines(agents: readonly Subagent[] | undefined, look: SubagentLook): Line[] {
  return agents ? linesOf(agents, look, 0) : []
}

function linesOf(agents: readonly Subagent[], look: SubagentLook, depth: number): Line[] {
  const shown = agents.slice(0, SHOWN)
  const left = agents.length - shown.length
  const indent = '  '.repeat(depth)
  return [
    ...shown.flatMap((agent) => [lineOf(agent, look, indent), ...linesOf(agent.agents, look, depth + 1)]),
    ...(left > 0 ? [[styled('dim', `${indent}… ${counted(left, 'more sub-agent')}`)]] : []),
  ]
}

function lineOf(
  agent: Subagent,
  { columns, ascii = false, whole = false }: SubagentLook,
  indent: string,
): Line {
  const { id, type, description } = agent
  const mark = whole && indent === '' ? '' : `${indent}${ascii ? '`-' : '↳'} `
  const name = firstLine(whole ? id : (SHORT.exec(id)?.[0] ?? id))
  const numbers = `  ${numbersOf(agent)}`
  const words = [type, description].flatMap((text) => (text ? [firstLine(text)] : [])).join(': ')
  const left = columns - widthOf(mark) - widthOf(name) - widthOf(numbers) - 2
  return [
    styled('dim', mark),
    styled('yellow', name),
    ...(words === '' ? [] : ['  ', cut(words, Math.max(16, left))]),
    styled('dim', numbers),
  ]
}

/** Returns the numbers of a sub-agent's own entries, tool calls and tokens. */
function numbersOf({ session, entries, calls, tokens }: Subagent): string {
  if (session === null) return 'not imported'
  const parts = [counted(entries ?? 0, 'entry')]
  if (calls) parts.push(counted(calls, 'tool'))
  if (tokens) parts.push(`${rounded(tokens)} tok`)
  return parts.join(', ')
}

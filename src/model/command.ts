import { field, isObject, type Json, plain } from './json.ts'
import type { Block } from './view.ts'

/** The names of tools that run commands, in small letters, without what joins their words. */
const RUNNERS =
  /^(?:bash|shell(?:exec|command)?|localshell|exec(?:ute)?(?:command)?|run(?:shellcommand|terminalcmd|(?:in)?terminal|commands?))$/

const COMMANDS = ['command', 'cmd', 'commands', 'script'] as const

/**
 * Returns the command line that a tool call runs, or undefined. For an argument list that starts a shell, returns the
 * script of the shell.
 */
export function commandOf({ name, input }: Extract<Block, { kind: 'toolCall' }>): string | undefined {
  if (!RUNNERS.test(name.toLowerCase().replace(/[^a-z]/g, ''))) return undefined
  const value = plain(input)
  const command = isObject(value) ? COMMANDS.map((key) => field(value, key)).find((said) => said) : value
  if (typeof command === 'string') return command
  const words = listOf(command)
  const inShell = /^(?:\S*\/)?(?:ba|da|z)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '')
  return words.slice(inShell ? 2 : 0).join(' ') || undefined
}

const listOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter((word) => typeof word === 'string') : []

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { Variables } from '../model/variables.ts'

/** How an agent is started for one run. */
export interface RunnableAgent {
  /** The name of its format. */
  readonly name: string
  readonly title: string
  readonly program: string
  /** The format in which a session is written for it, where it can be. */
  readonly format: string
  /** Returns the words that give a first prompt, with the terminal. */
  readonly prompt: (text: string) => readonly string[]
  /** The words that answer one prompt without a terminal. */
  readonly print: (text: string) => readonly string[]
  /** The words with which it keeps no session: with a terminal, and without. */
  readonly noSession?: { readonly terminal?: readonly string[]; readonly print?: readonly string[] }
}

/** The agents that can be started. */
const RUNNABLE: readonly RunnableAgent[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    program: 'claude',
    format: 'claude-code',
    prompt: (text) => [text],
    print: (text) => ['-p', text],
    noSession: { print: ['--no-session-persistence'] },
  },
  {
    name: 'codex',
    title: 'Codex',
    program: 'codex',
    format: 'codex',
    prompt: (text) => [text],
    print: (text) => ['exec', text],
    noSession: { print: ['--ephemeral'] },
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    program: 'gemini',
    format: 'gemini-cli',
    prompt: (text) => ['-i', text],
    print: (text) => ['-p', text],
  },
  {
    name: 'pi',
    title: 'pi',
    program: 'pi',
    format: 'pi',
    prompt: (text) => [text],
    print: (text) => ['-p', text],
    noSession: { terminal: ['--no-session'], print: ['--no-session'] },
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    program: 'opencode',
    format: 'opencode',
    prompt: (text) => ['--prompt', text],
    print: (text) => ['run', text],
  },
]

/** The names by which agents are started: that of the format, and that of the program. */
export const RUNNABLE_NAMES: readonly string[] = [
  ...new Set(RUNNABLE.flatMap(({ name, program }) => [program, name])),
]

/** Returns the agent of a name. Throws `bad-usage`. */
export function runnableAgent(name: string): RunnableAgent {
  const found = RUNNABLE.find((one) => one.name === name || one.program === name)
  if (found) return found
  throw new SessError('bad-usage', `sess starts no agent '${name}'`, {
    typed: name,
    choices: RUNNABLE_NAMES,
    hint: `it starts ${RUNNABLE.map(({ program }) => program).join(', ')}`,
  })
}

/** Throws `not-started` where an agent's program is in none of the folders in which the system looks for programs. */
export function checkProgram({ program, title }: RunnableAgent, { PATH }: Variables): void {
  if (PATH === undefined || PATH.split(delimiter).some((folder) => isProgram(join(folder, program)))) return
  throw new SessError('not-started', program, { hint: `install ${title}` })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // missing, or not the user's to run
  }
}

/** The parts of the command line of a run. */
export interface RunRequest {
  readonly agent: RunnableAgent
  /** The command that continues a session; the agent's program alone for a new one. */
  readonly command?: readonly string[]
  readonly prompt?: string | undefined
  readonly print: boolean
  readonly keeps: boolean
  /** The words by which the agent has hooks. */
  readonly hooks?: readonly string[]
  /** Further words, as they were typed. */
  readonly words: readonly string[]
}

/** The longest prompt, in bytes: a system takes no longer word. */
const MAX_PROMPT = 120_000

/** Returns the command line of a run. Throws `bad-usage` for what the agent cannot do. */
export function runCommandLine({
  agent,
  command,
  prompt,
  print,
  keeps,
  hooks = [],
  words,
}: RunRequest): readonly string[] {
  const [program = agent.program, ...continuing] = command ?? []
  const start = [program, ...hooks, ...continuing]
  if (print && prompt === undefined)
    throw new SessError('bad-usage', 'there is no prompt', {
      hint: "give one with --prompt, or on standard input: echo 'What is a tide?' | sess run AGENT -p",
    })
  const text = prompt === undefined ? undefined : plainPrompt(prompt)
  const asks =
    text === undefined ? [] : print ? printing(agent, text, command !== undefined) : agent.prompt(text)
  const none = keeps ? [] : noSession(agent, print)
  // A subcommand comes first, then options, then the prompt.
  const [first, ...rest] = asks
  const isSubcommand = print && first !== undefined && /^[a-z]+$/.test(first)
  return isSubcommand ? [...start, first, ...none, ...words, ...rest] : [...start, ...none, ...words, ...asks]
}

function printing(agent: RunnableAgent, text: string, continues: boolean): readonly string[] {
  const words = agent.print(text)
  if (continues && /^[a-z]+$/.test(words[0] ?? ''))
    throw new SessError('bad-usage', `${agent.title} continues no session without a terminal`, {
      hint: 'leave out -p',
    })
  return words
}

function noSession({ title, noSession: ways = {} }: RunnableAgent, print: boolean): readonly string[] {
  const words = print ? ways.print : ways.terminal
  if (words) return words
  throw new SessError('bad-usage', `${title} keeps every session${print ? '' : ' that has a terminal'}`, {
    hint: print || !ways.print ? 'leave out --no-session' : 'add -p, or leave out --no-session',
  })
}

/** Returns a prompt as one word that is no option. */
function plainPrompt(prompt: string): string {
  const text = prompt.trim()
  if (text === '') throw new SessError('bad-usage', 'the prompt is empty')
  if (new TextEncoder().encode(text).length > MAX_PROMPT || text.includes('\0'))
    throw new SessError('bad-usage', 'the prompt is too long for a command line', {
      hint: 'write it to a file, and ask the agent to read that',
    })
  return text.startsWith('-') ? ` ${text}` : text
}

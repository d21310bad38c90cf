import { hasCode, SessError } from '../model/errors.ts'
import { splitWords, typed } from '../text/shellwords.ts'
import { whole } from '../text/text.ts'
import { type Answer, type Command, type CommandTable, misuse, type Out } from './define.ts'
import type { Invocation } from './invocation.ts'
import { flagOf, type Option } from './parameters.ts'

/** A parsed command line: the parts of commander's command that count here. */
interface Parsed {
  readonly path: string
  readonly processedArgs: readonly unknown[]
  opts(): Readonly<Record<string, unknown>>
  getOptionValueSource(key: string): string | undefined
}

/** Runs a command with what was parsed, and prints its answer. */
export async function runCommand(
  call: Invocation,
  command: Command,
  parsed: Parsed,
  program: CommandTable,
): Promise<void> {
  const options = parsed.opts()
  call.dryRun = options.dryRun === true
  call.reads = command.effect === 'read'
  call.confirmsCurrent = !call.reads
  call.endless = command.endless ?? false
  if (command.paged) page(call)
  const given = givenOptions(command, parsed)
  check(command, given, parsed.path)
  const input: Record<string, unknown> = {}
  for (const [key, { off, value }] of Object.entries(command.options))
    if (options[key] !== undefined) input[key] = options[key]
    else if (!value) input[key] = off ?? false
    else if (command.options[key]?.list) input[key] = []
  for (const [i, [name, { list, current }]] of Object.entries(command.arguments).entries()) {
    const value = parsed.processedArgs[i] ?? (list ? [] : undefined)
    if (value !== undefined) input[name] = value
    else if (current) input[name] = '@'
  }
  if (command.effect === 'destructive' && !call.dryRun && options.yes !== true)
    await confirmDestructive(call, command)
  const release = command.reportsStop ? call.handleSignals() : undefined
  try {
    const run = async () => command.run?.(call, input, outOf(call), program)
    const answer = await withConfirmedSession(call, run)
    if (answer) await print(call, answer)
  } finally {
    release?.()
  }
  if (call.dryRun) await call.io.note('dry run: nothing was written')
}

/** Shows the output in a pager, if it goes to a terminal and the user wants one. */
function page(call: Invocation): void {
  const { io, platform, options, config } = call
  const plain = io.json || options.pager === false || platform.variables.TERM === 'dumb'
  const pager = config.value('pager')
  if (!plain && pager !== 'off') io.page(splitWords(pager) ?? [pager], () => call.handleSignals())
}

/** Returns by name how what was given on the command line is written in help. */
function givenOptions(command: Command, parsed: Parsed): Map<string, string> {
  const given = new Map<string, string>()
  for (const [i, [name, { list }]] of Object.entries(command.arguments).entries()) {
    const value = parsed.processedArgs[i]
    if (value !== undefined && !(list && (value as unknown[]).length === 0))
      given.set(name, termOf(name, command))
  }
  for (const key of Object.keys(command.options))
    if (parsed.getOptionValueSource(key) === 'cli') given.set(key, termOf(key, command))
  return given
}

const termOf = (name: string, { arguments: all, options }: Command): string =>
  all[name] ? `<${name}>` : `'${flagOf(name, options[name] as Option)}'`

/** Throws `bad-usage` where an option lacks another one, or does not go with it. */
function check(command: Command, given: ReadonlyMap<string, string>, path: string): void {
  for (const [key, { needs, excludes = [] }] of Object.entries(command.options)) {
    const term = given.get(key)
    if (term === undefined) continue
    if (needs !== undefined && !given.has(needs))
      throw misuse(path, `${term} needs ${termOf(needs, command)}`)
    const other = excludes.map((name) => given.get(name)).find((name) => name !== undefined)
    if (other !== undefined) throw misuse(path, `${term} and ${other} exclude each other`)
  }
}

const outOf = (call: Invocation): Out<unknown> => ({
  data: (value, zero) => call.io.data(marked(call, value), zero),
  record: (line, value, zero) => call.io.record(line, marked(call, value), zero),
})

/** Returns an object with the mark of a dry run. */
const marked = ({ dryRun }: Invocation, value: unknown): unknown =>
  dryRun && typeof value === 'object' && value !== null ? { ...value, dryRun } : value

async function print(call: Invocation, { data, render, notes = [], back }: Answer<unknown>): Promise<void> {
  const { io, dryRun } = call
  if (io.json) {
    for await (const value of each(data)) await io.data(marked(call, value))
    return
  }
  const shown = render?.()
  if (shown instanceof Promise) await shown
  else
    for await (const line of shown ?? []) {
      const printed = io.print(...line)
      if (printed) await printed
    }
  for (const note of notes) await (typeof note === 'string' ? io.note(note) : io.note(...note))
  if (back !== undefined && !dryRun) await io.note('go back with: ', whole(back))
}

const each = (data: unknown): Iterable<unknown> | AsyncIterable<unknown> =>
  typeof data === 'object' && data !== null && (Symbol.iterator in data || Symbol.asyncIterator in data)
    ? (data as AsyncIterable<unknown>)
    : [data]

/**
 * Runs a command that may write to the current session. Where that is merely the newest session of the folder, asks on
 * a terminal, and runs the command again with the session that was confirmed.
 */
async function withConfirmedSession<T>(call: Invocation, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!hasCode(error, 'unnamed-session')) throw error
    const [id = ''] = error.candidates ?? []
    const hint = `name the session, or make it current: sess switch ${typed(id)}`
    if (!call.isInteractive) throw error.with({ hint })
    await confirmed(call, `no session was named. Use ${id}, the newest one of this folder?`)
    call.opened?.makeCurrent(id)
    return run()
  }
}

/** Asks whether to run what cannot be undone. Throws `bad-usage` where there is no terminal to ask on. */
async function confirmDestructive(call: Invocation, { name, unattended = false }: Command): Promise<void> {
  if (call.isInteractive) await confirmed(call, `sess ${name} cannot be undone. Continue?`)
  else if (!unattended)
    throw new SessError('bad-usage', `'${name}' cannot be undone, and there is no terminal to ask on`, {
      hint: `add --yes to run it; 'sess ${name} -n' shows what it would do`,
    })
}

/** Asks a question on the terminal. Throws `stopped` unless the answer is yes. */
async function confirmed(call: Invocation, question: string): Promise<void> {
  const answer = await call.ask(`${question} [y/N]`)
  if (!/^y(?:es)?$/i.test(answer)) throw new SessError('stopped', 'nothing was changed')
}

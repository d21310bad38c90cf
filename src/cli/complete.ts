import { defined } from '../model/json.ts'
import { SETTINGS } from '../verbs/settings.ts'
import { type Command, effectOptions, type ListedCommand } from './define.ts'
import type { Invocation } from './invocation.ts'
import {
  type Argument,
  flagOf,
  GLOBAL_OPTIONS,
  type InputOf,
  type Option,
  type Options,
  type Value,
} from './parameters.ts'
import type { ItemFormats } from './template/fields.ts'
import { TOPICS } from './topics.ts'

/** A name, and what it is in a few words. */
export interface Name {
  readonly name: string
  readonly does: string
}

/** The completions of a line: names, and whether files or folders are possible. */
export interface Completion {
  readonly names: readonly Name[]
  readonly paths?: 'files' | 'folders'
  /** Whether more can follow a name without a blank, such as `~2` or `/main`. */
  readonly open?: boolean
}

/**
 * Returns the completions of the last of some words. Reads the store only where a name of the store is possible, and
 * then a few of its refs.
 */
export async function complete(
  call: Invocation,
  listed: readonly ListedCommand[],
  words: readonly string[],
): Promise<Completion> {
  const at = await cursorIn(listed, words)
  const typed = { store: at.options.get('store'), atOp: at.options.get('atOp') }
  call.options = { ...call.options, ...defined(typed) }
  const { names, ...how } = await possible(call, listed, at)
  const fitting = names.filter(({ name }) => name.startsWith(at.word))
  return {
    names: fitting.map(({ name, does }) => ({ name: at.lead + name, does })),
    ...how,
  }
}

/** The end of a line being typed. */
interface CompletionPoint {
  /** The command whose argument it is; undefined before any is named. */
  readonly command: Command | undefined
  /** The word to complete, as typed so far. */
  readonly word: string
  /** Put before each candidate: `--option=` where the value follows at once. */
  readonly lead: string
  /** The value that the word is one of; undefined if it is none. */
  readonly value: Value<unknown> | undefined
  /** The arguments before it. */
  readonly given: readonly string[]
  /** The values of the options before it, by their keys. */
  readonly options: ReadonlyMap<string, string>
}

/** Finds what the last of some words is. */
async function cursorIn(
  listed: readonly ListedCommand[],
  words: readonly string[],
): Promise<CompletionPoint> {
  let command: Command | undefined
  let given: string[] = []
  let pending: [key: string, option: Option] | undefined
  let literal = false
  const options = new Map<string, string>()
  const flagged = (typed: string): [string, Option] | undefined =>
    Object.entries<Option>({ ...GLOBAL_OPTIONS, ...command?.options }).find(
      ([key, one]) => flagOf(key, one) === typed || (one.short !== undefined && `-${one.short}` === typed),
    )
  for (const word of words.slice(0, -1)) {
    if (pending) {
      options.set(pending[0], word)
      pending = undefined
    } else if (literal || !word.startsWith('-') || word === '-') {
      const named = literal || given.length > 0 ? undefined : await commandNamed(word, command, listed)
      if (named) command = named
      else given = [...given, word]
    } else if (word === '--') literal = true
    else if (word.includes('=')) {
      const option = flagged(word.slice(0, word.indexOf('=')))
      if (option) options.set(option[0], word.slice(word.indexOf('=') + 1))
    } else {
      const option = flagged(word)
      if (option?.[1].value) pending = option
    }
  }
  const last = words.at(-1) ?? ''
  const at = { command, word: last, lead: '', given, options }
  if (pending) return { ...at, value: pending[1].value }
  const [, typed = '', rest = ''] = /^(--[^=]+)=(.*)$/s.exec(literal ? '' : last) ?? []
  if (typed !== '') return { ...at, word: rest, lead: `${typed}=`, value: flagged(typed)?.[1].value }
  const slots: readonly Argument[] = Object.values(command?.arguments ?? {})
  const slot = slots[given.length] ?? (slots.at(-1)?.list ? slots.at(-1) : undefined)
  return { ...at, value: slot?.value }
}

const commandNamed = async (
  word: string,
  command: Command | undefined,
  listed: readonly ListedCommand[],
): Promise<Command | undefined> =>
  command
    ? command.commands.find(({ name }) => name === word)
    : listed.find(({ name }) => name === word)?.load()

async function possible(
  call: Invocation,
  listed: readonly ListedCommand[],
  at: CompletionPoint,
): Promise<Completion> {
  const { command, word, value, lead, given } = at
  if (word.startsWith('-') && lead === '') return { names: flags(command) }
  if (!value) {
    const commands: readonly (ListedCommand | Command)[] = command ? command.commands : listed
    return { names: given.length > 0 ? [] : commands.map(commandAs) }
  }
  const { kind, choices } = value
  if (choices) return { names: alone(choices) }
  switch (kind) {
    case undefined:
      return { names: [] }
    case 'revset':
      return { names: await revsetNames(word), open: true }
    case 'file':
      return { names: [], paths: 'files' }
    case 'folder':
      return { names: [], paths: 'folders' }
    case 'setting':
      return { names: [...SETTINGS].map(([name, { does }]) => ({ name, does })) }
    case 'setting-value':
      return { names: alone(SETTINGS.get(given[0] ?? '')?.values ?? []) }
    case 'agent':
      return { names: alone(await agents()) }
    case 'entry-format':
      return { names: formatNames((await import('./template/entries.ts')).ENTRIES.formats) }
    case 'session-format':
      return { names: formatNames((await import('./template/sessions.ts')).SESSIONS.formats) }
    case 'source-format':
      return { names: alone((await import('../verbs/formats.ts')).FORMAT_NAMES) }
    case 'command':
      return { names: listed.map(commandAs) }
    case 'topic':
      return { names: [...listed.map(commandAs), ...TOPICS] }
    default:
      return {
        names: await namesInStore(call, kind, at),
        ...((kind === 'session' || kind === 'revision') && { open: true }),
      }
  }
}

/** Returns the expressions that the last word of an expression can become: functions, each up to its argument. */
async function revsetNames(expression: string): Promise<Name[]> {
  const { FUNCTIONS, isFunction, parametersOf } = await import('../model/revset/functions.ts')
  const before = expression.replace(/[a-z]*$/, '')
  return Object.entries(FUNCTIONS).flatMap(([name, { gives }]) =>
    isFunction(name)
      ? { name: `${before}${name}(${parametersOf(name).length === 0 ? ')' : ''}`, does: gives }
      : [],
  )
}

const commandAs = ({ name, summary }: ListedCommand | Command): Name => ({ name, does: summary })

const formatNames = (formats: ItemFormats<never>): Name[] =>
  Object.entries(formats).map(([name, { is }]) => ({ name, does: is }))

const alone = (names: readonly string[]): Name[] => names.map((name) => ({ name, does: '' }))

async function agents(): Promise<string[]> {
  const { FORMAT_NAMES } = await import('../verbs/formats.ts')
  return [...FORMAT_NAMES]
}

function flags(command: Command | undefined): Name[] {
  const named = (options: Options): Name[] =>
    Object.entries(options).map(([key, one]) => ({ name: flagOf(key, one), does: one.about }))
  return [
    ...(command ? named({ ...command.options, ...effectOptions(command) }) : []),
    ...named(GLOBAL_OPTIONS),
    ...(command ? [] : [{ name: '--version', does: 'print the version' }]),
    { name: '--help', does: 'show help' },
  ]
}

/** Returns names in the store; of a session that is named before, or in an option, where they belong to one. */
async function namesInStore(
  call: Invocation,
  kind: string,
  { word, given, options }: CompletionPoint,
): Promise<readonly Name[]> {
  const context = await call.context()
  const { names } = await import('../verbs/names.ts')
  const isRef = kind === 'branch' || kind === 'label'
  const session = (isRef ? options.get('session') : undefined) ?? given[0] ?? '@'
  return names.run(context, { kind: kind as InputOf<typeof names.input>['kind'], prefix: word, session })
}

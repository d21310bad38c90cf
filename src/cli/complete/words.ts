import type { Argument, Command, Option } from 'commander'

/** The end of a line being typed. */
export interface Place {
  /** The command whose argument it is; the program itself before any is named. */
  readonly command: Command
  /** The word to complete, as typed so far. */
  readonly word: string
  /** Put before each candidate: `--option=` where the value follows at once. */
  readonly lead: string
  /** The option or the argument that the word is a value of; undefined where there is none. */
  readonly slot: Option | Argument | undefined
  /** The arguments before it. */
  readonly given: readonly string[]
  /** The values of the options before it, by their long names. */
  readonly options: ReadonlyMap<string, string>
}

/**
 * Finds what the last of some words is: `open` declares the options of a command, of which only the name is known before.
 */
export async function placeOf(
  program: Command,
  words: readonly string[],
  open: (command: Command) => Promise<void>,
): Promise<Place> {
  let command = program
  let given: string[] = []
  let pending: Option | undefined
  let literal = false
  const options = new Map<string, string>()
  const known = (): readonly Option[] => [...new Set([command, program])].flatMap((c) => c.options)
  const flagged = (word: string): Option | undefined =>
    known().find(({ short, long }) => word === short || word === long)
  for (const word of words.slice(0, -1)) {
    if (pending) {
      options.set(pending.name(), word)
      pending = undefined
    } else if (literal || !word.startsWith('-') || word === '-') {
      const named = literal ? undefined : command.commands.find((other) => other.name() === word)
      if (named && given.length === 0) {
        command = named
        await open(named)
        given = []
      } else given.push(word)
    } else if (word === '--') literal = true
    else if (word.includes('='))
      options.set(word.slice(2, word.indexOf('=')), word.slice(word.indexOf('=') + 1))
    else {
      const option = flagged(word)
      if (option && takesValue(option)) pending = option
    }
  }
  const last = words.at(-1) ?? ''
  const place = { command, word: last, lead: '', given, options }
  if (pending) return { ...place, slot: pending }
  const equals = /^(--[^=]+)=(.*)$/s.exec(literal ? '' : last)
  if (equals)
    return { ...place, word: equals[2] as string, lead: `${equals[1]}=`, slot: flagged(equals[1] as string) }
  const { registeredArguments: slots } = command
  const slot = slots[given.length] ?? (slots.at(-1)?.variadic ? slots.at(-1) : undefined)
  return { ...place, slot }
}

const takesValue = (option: Option): boolean => option.required || option.optional

import { Argument, type Command, type Option } from 'commander'
import type { Name } from '../../ops/names.ts'
import type { Call } from '../call.ts'
import { SETTINGS } from '../settings.ts'
import { TOPICS } from '../topics.ts'
import { type Kind, kindOf } from './kinds.ts'
import { type Place, placeOf } from './words.ts'

/** What may stand at the end of a line: names, and whether files or folders may stand there too. */
export interface Completion {
  readonly names: readonly Name[]
  readonly paths?: 'files' | 'folders'
}

/**
 * Gives what the last of some words may become. Reads the store only where names of the store may stand there, and then
 * a few of its refs.
 */
export async function complete(
  call: Call,
  program: Command,
  words: readonly string[],
  open: (command: Command) => Promise<void>,
): Promise<Completion> {
  const place = await placeOf(program, words, open)
  const store = place.options.get('store')
  if (store !== undefined) call.options = { ...call.options, store }
  const { names, paths } = await possible(call, program, place)
  const { word, lead } = place
  const fitting = names.filter(({ name }) => name.startsWith(word))
  return {
    names: fitting.map(({ name, does }) => ({ name: lead + name, does })),
    ...(paths === undefined ? {} : { paths }),
  }
}

async function possible(call: Call, program: Command, place: Place): Promise<Completion> {
  const { command, word, slot, lead, given } = place
  if (word.startsWith('-') && lead === '') return { names: flags(command, program) }
  if (!slot || (slot instanceof Argument && given.length === 0 && command.commands.length > 0))
    return { names: commands(command) }
  if (slot.argChoices) return { names: slot.argChoices.map((name) => ({ name, does: '' })) }
  const kind = kindOf(valueOf(slot))
  if (kind === undefined) return { names: [] }
  if (kind === 'file') return { names: [], paths: 'files' }
  if (kind === 'folder') return { names: [], paths: 'folders' }
  if (kind === 'setting') return { names: [...SETTINGS].map(([name, { does }]) => ({ name, does })) }
  if (kind === 'topic') return { names: topics(program) }
  return { names: await namesInStore(call, kind, place) }
}

const commands = ({ commands: all }: Command): Name[] =>
  all.map((command) => ({ name: command.name(), does: command.description() }))

function flags(command: Command, program: Command): Name[] {
  const options = [...new Set([command, program])].flatMap((owner) =>
    owner.createHelp().visibleOptions(owner),
  )
  return options.map(({ long, short, description }) => ({ name: long ?? short ?? '', does: description }))
}

function topics(program: Command): Name[] {
  return [...commands(program), ...TOPICS]
}

/** What help calls the value of an option or an argument. */
const valueOf = (slot: Option | Argument): string =>
  slot instanceof Argument ? slot.name() : (/[<[]([^\]>.]+)/.exec(slot.flags)?.[1] ?? '')

async function namesInStore(call: Call, kind: Kind, place: Place): Promise<Name[]> {
  const repo = await call.repo()
  const { refNames, sessionNames } = await import('../../ops/names.ts')
  const { word } = place
  if (kind === 'branch' || kind === 'label') {
    const { branches, labels } = await refNames(repo, place.options.get('session') ?? place.given[0] ?? '@')
    return kind === 'branch' ? branches : labels
  }
  const slash = word.indexOf('/')
  if (kind === 'revision' && slash > 0) {
    const owner = word.slice(0, slash)
    const { branches, labels } = await refNames(repo, owner)
    return [...branches, ...labels].map(({ name, does }) => ({ name: `${owner}/${name}`, does }))
  }
  const latest: Name = { name: '@', does: 'the latest session of this folder' }
  const sessions = [latest, ...(await sessionNames(repo, word))]
  if (kind === 'session' || !/^[0-9a-f]{4,64}$/.test(word)) return sessions
  const { entryNames } = await import('../../ops/entrynames.ts')
  return [...sessions, ...(await entryNames(repo, word))]
}

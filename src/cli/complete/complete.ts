import { Argument, type Command, type Option } from 'commander'
import type * as StoreNames from '../../ops/names.ts'
import type { Name } from '../../ops/names.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Call } from '../call.ts'
import { SETTINGS } from '../settings.ts'
import type { Formats } from '../template/formats.ts'
import { TOPICS } from '../topics.ts'
import { type Kind, kindOf } from './kinds.ts'
import { type Place, placeOf } from './words.ts'

/** The completions of a line: names, and whether files or folders are possible. */
export interface Completion {
  readonly names: readonly Name[]
  readonly paths?: 'files' | 'folders'
}

/**
 * Returns the completions of the last of some words. Reads the store only where a name of the store is possible, and
 * then a few of its refs.
 */
export async function complete(
  call: Call,
  program: Command,
  words: readonly string[],
  open: (command: Command) => Promise<void>,
): Promise<Completion> {
  const place = await placeOf(program, words, open)
  const [store, atOp] = [place.options.get('store'), place.options.get('at-op')]
  if (store !== undefined) call.options = { ...call.options, store }
  if (atOp !== undefined) call.options = { ...call.options, atOp }
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
  if (slot.argChoices) return { names: alone(slot.argChoices) }
  const kind = kindOf(valueOf(slot), command.name())
  if (kind === undefined) return { names: [] }
  if (kind === 'file') return { names: [], paths: 'files' }
  if (kind === 'folder') return { names: [], paths: 'folders' }
  if (kind === 'setting') return { names: [...SETTINGS].map(([name, { does }]) => ({ name, does })) }
  if (kind === 'value') return { names: alone(SETTINGS.get(given[0] ?? '')?.values ?? []) }
  if (kind === 'agent') return { names: alone(await agents()) }
  if (kind === 'format') return { names: await formats(command.name()) }
  if (kind === 'command') return { names: commands(program) }
  if (kind === 'topic') return { names: topics(program) }
  return { names: await namesInStore(call, kind, place) }
}

async function formats(command: string): Promise<Name[]> {
  const all: Formats<never> =
    command === 'ls'
      ? (await import('../template/session.ts')).SESSIONS.formats
      : (await import('../template/entry.ts')).ENTRIES.formats
  return Object.entries(all).map(([name, { is }]) => ({ name, does: is }))
}

/** Returns names that say themselves what they are. */
const alone = (names: readonly string[]): Name[] => names.map((name) => ({ name, does: '' }))

async function agents(): Promise<string[]> {
  const { FORMATS } = await import('../../formats/registry.ts')
  return [...new Set(FORMATS.flatMap(({ name, dialect }) => [dialect, name]))]
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

/** The name of the value of an option or an argument in help. */
const valueOf = (slot: Option | Argument): string =>
  slot instanceof Argument ? slot.name() : (/[<[]([^\]>.]+)/.exec(slot.flags)?.[1] ?? '')

async function namesInStore(call: Call, kind: Kind, place: Place): Promise<Name[]> {
  const repo = await call.repo()
  const names = await import('../../ops/names.ts')
  const { word, given } = place
  if (kind === 'operation') return names.operationNames(repo)
  if (kind === 'ref') return names.fullNames(repo, word)
  if (kind === 'labels') return distinct(await names.labelNames(repo))
  if (kind === 'pairs') return distinct(await names.pairNames(repo))
  if (kind === 'pair') return names.pairNames(repo, given[0] ?? '@')
  if (kind === 'key')
    return (await names.pairNames(repo, given[0] ?? '@')).map(({ name }) => {
      const [key = '', ...value] = name.split('=')
      return { name: key, does: value.join('=') }
    })
  if (kind === 'branch' || kind === 'label') {
    const { branches, labels } = await names.refNames(repo, place.options.get('session') ?? given[0] ?? '@')
    return kind === 'branch' ? branches : labels
  }
  const before = kind === 'revision' ? (/^(?:.*\.\.\.?|\^)/s.exec(word)?.[0] ?? '') : ''
  const revisions = await revisionsFrom(repo, names, kind, word.slice(before.length))
  return revisions.map(({ name, does }) => ({ name: before + name, does }))
}

/**
 * Yields the sessions with a prefix; for revisions also entries and, after a session and `/`, its branches and labels.
 */
async function revisionsFrom(
  repo: Repo,
  { refNames, sessionNames }: typeof StoreNames,
  kind: Kind,
  word: string,
): Promise<Name[]> {
  const slash = word.indexOf('/')
  if (kind === 'revision' && slash > 0) {
    const owner = word.slice(0, slash)
    const { branches, labels } = await refNames(repo, owner)
    return [...branches, ...labels].map(({ name, does }) => ({ name: `${owner}/${name}`, does }))
  }
  const latest: Name = { name: '@', does: 'the latest session of this folder' }
  const sessions = [latest, ...(await sessionNames(repo, word))]
  if (kind === 'session' || !/^[0-9a-f]{4,64}$/.test(word)) return sessions
  const { entryNames } = await import('../../ops/names/entrynames.ts')
  return [...sessions, ...(await entryNames(repo, word))]
}

/** Returns each name once, with its first description. */
const distinct = (names: readonly Name[]): Name[] =>
  names.filter(({ name }, place) => names.findIndex((other) => other.name === name) === place)

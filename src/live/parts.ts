import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { nodeAt, readObject, spliced, valueOf, withChild, withoutChild } from './jsontext.ts'
import { shellQuoted } from './launcher.ts'
import { tomlItems, topWords, withTopKey } from './tomltext.ts'

/** A part of a file of an agent's settings that belongs to sess. */
export interface SettingsPart {
  /** Returns the text with the part, null where there is no file yet. Throws `bad-config` for what cannot be read. */
  readonly add: (text: string | null) => string
  /** Returns the text without the part; null where nothing else is left of a file that only sess has written. */
  readonly remove: (text: string, kept: readonly string[]) => string | null
  /** Returns whether the text has the part. */
  readonly isIn: (text: string) => boolean
  /** Returns the names of containers that are there and empty: they stay when the part is removed. */
  readonly emptyIn: (text: string) => string[]
}

/** A hook: the event of the agent, and what is called. */
export interface HookEvent {
  readonly event: string
  readonly handler: JsonObject
}

const isBlank = (text: string): boolean => text.trim() === ''

/** A part of a file of JSON; an empty file has none. */
const jsonPart = (part: SettingsPart): SettingsPart => ({
  add: part.add,
  remove: (text, kept) => (isBlank(text) ? text : part.remove(text, kept)),
  isIn: (text) => !isBlank(text) && part.isIn(text),
  emptyIn: (text) => (isBlank(text) ? [] : part.emptyIn(text)),
})

const parsedOr = (text: string | null): string => (text === null || isBlank(text) ? '{}\n' : text)

/** Returns whether a command is one that sess wrote: it calls a launcher in a folder of this name. */
const isOurs = (command: unknown, word: string): boolean =>
  typeof command === 'string' && command.includes('/sess-live/sess') && command.includes(` ${word}`)

/** Returns whether a group of hooks is one that sess wrote. */
const isOurGroup = (group: Json): boolean =>
  typeof group === 'object' &&
  group !== null &&
  'hooks' in group &&
  Array.isArray(group.hooks) &&
  group.hooks.length === 1 &&
  isOurs((group.hooks[0] as JsonObject | undefined)?.command, 'hook')

/** Hooks in the form that Claude Code, Codex and Gemini CLI share: `hooks: { Event: [{ hooks: [handler] }] }`. */
export const hooksPart = (events: readonly HookEvent[]): SettingsPart => jsonPart(hooksIn(events))

const hooksIn = (events: readonly HookEvent[]): SettingsPart => ({
  add: (given) =>
    events.reduce((text, { event, handler }) => addGroup(text, event, handler), parsedOr(given)),
  remove: removeGroups,
  isIn: (text) => {
    const root = readObject(text)
    return events.every(({ event, handler }) => {
      const groups = nodeAt(root, ['hooks', event])
      return groups?.children.some(({ value }) => {
        const group = valueOf(text, value)
        return isOurGroup(group) && JSON.stringify(group) === JSON.stringify({ hooks: [handler] })
      })
    })
  },
  emptyIn: (text) => {
    const root = readObject(text)
    const places = [[], ['hooks'], ...events.map(({ event }) => ['hooks', event])]
    return places
      .filter((place) => nodeAt(root, place)?.children.length === 0)
      .map((place) => place.join('.'))
  },
})

function addGroup(given: string, event: string, handler: JsonObject): string {
  const text = withContainer(given, ['hooks'], {})
  const root = readObject(text)
  const hooks = nodeAt(root, ['hooks'])
  const groups = nodeAt(root, ['hooks', event])
  const group = { hooks: [handler] }
  if (hooks?.kind !== 'object' || (groups && groups.kind !== 'array'))
    throw new SessError('bad-config', 'settings', { detail: "its 'hooks' have another form" })
  return groups ? withChild(text, groups, '', group) : withChild(text, hooks, event, [group])
}

/** Returns the text with a member at the top, if it has none of this name. */
function withContainer(text: string, [name = '']: readonly string[], value: Json): string {
  const root = readObject(text)
  return nodeAt(root, [name]) ? text : withChild(text, root, name, value)
}

function removeGroups(given: string, kept: readonly string[]): string | null {
  let text = given
  for (;;) {
    const found = ourGroupIn(text)
    if (!found) break
    text = withoutChild(text, found.groups, found.index)
    text = withoutEmpty(text, ['hooks', found.event], kept)
  }
  if (text !== given) text = withoutEmpty(text, ['hooks'], kept)
  return text
}

function ourGroupIn(
  text: string,
): { groups: ReturnType<typeof readObject>; index: number; event: string } | undefined {
  const hooks = nodeAt(readObject(text), ['hooks'])
  for (const { name: event, value: groups } of hooks?.kind === 'object' ? hooks.children : []) {
    if (groups.kind !== 'array') continue
    const index = groups.children.findIndex(({ value }) => isOurGroup(valueOf(text, value)))
    if (index >= 0) return { groups, index, event }
  }
  return undefined
}

/** Returns the text without a container that has become empty, unless it was there empty before. */
function withoutEmpty(text: string, place: readonly string[], kept: readonly string[]): string {
  const root = readObject(text)
  const node = nodeAt(root, place)
  const parent = nodeAt(root, place.slice(0, -1))
  if (!node || !parent || node.children.length > 0 || kept.includes(place.join('.'))) return text
  const index = parent.children.findLastIndex(({ name }) => name === place.at(-1))
  return withoutChild(text, parent, index)
}

/** The statusline of Claude Code: there is only one, so that of the user is run first. */
export const statuslinePart = (launcher: string): SettingsPart => jsonPart(statuslineIn(launcher))

const statuslineIn = (launcher: string): SettingsPart => ({
  add: (given) => {
    const text = parsedOr(given)
    const root = readObject(text)
    const own = `${shellQuoted(launcher)} statusline`
    const former = nodeAt(root, ['statusLine'])
    if (!former) return withChild(text, root, 'statusLine', { type: 'command', command: own })
    const command = nodeAt(root, ['statusLine', 'command'])
    const words = command && valueOf(text, command)
    if (!command || typeof words !== 'string')
      throw new SessError('bad-config', 'settings', { detail: 'its statusline has another form' })
    return spliced(text, command.start, command.end, JSON.stringify(`${own} --then ${shellQuoted(words)}`))
  },
  remove: (text) => {
    const root = readObject(text)
    const command = nodeAt(root, ['statusLine', 'command'])
    const words = command && valueOf(text, command)
    if (!command || typeof words !== 'string' || !isOurs(words, 'statusline')) return text
    const [, former] = / --then '(.*)'$/s.exec(words) ?? []
    if (former !== undefined)
      return spliced(text, command.start, command.end, JSON.stringify(former.replaceAll(`'\\''`, "'")))
    return withoutChild(
      text,
      root,
      root.children.findLastIndex(({ name }) => name === 'statusLine'),
    )
  },
  isIn: (text) => {
    const command = nodeAt(readObject(text), ['statusLine', 'command'])
    return command !== undefined && isOurs(valueOf(text, command), 'statusline')
  },
  emptyIn: () => [],
})

/** The program that Codex tells of each turn: there is only one, so that of the user is called by the hook. */
export const notifyPart = (launcher: string): SettingsPart => {
  const own = [launcher, 'hook', 'codex', '--notify']
  return {
    add: (given) => {
      const text = given ?? ''
      const found = topWords(text, 'notify')
      if (!found) return withTopKey(text, 'notify', own)
      const comma = found.words.length > 0 ? ', ' : ''
      return spliced(text, found.inside, found.inside, tomlItems(own) + comma)
    },
    remove: (text, kept) => {
      const found = topWords(text, 'notify')
      if (!found || !isNotify(found.words)) return text
      const head = /^\s*"[^"\n]*",\s*"hook",\s*"codex",\s*"--notify"(?:,[ \t]?)?/.exec(
        text.slice(found.inside),
      )
      if (found.words.length > own.length || kept.includes('notify'))
        return spliced(text, found.inside, found.inside + (head?.[0].length ?? 0), '')
      return text.replace(/^[ \t]*notify[ \t]*=[ \t]*\[[^\n]*\]\r?\n?/m, '')
    },
    isIn: (text) => isNotify(topWords(text, 'notify')?.words ?? []),
    emptyIn: (text) => (topWords(text, 'notify')?.words.length === 0 ? ['notify'] : []),
  }
}

const isNotify = ([program, ...words]: readonly string[]): boolean =>
  isOurs(`${program} hook`, 'hook') && words.slice(0, 3).join(' ') === 'hook codex --notify'

/** The line by which a file that sess has written is known. */
export const MARK = 'Written when sess was set up; taking that back removes it.'

/** A whole file of sess: an extension or a plugin. Throws `exists` where the name is another file's. */
export const wholeFile = (path: string, content: string): SettingsPart => ({
  add: (given) => {
    if (given !== null && !given.includes(MARK)) throw new SessError('exists', path)
    return content
  },
  remove: (text) => (text.includes(MARK) ? null : text),
  isIn: (text) => text === content,
  emptyIn: () => [],
})

import { type ErrorCode, type ErrorPosition, SessError } from '../../model/errors.ts'
import { typable } from '../../model/shellword.ts'
import { describeNames, type Meaning } from '../../ops/ambiguousnames.ts'
import type { Reader } from '../../repo/reader.ts'
import { resolve, resolveSession } from '../../repo/revision.ts'
import { allSessions } from '../../repo/session.ts'
import { safe } from '../../text/terminaltext.ts'
import { type Display, firstLine, type Line, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { columnsOf, cut, pad, widthOf } from '../../text/width.ts'
import type { Invocation } from '../invocation.ts'
import { quoted } from '../shellwords.ts'
import { hintOf } from './hints.ts'
import { didYouMean, nearest } from './suggest.ts'

/** Returns an error about an unknown name with a hint at what the name is instead, or at similar names. */
export async function withNearNames(call: Invocation, error: SessError): Promise<SessError> {
  const { code, typed: word } = error
  const repo = call.opened
  if (repo === undefined) return error
  const better = await repo.read(async (reader) => {
    if (word === '') return (await hasSessions(reader)) ? hintOf(error) : NO_SESSIONS
    const instead = await otherwise(reader, word, code)
    return instead ?? (await namesLike(reader, word, error))
  })
  return error.with({ hint: better })
}

const NO_SESSIONS = "there are no sessions yet: type 'sess import' to import those of this machine"

async function hasSessions(reader: Reader): Promise<boolean> {
  for await (const _ of allSessions(reader)) return true
  return false
}

/** Returns a hint at what a word names if it is not of the wanted kind; undefined if it names nothing. */
async function otherwise(reader: Reader, word: string, code: ErrorCode): Promise<string | undefined> {
  if (code === 'no-session') {
    const at = await ifFound(resolve(reader, word))
    if (!at) return undefined
    const name = at.session ? `its session, '${typable(at.session.id, 'SESSION')}'` : 'a session'
    return `'${word}' is an entry: name ${name}; type 'sess ls' to see the sessions`
  }
  if (code === 'no-branch') {
    const name = word.slice(word.indexOf('/') + 1)
    const session = await ifFound(resolveSession(reader, name))
    const [first] = session?.branches.keys() ?? []
    const branch = session && 'branch' in session.head ? session.head.branch : first
    if (branch === undefined) return undefined
    return `'${name}' is a session: name a branch of it, '${typable(`${name}/${branch}`, 'SESSION/BRANCH')}'`
  }
  return /[^.]\.{2,3}[^.]/.test(word)
    ? "this takes no range: name one session or entry; type 'sess ls' to see the sessions"
    : undefined
}

/** Returns what a name resolves to; undefined if it is unknown or ambiguous. */
async function ifFound<T>(named: Promise<T>): Promise<T | undefined> {
  try {
    return await named
  } catch (error) {
    if (error instanceof SessError) return undefined
    throw error
  }
}

/** Digits of an oid, HEAD and expressions are not taken for mistyped titles. */
const NO_TITLE = /^(?:[0-9a-f]{4,}|HEAD|.*[@~^:].*)$/

/** Branches or labels that are listed where none is similar. */
const LISTED = 8

/** Returns a hint at the names of the same kind that a word may have meant, or at those that there are. */
async function namesLike(reader: Reader, word: string, error: SessError): Promise<string> {
  const [code, hint] = [error.code, hintOf(error)]
  const slash = word.indexOf('/')
  const [owner, name] = [word.slice(0, slash), word.slice(slash + 1)]
  const here = slash < 0 && code === 'no-revision' ? await ifFound(resolveSession(reader, '@')) : undefined
  const names = here ? ['HEAD', ...here.branches.keys(), ...here.labels.keys()] : []
  let isEmpty = true
  for await (const { id, meta, branches, labels } of allSessions(reader)) {
    isEmpty = false
    if (slash > 0 && (id.startsWith(owner) || meta.title === owner)) {
      const all = [
        ...(code === 'no-label' ? [] : branches.keys()),
        ...(code === 'no-branch' ? [] : labels.keys()),
      ]
      const near = nearest(name, all)
      const rest = code === 'no-revision' ? `type 'sess branch ${quoted(owner)}' to see its branches` : hint
      if (near.length > 0) return didYouMean(near.map((one) => `${owner}/${one}`)) + rest
      const more = all.length > LISTED ? ', …' : ''
      return all.length === 0 ? rest : `it has ${all.slice(0, LISTED).join(', ')}${more}; ${rest}`
    }
    // A short word is no mistyped id, but may be like a title.
    if (word.length >= id.length / 2) names.push(id)
    if (meta.title && !NO_TITLE.test(word)) names.push(meta.title)
  }
  return isEmpty
    ? NO_SESSIONS
    : didYouMean(nearest(word, names)) +
        (here && here.branches.size > 1 ? `${hint}, or 'sess branch' to see the branches of this one` : hint)
}

/** Adds the candidates to an error about an ambiguous name. */
export async function addCandidates(call: Invocation, error: SessError): Promise<void> {
  const { opened } = call
  if (!opened) return
  const found = await describeNames(opened, error.candidates)
  const lines = candidateLines(error.typed, found, call.display)
  call.detail = { lines, data: { candidates: found.map((candidate) => ({ ...candidate })) } }
}

/** The digits of an oid that are shown at least, and those that tell it from its neighbours. */
const DIGITS = 12

/** Returns the candidates of an ambiguous name, one line each. */
function candidateLines(name: string, found: readonly Meaning[], { columns, zone }: Display): Line[] {
  const rows = found.map(({ kind, id, agent, time, text }) => ({
    id: kind === 'entry' ? id.slice(0, Math.max(DIGITS, name.length + 4)) : firstLine(id),
    agent: firstLine(agent ?? '-'),
    time: minute(time, zone),
    text: firstLine(text ?? ''),
  }))
  const wide = (column: 'id' | 'agent'): number => Math.max(...rows.map((row) => widthOf(row[column])))
  const [ids, agents] = [wide('id'), wide('agent')]
  return rows.map(({ id, agent, time, text }) => [
    '  ',
    styled('yellow', pad(id, ids)),
    '  ',
    styled('dim', `${time}  ${pad(agent, agents)}`),
    `  ${cut(text, Math.max(10, columns - ids - agents - 24))}`,
  ])
}

/** Adds the place of an error in a text to its details. */
export function addPlace(call: Invocation, place: ErrorPosition): void {
  const { lines, data } = call.detail
  call.detail = { lines: [...placeLines(place, call.io.columns), ...lines], data }
}

/** Returns the line of a text at a position, with carets under the position, cut to a width. */
export function placeLines({ text, from, to }: ErrorPosition, columns: number): Line[] {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const newline = text.indexOf('\n', from)
  const end = newline < 0 ? text.length : newline
  const before = flat(text.slice(start, from))
  const at = flat(text.slice(from, Math.min(to, end)))
  const after = flat(text.slice(Math.min(to, end), end))
  const left = columns - BAR.length - 2
  const shownAt = fitting(at, Math.max(10, left - 20))
  const shownBefore = fitting(before, Math.max(10, Math.floor((left - widthOf(shownAt)) / 2)), 'end')
  const shownAfter = fitting(after, Math.max(0, left - widthOf(shownBefore) - widthOf(shownAt)))
  const bar = styled('dim', BAR)
  const carets = '^'.repeat(Math.max(1, widthOf(shownAt)))
  return [
    [bar, shownBefore + shownAt + shownAfter],
    [bar, ' '.repeat(widthOf(shownBefore)), styled('red', carets)],
  ]
}

const BAR = '  | '

const flat = (text: string): string => safe(text).replace(/[\t\n]/g, ' ')

/** Cuts a text to some columns, keeping its beginning or its end. */
function fitting(text: string, columns: number, keep: 'start' | 'end' = 'start'): string {
  if (widthOf(text) <= columns) return text
  const graphemes = [...columnsOf(text)]
  let kept = ''
  let width = 1
  for (const [grapheme, taken] of keep === 'start' ? graphemes : graphemes.reverse()) {
    width += taken
    if (width > columns) break
    kept = keep === 'start' ? kept + grapheme : grapheme + kept
  }
  return keep === 'start' ? `${kept}…` : `…${kept}`
}

import type { ErrorPosition, SessError } from '../../model/errors.ts'
import { typable } from '../../model/shellword.ts'
import { safe } from '../../model/terminaltext.ts'
import { quoted } from '../../text/shellwords.ts'
import { type Display, firstLine, type Line, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { columnsOf, cut, pad, widthOf } from '../../text/width.ts'
import { describeNames } from '../../verbs/describe-names.ts'
import { nearNames } from '../../verbs/near-names.ts'
import type { Meaning, NearNames } from '../../verbs/types.ts'
import type { Invocation } from '../invocation.ts'
import { hintOf } from './hints.ts'
import { didYouMean, nearest } from './suggest.ts'

/** The kind of name that each error says is unknown. */
const WANTED = {
  'no-revision': 'revision',
  'no-session': 'session',
  'no-branch': 'branch',
  'no-label': 'label',
} as const

/** Returns an error about an unknown name with a hint at what the name is instead, or at similar names. */
export async function withNearNames(call: Invocation, error: SessError): Promise<SessError> {
  const { code, typed: word } = error
  if (call.opened === undefined) return error
  const wanted = WANTED[code as keyof typeof WANTED]
  const near = await nearNames.run(await call.context(), { name: word, wanted })
  return error.with({ hint: nearHint(near, error) })
}

/** Branches or labels that are listed where none is similar. */
const LISTED = 8

/** Returns a hint at what a name is instead, at the names that it may have meant, or at those that there are. */
function nearHint(near: NearNames, error: SessError): string {
  const { typed: word } = error
  switch (near.kind) {
    case 'no-sessions':
      return "there are no sessions yet: type 'sess import' to import those of this machine"
    case 'entry': {
      const name = near.session === null ? 'a session' : `its session, '${typable(near.session, 'SESSION')}'`
      return `'${word}' is an entry: name ${name}; type 'sess ls' to see the sessions`
    }
    case 'session': {
      const { name, branch } = near
      return `'${name}' is a session: name a branch of it, '${typable(`${name}/${branch}`, 'SESSION/BRANCH')}'`
    }
    case 'range':
      return "this takes no range: name one session or entry; type 'sess ls' to see the sessions"
    case 'within':
      return withinHint(near, error)
    case 'names': {
      const hint = hintOf(error)
      const rest = near.hasBranches ? `${hint}, or 'sess branch' to see the branches of this one` : hint
      return didYouMean(nearest(word, near.names)) + rest
    }
  }
}

/** Returns a hint at the branches and labels of a session that a name may have meant. */
function withinHint(
  { owner, name, names }: NearNames & { readonly kind: 'within' },
  error: SessError,
): string {
  const near = nearest(name, names)
  const isRevision = error.code === 'no-revision'
  const rest = isRevision ? `type 'sess branch ${quoted(owner)}' to see its branches` : hintOf(error)
  if (near.length > 0) return didYouMean(near.map((one) => `${owner}/${one}`)) + rest
  const more = names.length > LISTED ? ', …' : ''
  return names.length === 0 ? rest : `it has ${names.slice(0, LISTED).join(', ')}${more}; ${rest}`
}

/** Adds the candidates to an error about an ambiguous name. */
export async function addCandidates(call: Invocation, error: SessError): Promise<void> {
  if (!call.opened) return
  const found = await describeNames.run(await call.context(), { id: error.candidates })
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

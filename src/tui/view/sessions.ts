import { costText, counted, firstCut, firstLine, grouped, type Line, styled } from '../../text/text.ts'
import { ageOf, shortAgeOf } from '../../text/time.ts'
import { cut, pad, padStart } from '../../text/width.ts'
import type { Place } from '../state/layout.ts'
import type { SessionRow, State } from '../state/state.ts'
import { type BrowserLook, type PaneRow, titleLine } from './pane.ts'

/** From so many columns on, the project and the agent have columns of their own. */
const WIDE = 64
const PROJECT = 18
const AGENT = 8
const AGE = 10
const SHORT_AGE = 4
const COST = 8

/** Returns the list of sessions. */
export function sessionRows(state: State, { width, height }: Place, look: BrowserLook): PaneRow[] {
  const { sessions, focus, marks } = state
  const { rows, shown, scroll, search } = sessions
  const count =
    rows === null
      ? 'reading …'
      : `${grouped(Math.min(shown.length, scroll.cursor + 1))}/${grouped(shown.length)}`
  const title = search === '' ? 'sessions' : `sessions: ${search}`
  const visible = shown.slice(scroll.top, scroll.top + height - 1)
  return [
    { line: titleLine(title, count, width, focus === 'sessions') },
    ...visible.map((row, i): PaneRow => {
      const isMarked = marks.some(({ session }) => session === row.id)
      const isAtCursor = scroll.top + i === scroll.cursor
      const hasFocus = focus === 'sessions'
      const sign = isMarked ? '*' : isAtCursor && !hasFocus ? '>' : ' '
      return { line: sessionLine(row, width, look, sign), reverse: isAtCursor && hasFocus }
    }),
    ...(shown.length === 0 && rows !== null ? emptyRows(state, width) : []),
  ]
}

/** Returns a session as a line: whether it grows, or another sign, its age, its title or first words, and what it cost. */
function sessionLine(row: SessionRow, width: number, { now, zone, ascii }: BrowserLook, sign: string): Line {
  const { cost, costComputed, live, updated, agent, project } = row
  const isWide = width >= WIDE
  const price = cost === null ? '' : costText(cost, costComputed)
  const taken = 3 + COST + (isWide ? AGE + PROJECT + AGENT + 2 : SHORT_AGE)
  const left = Math.max(4, width - taken)
  const ageIn = (form: typeof ageOf): string => (updated === null ? '-' : form(updated, now, zone))
  return [
    styled(live ? 'green' : 'cyan', live ? (ascii ? '!' : '●') : sign),
    styled('dim', isWide ? padStart(ageIn(ageOf), AGE) : padStart(ageIn(shortAgeOf), SHORT_AGE)),
    ' ',
    ...(isWide
      ? [
          styled('cyan', `${pad(cut(firstLine(agent), AGENT), AGENT)} `),
          styled('dim', `${pad(cut(projectName(project), PROJECT), PROJECT)} `),
        ]
      : []),
    pad(firstCut(nameOf(row), left), left),
    styled('dim', padStart(price, COST)),
  ]
}

/** Returns what a session is called: its title, or else its first prompt. */
const nameOf = ({ title, prompt }: SessionRow): string => title ?? prompt ?? '(no title)'

/** Returns what a session is, beyond its line in the list: two lines and an empty one. */
export function sessionCard(row: SessionRow, { now, zone }: BrowserLook): Line[] {
  const { agent, project, entries, cost, costComputed, live, updated } = row
  const facts = [
    firstLine(agent),
    ...(project === null ? [] : [projectName(project)]),
    counted(entries, 'entry'),
    ...(cost === null ? [] : [costText(cost, costComputed)]),
    ...(live ? ['live'] : updated === null ? [] : [ageOf(updated, now, zone)]),
  ]
  return [[styled('bold', firstLine(nameOf(row)))], [styled('dim', facts.join(' · '))], []]
}

/** Returns the last part of the path or the address of a project. */
const projectName = (project: string | null): string => firstLine(project ?? '').replace(/^.*[/\\:]/, '')

/** Returns what an empty list says: what could be imported, or how the search is cleared. */
function emptyRows({ sessions: { rows, places } }: State, width: number): PaneRow[] {
  const say = (text: string, look: 'plain' | 'dim' = 'plain'): PaneRow => ({
    line: [styled(look, cut(`  ${text}`, Math.max(1, width)))],
  })
  if (rows !== null && rows.length > 0)
    return [say(''), say('none matches'), say('Escape clears the search', 'dim')]
  if (places === null) return [say(''), say('no sessions yet'), say('looking for those of agents …', 'dim')]
  if (places.length === 0)
    return [say(''), say('no sessions yet'), say('no agent on this machine has any', 'dim')]
  return [
    say(''),
    say('no sessions yet; found on this machine:'),
    ...places.map(({ agent, files }) => say(`${padStart(grouped(files), 8)} ${firstLine(agent)}`)),
    say('Enter imports them', 'dim'),
  ]
}

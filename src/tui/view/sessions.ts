import { costText, firstCut, firstLine, grouped, type Line, styled } from '../../text/text.ts'
import { ageOf } from '../../text/time.ts'
import { cut, pad, padStart } from '../../text/width.ts'
import type { Place } from '../state/layout.ts'
import type { SessionRow, State } from '../state/state.ts'
import { type BrowserLook, type PaneRow, titleLine } from './pane.ts'

/** From so many columns on, the project and the agent have columns of their own. */
const WIDE = 64
const PROJECT = 18
const AGENT = 8
const AGE = 10
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
      return { line: sessionLine(row, width, look, isMarked), reverse: scroll.top + i === scroll.cursor }
    }),
    ...(shown.length === 0 && rows !== null ? emptyRows(state, width) : []),
  ]
}

/** Returns a session as a line: whether it grows, its age, its title or first words, and what it cost. */
function sessionLine(
  row: SessionRow,
  width: number,
  { now, zone, ascii }: BrowserLook,
  isMarked: boolean,
): Line {
  const { title, prompt, cost, costComputed, live, updated, agent, project } = row
  const isWide = width >= WIDE
  const price = cost === null ? '' : costText(cost, costComputed)
  const taken = 3 + AGE + COST + (isWide ? PROJECT + AGENT + 2 : 0)
  const left = Math.max(4, width - taken)
  const words = title ?? (prompt === null ? '(no title)' : prompt)
  return [
    styled(live ? 'green' : 'cyan', live ? (ascii ? '!' : '●') : isMarked ? '*' : ' '),
    styled('dim', padStart(updated === null ? '-' : ageOf(updated, now, zone), AGE)),
    ' ',
    ...(isWide
      ? [
          styled('cyan', `${pad(cut(firstLine(agent), AGENT), AGENT)} `),
          styled('dim', `${pad(cut(projectName(project), PROJECT), PROJECT)} `),
        ]
      : []),
    pad(firstCut(words, left), left),
    styled('dim', padStart(price, COST)),
  ]
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

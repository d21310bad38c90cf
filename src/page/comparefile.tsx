import type { VNode } from 'preact'
import {
  type ComparedSides,
  commonLine,
  FilesTable,
  MarkedText,
  ScoreTable,
  SideChips,
  sideName,
  winsOf,
} from './compareview.tsx'
import { pageBegin, painted } from './filepage.tsx'
import { Mark } from './icons.tsx'
import { hueOf, Parting } from './rail.tsx'
import { agentName, counted, dateAndTime } from './words.ts'

/** The facts that a file states of what it compares. */
export interface ComparedFile extends ComparedSides {
  readonly title: string
  /** How many entries the sides have in common; null where they have no common path. */
  readonly common: number | null
}

/** A message of one side. */
export interface ComparedMessage {
  readonly role: string | null
  readonly type: string
  readonly time: string | null
  readonly text: string | null
}

/** Returns the beginning of a page that compares two paths: what they share, the measures, the files. */
export const comparedBegin = (file: ComparedFile): string => {
  const { title, common, sides } = file
  const wins = winsOf(file)
  return `${pageBegin(title, 'cmp')}${painted(
    <>
      <header class="file-hd">
        <Mark />
        <h1>{title}</h1>
      </header>
      <p class="common">{commonLine(common)}</p>
      <Parting count={sides.length} />
      <div class="ends">
        {sides.map((side, i) => (
          <div class={`card end h${hueOf(i + 1)}`}>
            <div class="hd">
              <h2>{sideName(side)}</h2>
              <SideChips side={side} wins={wins} at={i} />
            </div>
          </div>
        ))}
      </div>
      <ScoreTable comparison={file} />
      <FilesTable sides={sides} />
      <h2>Where they differ</h2>
    </>,
  )}`
}

/** Returns messages that stand side by side as a part of such a page; one of them may be missing. */
export const comparedPair = (
  pair: readonly (ComparedMessage | undefined)[],
  names: readonly string[],
): string =>
  painted(
    <div class="pair">
      {pair.map((entry, i) => (
        <Message entry={entry} other={pair[1 - i]?.text ?? null} name={names[i] ?? ''} hue={hueOf(i + 1)} />
      ))}
    </div>,
  )

const SPEAKERS: Readonly<Record<string, string>> = { user: 'You', system: 'System', tool: 'Tools' }

function Message({
  entry,
  other,
  name,
  hue,
}: {
  readonly entry: ComparedMessage | undefined
  readonly other: string | null
  readonly name: string
  readonly hue: number
}): VNode {
  if (!entry) return <div class="card msg none">nothing like it in {name}</div>
  const { role, type, time, text } = entry
  return (
    <div class="card msg">
      <div class="hd">
        <b>{role === 'assistant' ? agentName(type.split('/')[0] ?? '') : (SPEAKERS[role ?? ''] ?? type)}</b>
        {time !== null && <span>{dateAndTime(time, 'UTC')} UTC</span>}
      </div>
      {text === null ? <p class="faint">tool calls</p> : <MarkedText text={text} other={other} hue={hue} />}
    </div>
  )
}

/** Stands where no message differs. */
export const comparedNone = (count: number): string =>
  painted(<p class="note">What was said is the same on both sides: {counted(count, 'message')}.</p>)

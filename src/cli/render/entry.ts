import { type Oid, short } from '../../model/oid.ts'
import type { Role } from '../../model/view.ts'
import type { LogEntry } from '../../ops/log.ts'
import { type Look, styled } from '../style.ts'
import type { Line } from './line.ts'
import { summaryOf } from './summary.ts'
import { cut, firstLine, pad } from './text.ts'
import { minute } from './time.ts'
import { widthOf } from './width.ts'

/** An entry as JSON. */
export interface EntryData {
  readonly oid: Oid
  readonly parents: readonly Oid[]
  readonly type: string
  readonly role: Role | null
  readonly time: string | null
  readonly text: string | null
  readonly session: string | null
  readonly native: string | null
  readonly grafted?: true
}

/** Returns an entry as JSON. */
export const entryData = ({
  oid,
  parents,
  type,
  role,
  time,
  text,
  session,
  native,
  grafted,
}: LogEntry): EntryData => ({
  oid,
  parents,
  type,
  role,
  time,
  text,
  session,
  native,
  ...(grafted && { grafted }),
})

/** Marks an entry that a graft joins to its parent. */
export const GRAFTED = 'graft'

const LOOKS: Readonly<Record<Role, Look>> = {
  user: 'green',
  assistant: 'blue',
  tool: 'magenta',
  system: 'cyan',
}

/** Returns the style of a role. */
export const lookOf = (role: Role | null): Look => (role === null ? 'dim' : LOOKS[role])

/** The longest role. */
const ROLE = 'assistant'.length

export interface EntryLook {
  readonly columns: number
  readonly zone: (time: number) => number
  /** The names of branches by oid. */
  readonly names: ReadonlyMap<string, string>
}

/** Returns an entry as one line: oid, time, role, branches, summary. */
export function entryLine(entry: LogEntry, { columns, zone, names }: EntryLook): Line {
  const { oid, time, role, view, type, grafted } = entry
  const name = [names.get(oid) ?? [], grafted ? GRAFTED : []].flat().join(', ')
  const decoration = name === '' ? '' : `(${firstLine(name)}) `
  const left = columns - 10 - 16 - ROLE - 6 - widthOf(decoration)
  return [
    styled('yellow', short(oid)),
    '  ',
    styled('dim', minute(time, zone)),
    '  ',
    styled(lookOf(role), pad(role ?? '-', ROLE)),
    '  ',
    styled('cyan', decoration),
    cut(summaryOf(view, type), Math.max(10, left)),
  ]
}

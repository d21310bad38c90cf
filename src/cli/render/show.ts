import { short } from '../../model/oid.ts'
import type { View } from '../../model/view.ts'
import type { Shown } from '../../ops/show.ts'
import { styled } from '../style.ts'
import { blockLines } from './blocks.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { firstLine, grouped } from './text.ts'
import { minute } from './time.ts'

export interface ShowLook {
  /** Fold nothing. */
  readonly full: boolean
  readonly zone: (time: number) => number
}

/** Gives an entry in full: what is known of it, then what it says. */
export function shownEntry(entry: Shown, { full, zone }: ShowLook): Line[] {
  const { oid, parents, type, role, time, session, native, labels, set, view } = entry
  const fact = (name: string, value: string): Line => [styled('dim', name.padEnd(9)), firstLine(value)]
  const facts: Line[] = [
    [styled('dim', 'entry'.padEnd(9)), styled('yellow', oid)],
    ...(parents.length > 0 ? [fact('parent', parents.map(short).join(', '))] : []),
    [
      styled('dim', 'role'.padEnd(9)),
      styled(lookOf(role), role ?? '-'),
      styled('dim', `  ${firstLine(type)}`),
    ],
    ...(time === null ? [] : [fact('time', minute(time, zone))]),
    ...(session === null ? [] : [fact('session', session)]),
    ...(labels.length === 0 ? [] : [fact('label', labels.join(', '))]),
    ...Object.entries(set).map(([key, value]) => fact('set', `${key}=${value}`)),
    ...(native === null ? [] : [fact('native', native)]),
    ...settings(view).map(([name, value]) => fact(name, value)),
  ]
  const said = saidLines(view, full)
  return said.length === 0 ? facts : [...facts, [], ...said]
}

function settings({ sets, usage }: View): [string, string][] {
  const tokens = [
    ['input', usage?.input],
    ['output', usage?.output],
    ['cache read', usage?.cacheRead],
    ['cache write', usage?.cacheWrite],
  ].flatMap(([name, count]) => (typeof count === 'number' ? [`${grouped(count)} ${name}`] : []))
  return [
    ...(sets?.model ? [['model', sets.model.id] as [string, string]] : []),
    ...(sets?.thinking === undefined ? [] : [['thinking', sets.thinking] as [string, string]]),
    ...(sets?.mode === undefined ? [] : [['mode', sets.mode] as [string, string]]),
    ...(tokens.length === 0 ? [] : [['tokens', tokens.join(', ')] as [string, string]]),
  ]
}

/** Gives what a view says, its blocks with empty lines between them. */
export function saidLines({ blocks, effect }: Pick<View, 'blocks' | 'effect'>, full: boolean): Line[] {
  const parts = blocks.map((block) => blockLines(block, full))
  if (effect?.kind === 'compaction')
    parts.unshift([[styled('bold', 'compaction')], ...textLines(effect.summary)])
  if (effect?.kind === 'summary')
    parts.unshift([[styled('bold', 'summary of another path')], ...textLines(effect.text)])
  if (effect?.kind === 'edit')
    parts.unshift([[styled('bold', effect.replacement === null ? 'hides an entry' : 'replaces an entry')]])
  if (effect?.kind === 'rollback') parts.unshift([[styled('bold', `takes back ${effect.turns} turns`)]])
  return parts.flatMap((lines, i) => (i === 0 ? lines : [[], ...lines]))
}

const textLines = (text = ''): Line[] => (text === '' ? [] : text.split('\n').map((line) => [line]))

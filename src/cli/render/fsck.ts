import type { Finding } from '../../ops/fsck/finding.ts'
import type { Repair } from '../../ops/fsck/repairstore.ts'
import type { Fsck } from '../../ops/fsck.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

/** So many refs are named of those that a finding hurts. */
const NAMED = 3

/** Returns the findings of a check; `relinked` if all sessions were searched for missing parents. */
export function fsckLines({ ok, findings, lacking, checked }: Fsck, relinked = false): Line[] {
  const seen = [
    counted(checked.entries, 'entry', 'entries'),
    counted(checked.sessions, 'session'),
    counted(checked.records, 'record'),
    counted(checked.operations, 'operation'),
  ].join(', ')
  const hints = [...new Set(findings.map(({ hint }) => hint))]
  return [
    ...findings.flatMap(findingLines),
    ...lackingLines(lacking, relinked),
    [ok ? `all is well: ${seen}` : `${counted(findings.length, 'finding')} in ${seen}`],
    ...hints.map((hint): Line => [styled('dim', hint)]),
  ]
}

/** Returns the sessions with missing parents that no graft supplies, and what to type. */
function lackingLines(sessions: Fsck['lacking'], relinked: boolean): Line[] {
  const open = sessions.filter(({ lacking, grafted }) => lacking > grafted)
  const lines = open.map(({ session, lacking, grafted }): Line => {
    const entries = lacking - grafted
    return [
      styled('yellow', 'lacking'),
      ` ${firstLine(session)}: ${counted(entries, 'entry', 'entries')} whose parent its source names and lacks`,
    ]
  })
  if (open.length > 0 && !relinked)
    lines.push([styled('dim', "type 'sess fsck --relink' to look for them in all sessions")])
  return lines
}

function findingLines({ code, subject, message, refs, lastGood }: Finding): Line[] {
  const more = refs.length > NAMED ? ` and ${refs.length - NAMED} more` : ''
  const good = lastGood ? `; whole up to ${lastGood.slice(0, 12)}` : ''
  return [
    [styled('red', code), ` ${firstLine(subject)}: ${firstLine(message)}`],
    ...(refs.length > 0
      ? [[`  hurts ${refs.slice(0, NAMED).map(firstLine).join(', ')}${more}${good}`] satisfies Line]
      : []),
  ]
}

/** Returns the findings and the result of a repair. */
export function repairLines({ before, done }: Repair, dryRun: boolean): Line[] {
  if (before.ok) return fsckLines(before)
  if (!done) return [...fsckLines(before), [dryRun ? 'nothing was changed' : 'nothing was mended']]
  const lost = done.operations.length
  return [
    ...before.findings.flatMap(findingLines),
    ...done.written.map((file): Line => [`'${file}' was written again`]),
    ...(done.pairs > 0
      ? [
          [
            `made anew of ${counted(done.pairs, 'sound pair')}; ${done.dropped} failed their checksum`,
          ] satisfies Line,
        ]
      : []),
    ...(lost > 0 ? [[`${counted(lost, 'operation')} told by the journal alone`] satisfies Line] : []),
    ...(done.entries > 0
      ? [[`${counted(done.entries, 'entry', 'entries')} brought back`] satisfies Line]
      : []),
    ...done.refs.map(
      ({ name, old, new: value }): Line => [`${firstLine(name)}: ${shown(old)} -> ${shown(value)}`],
    ),
    ...done.lost.map((name): Line => [`lost: the newest value of ${firstLine(name)}`]),
    ...(done.aside === null ? [] : [[`what was there before lies in '${done.aside}'`] satisfies Line]),
    ...fsckLines(done.after),
  ]
}

const shown = (value: unknown): string => {
  if (value === null) return 'none'
  return firstLine(typeof value === 'string' ? value.slice(0, 12) : JSON.stringify(value)).slice(0, 60)
}

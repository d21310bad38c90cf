import { join, relative } from 'node:path'
import { short } from '../../model/encoding/oid.ts'
import { typable } from '../../model/shellword.ts'
import { aligned, counted, firstLine, grouped, type Line, sized, styled } from '../../text/text.ts'
import { pad, padStart, widthOf } from '../../text/width.ts'
import type {
  BasedSession,
  DiscoveredFiles,
  Grafting,
  Imported,
  ImportNotice,
  ImportTotals,
  MovedId,
  Skipped,
  UnknownOfFormat,
  UnlinkedSubagent,
  Unread,
} from '../../verbs/types.ts'

/** Warnings of one file that are shown; the others are counted. */
const WARNINGS = 3

/** Returns the sessions found of each agent, one line for each folder. */
export function foundPlaces(found: readonly DiscoveredFiles[], home: string): Line[] {
  const rows = found.map(({ agent, folder, files }) => [
    styled('bold', agent),
    firstLine(folder.startsWith(join(home, '/')) ? join('~', relative(home, folder)) : folder),
    counted(files.length, 'file'),
    sized(files.reduce((sum, { size }) => sum + size, 0)),
  ])
  return aligned(rows, 2)
}

/** Returns the result of importing a file, with its first warnings or all of them. */
export function importedFile(file: Imported, cwd: string, all = false): Line[] {
  const most = all ? Number.POSITIVE_INFINITY : WARNINGS
  const { path, format, session, contained, exported, salvaged, warnings } = file
  const notes = [
    ...(exported === undefined
      ? []
      : ['it was exported from that session, which continues with the new entries']),
    ...(contained ? ['an earlier state of the session: the store has all of it'] : []),
    ...(salvaged > 0 ? [`${counted(salvaged, 'record')} salvaged from damaged lines`] : []),
    ...warnings.slice(0, most).map(notice),
    ...(warnings.length > most ? [`${counted(warnings.length - most, 'more warning')}: -v lists them`] : []),
  ]
  return [
    [styled('bold', firstLine(nearby(path, cwd)))],
    [`  ${format} session `, styled('yellow', firstLine(session)), `: ${share(file)}`],
    ...notes.map((note): Line => [styled('yellow', `  ${note}`)]),
  ]
}

/** Returns the results of importing many files, one line for each agent. */
export function agentLines(files: readonly Imported[]): Line[] {
  const agents = [...new Set(files.map(({ format }) => format))].sort()
  const rows = agents.map((agent) => {
    const own = files.filter(({ format }) => format === agent)
    const sum = (of: (file: Imported) => number): number => own.reduce((total, file) => total + of(file), 0)
    const [entries, newEntries] = [sum((file) => file.entries), sum((file) => file.newEntries)]
    const warned = own.filter(({ warnings, salvaged }) => salvaged + warnings.length > 0).length
    return [
      agent,
      counted(own.length, 'file'),
      counted(new Set(own.map(({ session }) => session)).size, 'session'),
      `${counted(entries, 'entry')}, ${newEntries === 0 ? 'nothing' : grouped(newEntries)} new`,
      warned > 0 ? `warnings in ${counted(warned, 'file')}: -v lists them` : '',
    ] as const
  })
  const [names = 0, counts = 0, sessions = 0, entries = 0] = [0, 1, 2, 3].map((at) =>
    Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))),
  )
  return rows.map(([agent, count, session, entry, warning]) => [
    styled('bold', pad(agent, names)),
    `  ${padStart(count, counts)}  ${padStart(session, sessions)}  ${warning === '' ? entry : pad(entry, entries)}`,
    styled('yellow', warning === '' ? '' : `  ${warning}`),
  ])
}

/** Why a file of a folder was skipped. */
const SKIPPED: Readonly<Record<Exclude<Skipped['skipped'], 'no-message'>, string>> = {
  'no-conversation': 'no conversation',
  'symbolic-link': 'a symbolic link',
  credentials: 'credentials',
}

/** The number of skipped files that are named for each reason. */
const NAMED = 5

/** Returns the files that were skipped, one line for each reason. */
export const skippedLines = (skipped: readonly Skipped[], cwd: string): Line[] =>
  Object.entries(SKIPPED).flatMap(([reason, why]) => {
    const paths = skipped
      .filter((one) => one.skipped === reason)
      .map(({ path }) => firstLine(nearby(path, cwd)))
    if (paths.length === 0) return []
    const more = paths.length - NAMED
    const names = [...paths.slice(0, NAMED), ...(more > 0 ? [`and ${grouped(more)} more`] : [])]
    return [[styled('dim', `skipped, ${why}: ${names.join(', ')}`)]]
  })

/** Returns how many files hold no message yet. */
export function silentLines(skipped: readonly Skipped[]): Line[] {
  const silent = skipped.filter((one) => one.skipped === 'no-message')
  if (silent.length === 0) return []
  const kept = silent.filter(({ session }) => session !== undefined).length
  const some = kept === silent.length ? '' : `${grouped(kept)} of them `
  const how = kept > 0 ? `; ${some}kept with the session of the same id` : ''
  const verb = silent.length === 1 ? 'holds' : 'hold'
  return [[styled('dim', `${counted(silent.length, 'file')} ${verb} no message yet${how}`)]]
}

/** Returns the files whose sessions got another id, a line each. */
export const movedLines = (moved: readonly MovedId[], cwd: string): Line[] =>
  moved.map(({ path, before, now, file }) => [
    ...[
      styled('bold', firstLine(nearby(path ?? before, cwd))),
      ' is session ',
      styled('yellow', firstLine(now)),
    ],
    file === undefined ? ` now, it was ${firstLine(before)}` : "'s now, as a file without a message",
  ])

/** Why something was not read. */
const WHY_UNREAD: Readonly<Record<Unread['unread'], string>> = {
  unknown: 'unknown to this version of sess',
  'newer-version': 'a newer version than this sess reads',
  'symbolic-link': 'a symbolic link that is not followed',
  shortened: 'it no longer begins with what is stored',
}

/** Returns what looks like sessions and was not read, a line each. */
export const unreadLines = (unread: readonly Unread[], cwd: string): Line[] =>
  unread.map(({ path, unread: reason, name, count, note, session }) => [
    styled('yellow', `not read: ${firstLine(name)} (${grouped(count)}) in ${firstLine(nearby(path, cwd))}: `),
    styled(
      'yellow',
      `${WHY_UNREAD[reason]}${note === undefined ? '' : `; ${firstLine(note)}`}${restoring({ unread: reason, session })}`,
    ),
  ])

/** The number of unknown names that are shown of a format. */
const UNKNOWN = 5

/** Returns what is kept and not understood, a line for each format. */
export const unknownLines = (formats: readonly UnknownOfFormat[]): Line[] =>
  formats.map(({ format, version, unknown: { types, fields, more = 0 } }) => {
    const counts = [
      ...(types.length > 0 ? [counted(types.length, 'record type')] : []),
      ...(fields.length > 0 ? [counted(fields.length, 'field')] : []),
      ...(more > 0 ? [counted(more, 'other')] : []),
    ]
    const names = [...types, ...fields].map(([name]) => firstLine(name))
    const shown = names.slice(0, UNKNOWN).join(', ')
    const left = names.length - UNKNOWN
    const rest = left > 0 ? `, and ${grouped(left)} more: sess formats ${format}` : ''
    const isOne = types.length + fields.length + more === 1
    const of = version === null ? format : `${format} ${firstLine(version)}`
    return [
      styled('yellow', `${enumerated(counts)} of ${of} ${isOne ? 'is' : 'are'} kept but not understood: `),
      styled('yellow', `${shown}${rest}`),
    ]
  })

const enumerated = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
/** Returns how to put back a file that no longer holds what is stored of it. */
const restoring = ({
  unread,
  session,
}: Pick<Unread, 'unread'> & { readonly session: string | undefined }): string =>
  unread === 'shortened' && session !== undefined
    ? `; to put it back: sess export ${typable(session, 'SESSION')} --to-agent --force`
    : ''

/** Returns a notice with its position. */
export const notice = ({ line, offset, message }: ImportNotice): string =>
  line === 0 ? firstLine(message) : `line ${line}, byte ${grouped(offset)}: ${firstLine(message)}`

/** Returns what is new in a file, in one line. */
export function watchedFile(file: Imported, time: string, cwd: string): Line {
  const news = file.newEntries > 0 ? `+${counted(file.newEntries, 'entry')}` : 'no new entry'
  return [
    styled('dim', time),
    ` ${file.format} `,
    styled('yellow', firstLine(file.session)),
    ` ${news}  `,
    styled('dim', firstLine(nearby(file.path, cwd))),
  ]
}

/** Returns a path relative to a folder that contains it. */
const nearby = (path: string, folder: string): string =>
  path.startsWith(join(folder, '/')) ? relative(folder, path) : path

/** Returns how many of some entries are new, in words. */
function share({ entries, newEntries, records, newObjects }: ImportTotals | Imported): string {
  const all = `${counted(entries, 'entry')} in ${counted(records, 'record')}`
  if (newEntries === entries && entries > 0) return `${all}, all new`
  if (newEntries > 0)
    return `${all}, ${grouped(newEntries)} new, ${grouped(entries - newEntries)} shared with what was there`
  return newObjects > 0 || entries === 0 ? all : `${all}, nothing new`
}

/** Returns the totals of an import. */
export function importedTotals(totals: ImportTotals, dryRun: boolean): Line[] {
  const { files, sessions, bytes } = totals
  const taken = `${counted(files, 'file')}, ${sized(bytes)}, ${counted(sessions, 'session')}`
  return [[styled('dim', `${dryRun ? 'would import ' : ''}${taken}: ${share(totals)}`)]]
}

/** Why an entry with a missing parent was not attached. */
const WHY: Readonly<Record<Exclude<Grafting['outcome'], 'joined' | 'missing'>, string>> = {
  ambiguous: 'several sessions have it',
  shared: 'another session begins with the same entry, which continues nothing there',
  circle: 'that continues the entry itself',
}

/** Returns the outcome for entries with missing parents; those whose parent no session has are only counted. */
export function graftLines(grafts: readonly Grafting[]): Line[] {
  const missing = grafts.filter(({ outcome }) => outcome === 'missing').length
  return [
    ...grafts.flatMap((grafting): Line[] => graftLine(grafting)),
    ...(missing > 0
      ? [[styled('yellow', `${counted(missing, 'entry')} with a parent that no imported session contains`)]]
      : []),
  ]
}

/** The number of sessions that are named for each outcome. */
const NAMED_BASES = 3

/** How a session with a base that is in another session is told, by the outcome. */
const BASED: Readonly<Record<BasedSession['outcome'], (base: string) => string>> = {
  joined: (base) => `continues '${base}' now`,
  missing: (base) => `begins in '${base}', which is missing here: import that, and it is joined`,
  unread: (base) => `begins in '${base}': 'sess import --reread' joins it`,
  circle: (base) => `begins in '${base}', which leads back to it: it stays without that history`,
}

/** Returns the sessions that refer to a history that the store lacks, or are joined to it now that it has come. */
export const baseLines = (bases: readonly BasedSession[]): Line[] =>
  (Object.keys(BASED) as BasedSession['outcome'][]).flatMap((outcome) => {
    const those = bases.filter((one) => one.outcome === outcome)
    const more = those.length - NAMED_BASES
    const color = outcome === 'joined' ? 'dim' : 'yellow'
    const lines = those
      .slice(0, NAMED_BASES)
      .map(
        ({ session, base }): Line => [
          styled(color, `session ${firstLine(session)} ${BASED[outcome](firstLine(base))}`),
        ],
      )
    return more > 0 ? [...lines, [styled(color, `and ${grouped(more)} more`)]] : lines
  })

/** How many sub-agents without their calls are listed. */
const UNLINKED = 3

/** Returns the sub-agents whose files name calls that are missing. */
export function unlinkedLines(unlinked: readonly UnlinkedSubagent[]): Line[] {
  const left = unlinked.length - UNLINKED
  return [
    ...unlinked
      .slice(0, UNLINKED)
      .map(
        ({ session, agent, call }): Line => [
          styled('yellow', `${firstLine(agent)} names a call that session ${firstLine(session)} lacks: `),
          styled('yellow', firstLine(call)),
        ],
      ),
    ...(left > 0
      ? [[styled('yellow', `${counted(left, 'more sub-agent')} without the call that it names`)]]
      : []),
  ]
}

function graftLine({ session, root, native, outcome, parent, holder }: Grafting): Line[] {
  if (outcome === 'missing') return []
  const entry: Line = [styled('yellow', short(root)), ` of session ${firstLine(session)} `]
  if (outcome === 'joined') {
    const held = ` of session ${firstLine(holder ?? '')}`
    return [[...entry, 'continues ', styled('yellow', parent === null ? '' : short(parent)), held]]
  }
  return [[...entry, styled('yellow', `lacks its parent '${firstLine(native)}': ${WHY[outcome]}`)]]
}

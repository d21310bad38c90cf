import { join, relative } from 'node:path'
import type { Imported, Totals } from '../../ops/import.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, firstLine, grouped, sized } from './text.ts'

/** Warnings of one file that are shown; the others are counted. */
const WARNINGS = 3

/** Gives what came of a file. */
export function importedFile(file: Imported, cwd: string): Line[] {
  const { path, format, session, contained, salvaged, warnings } = file
  const notes = [
    ...(contained ? ['an earlier state of the session: the store has all of it'] : []),
    ...(salvaged > 0 ? [`${counted(salvaged, 'record')} salvaged from damaged lines`] : []),
    ...warnings.slice(0, WARNINGS).map(({ line, message }) => `line ${line}: ${firstLine(message)}`),
    ...(warnings.length > WARNINGS
      ? [`${counted(warnings.length - WARNINGS, 'more warning')}: --json lists them`]
      : []),
  ]
  return [
    [styled('bold', firstLine(nearby(path, cwd)))],
    [`  ${format} session `, styled('yellow', firstLine(session)), `: ${share(file)}`],
    ...notes.map((note): Line => [styled('yellow', `  ${note}`)]),
  ]
}

/** Gives a path as it is seen from a folder that it lies in. */
const nearby = (path: string, folder: string): string =>
  path.startsWith(join(folder, '/')) ? relative(folder, path) : path

/** Says how much of some entries is new. */
function share({ entries, newEntries, records, newObjects }: Totals | Imported): string {
  const all = `${counted(entries, 'entry', 'entries')} in ${counted(records, 'record')}`
  if (newEntries === entries && entries > 0) return `${all}, all new`
  if (newEntries > 0)
    return `${all}, ${grouped(newEntries)} new, ${grouped(entries - newEntries)} shared with what was there`
  return newObjects > 0 || entries === 0 ? all : `${all}, nothing new`
}

/** Gives what came of all files together. */
export function importedTotals(totals: Totals): Line[] {
  const { files, sessions, bytes } = totals
  const taken = `${counted(files, 'file')}, ${sized(bytes)}, ${counted(sessions, 'session')}`
  return [[styled('dim', `${taken}: ${share(totals)}`)]]
}

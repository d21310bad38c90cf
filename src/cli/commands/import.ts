import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { short } from '../../model/encoding/oid.ts'
import type { Grafting } from '../../ops/graft.ts'
import type { ImportOptions } from '../../ops/import/import.ts'
import type { ImportProgress } from '../../ops/import/queue.ts'
import { type Imported, UNREAD } from '../../ops/import/result.ts'
import { unknownByFormat } from '../../ops/import/unknownofimport.ts'
import type { ReadAs, Reread, UnchangedReading } from '../../ops/reread/reread.ts'
import { homeOf } from '../../repo/environment.ts'
import type { Repo } from '../../repo/repo.ts'
import { kindOf } from '../../sources/files.ts'
import { counted, firstLine, grouped, type Line, sized, styled } from '../../text/text.ts'
import { anyOf, arrayOf, described, integer, nullable, object, oneOf, string } from '../../verbs/schema.ts'
import {
  basedSchema,
  graftSchema,
  IMPORT_COUNTS,
  IMPORTED,
  IMPORTED_SOMETIMES,
  oidSchema,
  unknownSchema,
  warningsSchema,
} from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { hintOf } from '../errors/hints.ts'
import { EXIT } from '../exitcodes.ts'
import { CHOOSING_OPTIONS, machineOf, wantedBy } from '../importoptions.ts'
import type { Invocation } from '../invocation.ts'
import { file, flag, several } from '../parameters.ts'
import { during, type ProgressStep } from '../progress.ts'
import {
  agentLines,
  baseLines,
  foundPlaces,
  graftLines,
  importedFile,
  importedTotals,
  movedLines,
  notice,
  silentLines,
  skippedLines,
  unknownLines,
  unlinkedLines,
  unreadLines,
} from '../render/import.ts'

/** From more files on, a summary by agent replaces the lines of each file. */
const MANY = 20

const READING = { format: string, reading: integer }

/** `sess import`: imports session files of agents. */
export const command = defineCommand({
  effect: 'write',
  reportsStop: true,
  arguments: {
    path: several(file('path'), 'files and folders; by default, the sessions of all agents on this machine'),
  },
  options: {
    all: flag('import every file of a folder, also those without a conversation'),
    quiet: flag('print only what could not be read', { short: 'q' }),
    reread: flag('parse stored sessions again with the newest readers', {
      excludes: ['all', 'agent', 'format', 'since', 'cwd'],
    }),
    ...CHOOSING_OPTIONS,
  },
  help: `In a folder, import takes databases of agents and the .jsonl and .json files that contain a conversation, but never
files of credentials. What it skips is listed. With --all it takes every file, and keeps a database as a file too. A
file named on the command line is always imported. Sources are never changed. More than ${MANY} files are summed up by
agent; --json lists each. Importing the same files again stores nothing twice, and sessions whose files were deleted
stay in the store.

With --reread, no file is read: sessions (all, or those named) that an older version parsed differently are parsed
again from the store. Branches, labels, forks and appended entries move along; each old oid is printed with its new one.`,
  examples: [
    ['sess import', 'import the sessions of all agents on this machine; later, what is new'],
    ['sess import --agent claude --since 2w', 'sessions of Claude Code of the last two weeks'],
    ['sess import sessions', 'a folder'],
    ['sess import --reread -n', 'show what newer readers would change'],
  ],
  output: output(
    'Without paths first a line for each place. A line for each file and each entry that lacks its parent, then one ' +
      'with totals. A path that could not be read is an error on stderr. With --reread a line for each session that ' +
      'was read again.',
    anyOf(
      object({ found: object({ agent: string, folder: string, files: integer, bytes: integer }) }),
      object(IMPORTED, IMPORTED_SOMETIMES),
      described(
        'a file of a folder that makes no session',
        object(
          { path: string, skipped: oneOf('no-conversation', 'no-message', 'symbolic-link', 'credentials') },
          {
            session: described('the session that has the file without a message among its own', string),
            shortened: described('the bytes that the file had before; the store has them', integer),
          },
        ),
      ),
      described(
        'what looks like sessions and was not read',
        object(
          { path: string, unread: oneOf(...UNREAD), name: string, count: integer },
          { note: string, session: string },
        ),
      ),
      described(
        'a file whose session got another id, because another file has the better claim to it',
        object({
          moved: object({ path: nullable(string), before: string, now: string }, { file: string }),
        }),
      ),
      described(
        'a session that refers to a history that the store lacks, or is joined to it now that it has come',
        object({ base: basedSchema }),
      ),
      described(
        'what is kept and not understood, of all files of a format together',
        object({ format: string, version: nullable(string), unknown: unknownSchema }),
      ),
      object({ graft: graftSchema }),
      described(
        'a sub-agent whose file names a call that the session that started it does not have',
        object({ unlinked: object({ session: string, agent: string, call: string }) }),
      ),
      object({
        reread: object({
          session: string,
          before: object(READING),
          now: object(READING),
          records: integer,
          entries: integer,
          map: described(
            'each entry that changed and its new oid, null if it has none',
            arrayOf(arrayOf(nullable(oidSchema))),
          ),
          warnings: warningsSchema,
        }),
      }),
      described('with --reread and a name', object({ kept: object({ session: string, ...READING }) })),
      object({ totals: object({ files: integer, sessions: integer, ...IMPORT_COUNTS }) }),
    ),
  ),
  run: async (call, { path: paths, all, quiet, reread, ...choosing }, out) => {
    if (reread) return rereadSessions(call, paths)
    const { io, platform } = call
    const only = wantedBy(choosing)
    compressInTwoThreads()
    // LevelDB opens while these modules are loaded (6 ms): an import of unchanged files does little else.
    const repo = await call.repo({ create: true, ahead: true })
    // Once Node's own modules are loaded: under other flags than those of its build, Node compiles them (5 ms).
    setImmediate(setUpEngine)
    const { importPaths } = await import('../../ops/import/import.ts')
    const found =
      paths.length === 0
        ? (await import('../../ops/discover.ts')).discoverSessions(repo, machineOf(call, choosing))
        : undefined
    const places = found?.filter(({ files }) => files.length > 0)
    for (const { agent, folder, files } of (io.json && places) || []) {
      const bytes = files.reduce((sum, { size }) => sum + size, 0)
      await out.data({ found: { agent, folder, files: files.length, bytes } })
    }
    if (places && !io.json && !quiet) {
      for (const line of foundPlaces(places, homeOf(platform))) await io.print(...line)
      if (places.length === 0)
        await io.note('no sessions of agents were found here: name files or folders to import')
    }
    const grafts: Grafting[] = []
    const imported: Imported[] = []
    const notKnown: Imported[] = []
    let at: ImportProgress = { files: 0, bytes: 0, ofFiles: 0, ofBytes: 0 }
    const step = (): ProgressStep => ({
      text: `importing: ${grouped(at.files)} of ${counted(at.ofFiles, 'file')}, ${sized(at.bytes)}`,
      part: at.bytes / Math.max(1, at.ofBytes),
    })
    let printed: Promise<void> | undefined
    const from = platform.env.cwd
    const wanted = found?.flatMap(({ files }) => files) ?? paths.map((path) => resolve(from, path))
    const linked = await linkPlaces(call, repo, paths)
    const importing = during(call, step, (progress) =>
      // It reports itself what is kept when it is stopped.
      call.finish(
        importPaths(repo, wanted, {
          all,
          only,
          ...linked,
          links: found?.flatMap(({ links }) => links) ?? [],
          onBegin: (_, bytes) => {
            if (bytes >= LARGE) boundMemory()
          },
          onProgress: (now) => {
            at = now
          },
          onGraft: (grafting) => {
            grafts.push(grafting)
          },
          onFile: (one) => {
            progress.clear()
            if ('error' in one) {
              const { error, others } = one
              const hint = `${hintOf(error)}; the other files are imported`
              call.refuse(others ? error.with({ hint }) : error, EXIT[error.kind])
              return
            }
            if (one.unknown) notKnown.push(one)
            if (io.json || at.ofFiles > MANY) imported.push(one)
            else if (!quiet && (!found || isNews(one)))
              for (const line of importedFile(one, from)) void io.print(...line)
            printed = io.flush()
            // Reported after the import: what was imported stays even if nobody reads the report.
            printed.catch(() => undefined)
          },
        }),
      ),
    )
    const { totals, skipped, moved, bases, unlinked, ...imports } = await importing.catch(
      async (error: unknown) => {
        // The files that were imported before it stopped are kept, and are reported.
        if (io.json) for (const one of imported) await out.data(one)
        throw error
      },
    )
    const unread = [...(found?.flatMap((place) => place.unread) ?? []), ...imports.unread]
    await printed
    if (io.json) {
      // Only at the end is it known which file has an id that several have.
      for (const one of imports.files) await out.data(one)
      for (const one of skipped) await out.data(one)
      for (const one of unread) await out.data(one)
      for (const base of bases) await out.data({ base })
      for (const one of unknownByFormat(notKnown)) await out.data(one)
      for (const one of moved) await out.data({ moved: one })
      for (const graft of grafts) await out.data({ graft })
      for (const { session, agent, call: id } of unlinked)
        await out.data({ unlinked: { session, agent, call: id } })
      await out.data({ totals })
      return
    }
    if (quiet) return
    const unreadOrSkipped = [
      ...[...movedLines(moved, from), ...skippedLines(skipped, from)],
      ...[...silentLines(skipped), ...unreadLines(unread, from)],
    ]
    for (const line of [
      ...agentLines(imported),
      ...unreadOrSkipped,
      ...unknownLines(unknownByFormat(notKnown)),
      ...baseLines(bases),
      ...graftLines(grafts),
      ...unlinkedLines(unlinked),
    ])
      await io.print(...line)
    if (grafts.some(({ outcome }) => outcome === 'missing' || outcome === 'ambiguous'))
      await io.note('to look for missing parents in all sessions, type: sess fsck --relink')
    if (wanted.length > 0 && (totals.files > 0 || call.status === 0))
      for (const line of importedTotals(totals, call.dryRun)) await io.print(...line)
    const isRead = totals.files > 0 || unread.length > 0
    if (paths.length > 0 && !isRead && call.status === 0)
      await io.note(nothingThere(all || Object.keys(choosing).length > 0))
  },
})

/** Returns the places of agents, at which links in folders are followed; nothing where no folder is named. */
async function linkPlaces(
  call: Invocation,
  repo: Repo,
  paths: readonly string[],
): Promise<Pick<ImportOptions, 'places'>> {
  const { platform } = call
  if (!paths.some((path) => kindOf(resolve(platform.env.cwd, path)) === 'folder')) return {}
  const { agentPlaces } = await import('../../ops/discover.ts')
  const places = agentPlaces(repo, machineOf(call, {})).filter(({ flat }) => !flat)
  return { places: { home: homeOf(platform), folders: places.map(({ folder }) => folder) } }
}

/** Returns why nothing of what was named was imported. */
const nothingThere = (isChosen: boolean): string =>
  isChosen
    ? 'no file there is one that was asked for'
    : 'no file there holds a conversation of a known format: name a file itself to import it'

/** Returns whether anything of a file is new; files of agents without news are not listed. */
const isNews = ({ newObjects }: Imported): boolean => newObjects > 0

/** From this size of a file on, memory goes before speed. */
const LARGE = 128 << 20

/**
 * Keeps the engine's heap close to what is in use: it is cleaned when it has grown by a fifth, not to its double, and
 * new objects get a megabyte, not sixteen. Costs a quarter more time and holds for the rest of the process.
 */
function boundMemory(): void {
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Sets the engine up for an import.
 *
 * Functions are optimized after three times the usual number of runs. An import runs most of its code for a few
 * seconds: by default the compiler's threads take as much processor time as the import itself.
 *
 * The heap is cleaned when it has doubled, not when it has grown to four times what is in use.
 */
function setUpEngine(): void {
  setFlagsFromString('--interrupt-budget=400000')
  setFlagsFromString('--heap-growing-percent=100')
}

/** Has two threads compress in place of four, each of which keeps up to 20 MB. To be called before a store is opened. */
function compressInTwoThreads(): void {
  process.env['UV_THREADPOOL_SIZE'] ??= '2'
}

async function rereadSessions(call: Invocation, names: readonly string[]) {
  let done = 0
  const step = (): ProgressStep => ({ text: `reading again: ${counted(done, 'session')}` })
  const onSession = (): void => void done++
  const { sessions, grafts } = await during(call, step, async () => {
    const { rereadSources } = await import('../../ops/reread/reread.ts')
    return rereadSources(await call.repo(), names, { onSession })
  })
  const read = sessions.filter((one) => 'map' in one)
  const kept = sessions.flatMap((one) => ('map' in one ? [] : [one]))
  const named = names.length > 0 ? kept : []
  return {
    data: [
      ...read.map((one) => ({ reread: one })),
      ...named.map((one) => ({ kept: one })),
      ...grafts.map((graft) => ({ graft })),
    ],
    render: () => [...read.flatMap(rereadLines), ...named.map(keptLine), ...graftLines(grafts)],
    notes:
      read.length > 0 || names.length > 0
        ? []
        : [`nothing to read again: ${counted(kept.length, 'session')} read by the newest readers`],
    back: read.length > 0 ? 'sess undo' : undefined,
  }
}

const readAs = ({ format, reading }: ReadAs): string => `${format}, reading ${reading}`

/** Returns the result of parsing a source again: each entry that changed, with its new oid. */
function rereadLines({ session, before, now, records, entries, map, warnings }: Reread): Line[] {
  return [
    ['Session ', styled('yellow', firstLine(session)), ` is read as ${readAs(now)} (was ${readAs(before)})`],
    [`  ${counted(entries, 'entry')} in ${counted(records, 'record')}, ${map.length} changed`],
    ...map.map(
      ([old, next]): Line => [
        '  ',
        styled('dim', short(old)),
        ' → ',
        next === null ? styled('dim', 'nothing') : styled('yellow', short(next)),
      ],
    ),
    ...warnings.map((one): Line => [styled('yellow', `  ${notice(one)}`)]),
  ]
}

/** Returns that a session stays as it was read. */
const keptLine = (kept: UnchangedReading): Line => [
  'Session ',
  styled('yellow', firstLine(kept.session)),
  ` stays: it was read as ${readAs(kept)}, the newest`,
]

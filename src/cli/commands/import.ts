import { setFlagsFromString } from 'node:v8'
import { short } from '../../model/encoding/oid.ts'
import { counted, firstLine, type Line, styled } from '../../text/text.ts'
import { importInto, importVerb, totalsSchema } from '../../verbs/import.ts'
import {
  checkChoice,
  importedSchema,
  movedSchema,
  placeData,
  placeSchema,
  skippedSchema,
  unknownOfFormatSchema,
  unlinkedData,
  unlinkedSchema,
  unreadSchema,
} from '../../verbs/importing.ts'
import { rereadSchema, reread as rereadVerb, unchangedReadingSchema } from '../../verbs/reread.ts'
import { anyOf, described, object, type ValueOf } from '../../verbs/schema.ts'
import type { Imported, Reread, SessionImport, UnchangedReading } from '../../verbs/types.ts'
import { basedSchema, graftSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { hintOf } from '../errors/hints.ts'
import { EXIT } from '../exitcodes.ts'
import type { Invocation } from '../invocation.ts'
import { flag } from '../parameters.ts'
import { performed } from '../progress.ts'
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

const { path, all, agent, format, since, cwd } = importVerb.input

/** A line of the output. */
const lineSchema = anyOf(
  object({ found: placeSchema }),
  importedSchema,
  skippedSchema,
  unreadSchema,
  described(
    'a file whose session got another id, because another file has the better claim to it',
    object({ moved: movedSchema }),
  ),
  described(
    'a session that refers to a history that the store lacks, or is joined to it now that it has come',
    object({ base: basedSchema }),
  ),
  unknownOfFormatSchema,
  object({ graft: graftSchema }),
  described(
    'a sub-agent whose file names a call that the session that started it does not have',
    object({ unlinked: unlinkedSchema }),
  ),
  object({ reread: rereadSchema }),
  described('with --reread and a name', object({ kept: unchangedReadingSchema })),
  object({ totals: totalsSchema }),
)

/** `sess import`: imports session files of agents. */
export const command = defineCommand({
  effect: importVerb.effect,
  reportsStop: true,
  arguments: { path },
  options: {
    all,
    quiet: flag('print only what could not be read', { short: 'q' }),
    verbose: flag('list every file, with all its warnings', { short: 'v', excludes: ['quiet', 'reread'] }),
    reread: flag('parse stored sessions again with the newest readers', {
      excludes: ['all', 'agent', 'format', 'since', 'cwd'],
    }),
    agent,
    format,
    since,
    cwd,
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
    lineSchema,
  ),
  run: async (call, { quiet, verbose, reread, ...input }, out) => {
    if (reread) return rereadSessions(call, input.path)
    const { io, platform } = call
    await checkChoice(input)
    compressInTwoThreads()
    // LevelDB opens while the modules of an import are loaded (6 ms): one of unchanged files does little else.
    const context = await call.context({ create: true, ahead: true })
    // Once Node's own modules are loaded: under other flags than those of its build, Node compiles them (5 ms).
    setImmediate(setUpEngine)
    const from = platform.env.cwd
    const isNamed = input.path.length > 0
    const imported: Imported[] = []
    let printed: Promise<void> | undefined
    const begin = { step: 'importing', done: { files: 0, bytes: 0 }, of: { files: 0, bytes: 0 } }
    const importing = performed(call, begin, (progress) =>
      // It reports itself what is kept when it is stopped.
      call.finish(
        importInto(context, input, {
          onPlaces: async (places) => {
            if (io.json) for (const place of places) await out.data({ found: placeData(place) })
            else if (!quiet) {
              for (const line of foundPlaces(places, call.machine.home)) await io.print(...line)
              if (places.length === 0)
                await io.note('no sessions of agents were found here: name files or folders to import')
            }
          },
          onBegin: (_, bytes) => {
            if (bytes >= LARGE) boundMemory()
          },
          onFile: (one) => {
            progress.clear()
            if ('error' in one) {
              const { error, others } = one
              const hint = `${hintOf(error)}; the other files are imported`
              call.refuse(others ? error.with({ hint }) : error, EXIT[error.kind])
              return
            }
            if (io.json || (!verbose && (call.progress?.of?.files ?? 0) > MANY)) imported.push(one)
            else if (!quiet && (verbose || isNamed || isNews(one)))
              for (const line of importedFile(one, from, verbose)) void io.print(...line)
            printed = io.flush()
            // Reported after the import: what was imported stays even if nobody reads the report.
            printed.catch(() => undefined)
          },
        }),
      ),
    )
    const result = await importing.catch(async (error: unknown) => {
      // The files that were imported before it stopped are kept, and are reported.
      if (io.json) for (const one of imported) await out.data(one)
      throw error
    })
    await printed
    if (io.json) {
      for (const one of dataOf(result)) await out.data(one)
      return
    }
    if (quiet) return
    for (const line of [...agentLines(imported), ...resultLines(result, from)]) await io.print(...line)
    const { grafts, totals, wanted, unread } = result
    if (grafts.some(({ outcome }) => outcome === 'missing' || outcome === 'ambiguous'))
      await io.note('to look for missing parents in all sessions, type: sess fsck --relink')
    if (wanted > 0 && (totals.files > 0 || call.status === 0))
      for (const line of importedTotals(totals, call.dryRun)) await io.print(...line)
    const isRead = totals.files > 0 || unread.length > 0
    const { path: _, all: isAll, ...choosing } = input
    if (isNamed && !isRead && call.status === 0)
      await io.note(nothingThere(isAll || Object.keys(choosing).length > 0))
  },
})

/** Yields the result of an import: only at its end is it known which file has an id that several have. */
function* dataOf(result: SessionImport): Generator<ValueOf<typeof lineSchema>> {
  yield* result.files
  yield* result.skipped
  yield* result.unread
  for (const base of result.bases) yield { base }
  yield* result.unknown
  for (const moved of result.moved) yield { moved }
  for (const graft of result.grafts) yield { graft }
  for (const one of result.unlinked) yield { unlinked: unlinkedData(one) }
  yield { totals: result.totals }
}

/** Returns what people see of the result of an import, besides its files and totals. */
const resultLines = (
  { moved, skipped, unread, unknown, bases, grafts, unlinked }: SessionImport,
  from: string,
): Line[] => [
  ...movedLines(moved, from),
  ...skippedLines(skipped, from),
  ...silentLines(skipped),
  ...unreadLines(unread, from),
  ...unknownLines(unknown),
  ...baseLines(bases),
  ...graftLines(grafts),
  ...unlinkedLines(unlinked),
]

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
  const context = await call.context()
  const begin = { step: 'reading again', done: { sessions: 0 } }
  const { sessions, grafts } = await performed(call, begin, () => rereadVerb.run(context, { session: names }))
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

const readAs = ({ format: name, reading }: Reread['now']): string => `${name}, reading ${reading}`

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

import { resolve } from 'node:path'
import { EXIT, SessError } from '../../model/errors.ts'
import { discoverSessions } from '../../ops/discover.ts'
import type { Grafting } from '../../ops/graft.ts'
import type { Imported } from '../../ops/import/imported.ts'
import type { ImportProgress } from '../../ops/import/queue.ts'
import { importPaths } from '../../ops/import.ts'
import { homeOf } from '../../repo/location.ts'
import type { DiscoveredFiles } from '../../sources/sessionfolders.ts'
import type { Call, Define } from '../call.ts'
import { type Choosing, choosingOptions, machineOf, wantedBy } from '../choosing.ts'
import { examples } from '../examples.ts'
import { boundMemory, LARGE, optimiseLate } from '../memory.ts'
import { allFilled } from '../options.ts'
import { Progress } from '../progress.ts'
import { graftLines } from '../render/graft.ts'
import { foundPlaces, importedFile, importedTotals } from '../render/import.ts'
import { counted, grouped, sized } from '../render/text.ts'
import { rereadSessions } from '../reread.ts'

interface Options extends Choosing {
  readonly all?: boolean
  readonly reread?: boolean
}

/** `sess import`: takes files into the store. */
export const define: Define = (command, act) => {
  choosingOptions(
    command
      .argument(
        '[path...]',
        'files and folders; by default, the sessions of all agents on this machine',
        allFilled,
      )
      .option('--all', 'import every file of a folder, also without a conversation')
      .option('--reread', 'parse stored sessions again with the newest readers'),
  )
    .addHelpText(
      'after',
      `
In a folder, import takes the files of known formats and other .jsonl and .json files that contain a conversation,
but never files of credentials. A file named on the command line is always imported. Sources are never changed.
Importing the same files again stores nothing twice, and sessions whose files were deleted stay in the store.

With --reread, no file is read: sessions (all, or those named) that an older version parsed differently are parsed
again from the store. Branches, labels, forks and appended entries move along; each old oid is printed with its new one.`,
    )
    .action(
      act(async (call, paths: string[], { all = false, reread, ...choosing }: Options) => {
        if (reread) {
          const other = CHOOSING.find((name) => choosing[name] !== undefined) ?? (all ? 'all' : undefined)
          if (other !== undefined) throw noFiles(other)
          return rereadSessions(call, paths)
        }
        optimiseLate()
        const { io, world } = call
        const only = wantedBy(call, choosing)
        const machine = machineOf(call, choosing, paths)
        const repo = await call.repo({ create: true })
        const found = paths.length === 0 ? discoverSessions(repo, machine) : undefined
        if (found) await tellFound(call, found)
        const grafts: Grafting[] = []
        let taken = 0
        let at: ImportProgress = { files: 0, bytes: 0, ofFiles: 0, ofBytes: 0 }
        const progress = new Progress(call, () => ({
          text: `importing: ${grouped(at.files)} of ${counted(at.ofFiles, 'file')}, ${sized(at.bytes)}`,
          part: at.bytes / Math.max(1, at.ofBytes),
        }))
        let printed: Promise<void> | undefined
        try {
          const from = world.env.cwd
          const wanted = found?.flatMap(({ files }) => files) ?? paths.map((path) => resolve(from, path))
          const { totals } = await importPaths(repo, wanted, {
            all,
            only,
            onBegin: (_, bytes) => {
              if (bytes >= LARGE) boundMemory()
            },
            onProgress: (now) => {
              at = now
            },
            onGraft: (grafting) => {
              grafts.push(grafting)
            },
            onFile: (file) => {
              progress.clear()
              if (!('error' in file) && !call.dryRun) taken++
              if ('error' in file) call.refuse(file.error, EXIT[file.error.kind])
              else if (io.json) void io.data(file)
              else if (!found || isNews(file))
                for (const line of importedFile(file, from)) void io.print(...line)
              printed = io.flush()
              // Reported after the import: what was imported stays even if nobody reads the report.
              printed.catch(() => undefined)
            },
          })
          progress.end()
          await printed
          if (io.json) for (const graft of grafts) await io.data({ graft })
          else for (const line of graftLines(grafts)) await io.print(...line)
          if (grafts.some(({ outcome }) => outcome === 'missing' || outcome === 'ambiguous'))
            await io.note('look through all sessions for what is lacking with: sess fsck --relink')
          if (io.json) await io.data({ totals })
          else if (wanted.length > 0 && (totals.files > 0 || call.status === 0))
            for (const line of importedTotals(totals)) await io.print(...line)
          if (paths.length > 0 && totals.files === 0 && call.status === 0 && !io.json)
            await io.note(nothingThere(all || CHOOSING.some((name) => choosing[name] !== undefined)))
        } catch (error) {
          throw stopped(error, taken, at)
        } finally {
          progress.end()
        }
      }),
    )
  examples(command, [
    ['sess import', 'import the sessions of all agents on this machine; later, what is new'],
    ['sess import --agent claude --since 2w', 'sessions of Claude Code of the last two weeks'],
    ['sess import sessions', 'a folder'],
    ['sess import --reread -n', 'show what newer readers would change'],
  ])
}

const CHOOSING = ['agent', 'format', 'since', 'cwd'] as const

const noFiles = (option: string): SessError =>
  new SessError('bad-usage', `--reread looks at no files, and --${option} chooses among files`, {
    hint: "name the sessions instead: 'sess import --reread SESSION...', or leave it out for all",
  })

/** Says why nothing of what was named was taken. */
const nothingThere = (isChosen: boolean): string =>
  isChosen
    ? 'no file there is one that was asked for'
    : 'no file there holds a conversation of a known format: name a file itself to take it, or say --all'

/** Prints the sessions of agents found on this machine. */
async function tellFound({ io, world }: Call, found: readonly DiscoveredFiles[]): Promise<void> {
  if (io.json)
    for (const { agent, folder, files } of found) {
      const bytes = files.reduce((sum, { size }) => sum + size, 0)
      await io.data({ found: { agent, folder, files: files.length, bytes } })
    }
  else if (found.length > 0) for (const line of foundPlaces(found, homeOf(world))) await io.print(...line)
  else await io.note('no sessions of agents were found here: name files or folders to take in')
}

/** Returns whether anything of a file is new; files of agents without news are not listed. */
const isNews = ({ newObjects }: Imported): boolean => newObjects > 0

/** Returns an error; one that stopped the import gets its progress. */
function stopped(error: unknown, taken: number, { ofFiles }: ImportProgress): unknown {
  if (!(error instanceof SessError) || error.code !== 'stopped' || taken === 0) return error
  const files = `${grouped(taken)} of ${counted(ofFiles, 'file')}`
  return new SessError(
    'stopped',
    `${files} ${taken === 1 ? 'was imported and is' : 'were imported and are'} kept`,
    {
      cause: error,
    },
  )
}

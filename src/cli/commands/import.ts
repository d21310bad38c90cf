import { resolve } from 'node:path'
import { EXIT, SessError } from '../../model/errors.ts'
import { type ImportProgress, importPaths } from '../../ops/import.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { boundMemory, LARGE } from '../memory.ts'
import { Progress } from '../progress.ts'
import { importedFile, importedTotals } from '../render/import.ts'
import { counted, grouped, sized } from '../render/text.ts'

interface Options {
  readonly all?: boolean
}

/** `sess import`: takes files into the store. */
export const define: Define = (command, act) => {
  command
    .argument('<path...>', 'files, and folders that hold some')
    .option('--all', 'take every file of a folder, also those that hold no conversation')
    .addHelpText(
      'after',
      '\nIn a folder, files of a known format are taken, and .jsonl and .json that hold conversation; files of\n' +
        'credentials never. A path that is named is always taken. Sources are only read. What the store has\n' +
        'already is not kept twice: a second import of the same files costs nothing.',
    )
    .action(
      act(async (call, paths: string[], { all = false }: Options) => {
        const { io } = call
        const repo = await call.repo({ create: true })
        let taken = 0
        let at: ImportProgress = { files: 0, bytes: 0, ofFiles: 0, ofBytes: 0 }
        const progress = new Progress(call, () => ({
          text: `importing: ${grouped(at.files)} of ${counted(at.ofFiles, 'file')}, ${sized(at.bytes)}`,
          part: at.bytes / Math.max(1, at.ofBytes),
        }))
        let printed: Promise<void> | undefined
        try {
          const from = call.world.env.cwd
          const { totals } = await importPaths(
            repo,
            paths.map((path) => resolve(from, path)),
            {
              all,
              onBegin: (_, bytes) => {
                if (bytes >= LARGE) boundMemory()
              },
              onProgress: (now) => {
                at = now
              },
              onFile: (file) => {
                progress.clear()
                if (!('error' in file) && !call.dryRun) taken++
                if ('error' in file) call.refuse(file.error, EXIT[file.error.kind])
                else if (io.json) void io.data(file)
                else for (const line of importedFile(file, from)) void io.print(...line)
                printed = io.flush()
                // It is told when the import is done: what was taken in stays, though nobody reads of it.
                printed.catch(() => undefined)
              },
            },
          )
          progress.end()
          await printed
          if (io.json) await io.data({ totals })
          else for (const line of importedTotals(totals)) await io.print(...line)
        } catch (error) {
          throw stopped(error, taken, at)
        } finally {
          progress.end()
        }
      }),
    )
  examples(command, [
    ['sess import ~/.claude/projects', 'all sessions of Claude Code'],
    ['sess import sessions', 'the same again, or with what is new, costs what is new'],
  ])
}

/** Gives an error; one that says that the import was stopped with how far it came. */
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

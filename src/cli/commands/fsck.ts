import { resolve } from 'node:path'
import { EXIT, SessError } from '../../model/errors.ts'
import { repairStore } from '../../ops/fsck/repairstore.ts'
import { fsck } from '../../ops/fsck.ts'
import { reindex } from '../../ops/index.ts'
import { relink } from '../../ops/relink.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { during, type Step } from '../progress.ts'
import { quoted } from '../quoted.ts'
import { fsckLines, repairLines } from '../render/fsck.ts'
import { graftLines } from '../render/graft.ts'
import { counted } from '../render/text.ts'

interface Options {
  readonly rebuild?: boolean
  readonly relink?: boolean
  readonly context?: boolean
  readonly repair?: boolean
  readonly from?: string
}

/** `sess fsck`: checks the store, and repairs it. */
export const define: Define = (command, act) => {
  command
    .option('--rebuild', 'rebuild the search index first')
    .option('--relink', 'first attach entries with a missing parent to a session that has it')
    .option('--context', 'also report paths that model APIs would reject')
    .option('--repair', 'repair the damage; replaced files are kept in broken/ in the store')
    .option('--from <dir>', 'with --repair: another store to recover lost data from, such as a backup')
    .addHelpText(
      'after',
      `
The exit code is ${EXIT.corrupt} if damage remains.
Lost data is also looked for in the files that sessions were imported from.`,
    )
    .action(
      act(async (call, options: Options) => {
        if (options.from !== undefined && !options.repair)
          throw new SessError('bad-usage', '--from says where to take what is lost from, and needs --repair')
        await (options.repair ? repair(call, options) : check(call, options))
      }),
    )
  examples(command, [
    ['sess fsck', 'check everything'],
    ['sess fsck --rebuild', 'rebuild the search index, then check'],
    ['sess fsck --relink', 'attach entries with a missing parent'],
    ['sess fsck --context', 'find sessions that model APIs would reject'],
    ['sess fsck --repair -n', 'show what would be repaired'],
    ['sess fsck --json', 'print findings as JSON'],
  ])
}

async function check(
  call: Call,
  { rebuild = false, relink: links = false, context = false }: Options,
): Promise<void> {
  const { io } = call
  const repo = await call.repo({ tolerant: true })
  if (rebuild) await reindex(repo)
  const grafts = links ? await relink(repo) : []
  const found = await told(call, (onProgress) => fsck(repo, { onProgress, contexts: context }))
  if (!found.ok) call.status = EXIT.corrupt
  if (io.json) await io.data({ ...found, ...(links && { grafts }) })
  else {
    for (const line of [...graftLines(grafts), ...fsckLines(found, links)]) await io.print(...line)
    if (grafts.some(({ parent }) => parent !== null)) await io.note('go back with: sess undo')
  }
}

async function repair(call: Call, { from, context = false }: Options): Promise<void> {
  const { io, world, dryRun, argv } = call
  const repaired = await told(call, (onProgress) =>
    repairStore(call.store, {
      env: world.env,
      command: `sess ${argv.map(quoted).join(' ')}`,
      dryRun,
      onProgress,
      contexts: context,
      ...(from === undefined ? {} : { from: resolve(world.env.cwd, from) }),
    }),
  )
  const { before, done } = repaired
  if (!(done?.after ?? before).ok || (done?.lost.length ?? 0) > 0) call.status = EXIT.corrupt
  if (io.json) await io.data(repaired)
  else for (const line of repairLines(repaired, dryRun)) await io.print(...line)
}

function told<T>(
  call: Call,
  work: (onProgress: (entries: number, sessions: number) => void) => Promise<T>,
): Promise<T> {
  let done: readonly [entries: number, sessions: number] = [0, 0]
  const step = (): Step => ({
    text: `checking: ${counted(done[0], 'entry', 'entries')}, ${counted(done[1], 'session')}`,
  })
  return during(call, step, () =>
    work((...now) => {
      done = now
    }),
  )
}

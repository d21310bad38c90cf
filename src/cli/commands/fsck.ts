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

/** `sess fsck`: checks all of the store, and mends it. */
export const define: Define = (command, act) => {
  command
    .option('--rebuild', 'first make anew what searches look things up in')
    .option('--relink', 'first join entries that lack their parent to a session that has it')
    .option('--context', 'look too for paths that no API of a model would take as they are')
    .option('--repair', 'mend what is found; what was there before is set aside, in broken/ in the store')
    .option('--from <dir>', 'with --repair: another store that may have what is lost, such as a backup')
    .addHelpText(
      'after',
      `\nWhere something is damaged, and stays so, the exit code is ${EXIT.corrupt}.\nWhat is lost is looked for in the files, too, that sessions were imported from.`,
    )
    .action(
      act(async (call, options: Options) => {
        if (options.from !== undefined && !options.repair)
          throw new SessError('bad-usage', '--from says where to take what is lost from, and needs --repair')
        await (options.repair ? repair(call, options) : check(call, options))
      }),
    )
  examples(command, [
    ['sess fsck', 'read and compare everything'],
    ['sess fsck --rebuild', 'make the index of words anew, then check'],
    ['sess fsck --relink', 'join what lacks its parent to the session that has it'],
    ['sess fsck --context', 'find sessions that no model could go on with as they are'],
    ['sess fsck --repair -n', 'show what is wrong and would be mended'],
    ['sess fsck --json', 'what is wrong, as data'],
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

import { resolve } from 'node:path'
import { EXIT, SessError } from '../../model/errors.ts'
import { backUp, restore, verifyBackup } from '../../ops/backup.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { filled } from '../options.ts'
import { quoted } from '../quoted.ts'
import { counted } from '../render/text.ts'

interface Options {
  readonly verify?: boolean
  readonly restore?: boolean
}

/** `sess backup`: copies the store into a folder, checks such a copy, makes a store of it. */
export const define: Define = (command, act) => {
  command
    .argument('<dir>', 'the folder of the backup', filled)
    .option('--verify', 'verify each file of the backup')
    .option('--restore', 'restore the backup to the folder named by --store, which must not be a store')
    .addHelpText(
      'after',
      `
Other processes can write to the store meanwhile. A backup into the folder of an earlier one copies only what is new.
A backup is itself a store: 'sess --store DIR ls' lists its sessions. The exit code for a damaged backup is ${EXIT.corrupt}.`,
    )
    .action(
      act(async (call, folder: string, { verify = false, restore: restoring = false }: Options) => {
        if (verify && restoring)
          throw new SessError('bad-usage', '--verify and --restore cannot be used together')
        const dir = resolve(call.world.env.cwd, folder)
        if (verify) await check(call, dir)
        else await copy(call, dir, restoring)
      }),
    )
  examples(command, [
    ['sess backup copies/sess', 'copy what is new since the last backup'],
    ['sess backup --verify copies/sess', 'verify every file'],
    ['sess backup --restore copies/sess --store new', 'restore it to a new store'],
  ])
}

async function check(call: Call, dir: string): Promise<void> {
  const { io } = call
  const problems = verifyBackup(dir)
  if (io.json) await io.data({ ok: problems.length === 0, problems })
  else for (const line of problems.length > 0 ? problems : ['all is well']) await io.print(line)
  if (problems.length > 0) call.status = EXIT.corrupt
}

async function copy({ io, store, world, dryRun }: Call, dir: string, restoring: boolean): Promise<void> {
  const { exposed, ...made } = restoring
    ? { ...restore(dir, store, dryRun), exposed: false }
    : backUp(store, dir, world.env, dryRun)
  if (exposed)
    void io.note(
      `sess: others can enter '${dir}': type 'chmod go= ${quoted(dir)}' to keep the backup private`,
    )
  if (io.json) {
    await io.data({ from: restoring ? dir : store, to: restoring ? store : dir, ...made })
    return
  }
  await io.print(
    `${dryRun ? 'would copy' : 'copied'} ${counted(made.files - made.kept, 'file')}, ${counted(made.bytes, 'byte')} in all` +
      (made.kept > 0 ? `; ${made.kept} were there` : ''),
  )
}

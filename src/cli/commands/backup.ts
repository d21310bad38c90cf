import { SessError } from '../../model/errors.ts'
import { typable } from '../../model/shellword.ts'
import { backUp, restore, verifyBackup } from '../../repo/backup.ts'
import { counted, did, sized } from '../../text/text.ts'
import { anyOf, arrayOf, boolean, integer, object, string } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import { flag, folder, required } from '../parameters.ts'
import { quoted } from '../shellwords.ts'

/** Returns the error for a backup of a state that has passed: it would have to rewrite the database. */
const presentOnly = (operation: string): SessError =>
  new SessError('bad-usage', 'backup copies the present state, not that of an earlier operation', {
    hint: `leave --at-op out, and restore the state in the copy: 'sess --store DIR op restore ${typable(operation, 'OP')}'`,
  })

/** `sess backup`: backs the store up, verifies or restores a backup. */
export const command = defineCommand({
  effect: 'write',
  arguments: { dir: required(folder(), 'the folder of the backup') },
  options: {
    verify: flag('verify each file of the backup', { excludes: ['restore'] }),
    restore: flag('restore the backup to the folder named by --store, which must not be a store'),
  },
  help: `Other processes can write to the store meanwhile. A backup into the folder of an earlier one copies only what is new.
A backup is itself a store: 'sess --store DIR ls' lists its sessions. The exit code for a damaged backup is ${EXIT.corrupt}.`,
  examples: [
    ['sess backup copies/sess', 'copy what is new since the last backup'],
    ['sess backup --verify copies/sess', 'verify every file'],
    ['sess backup --restore copies/sess --store new', 'restore it to a new store'],
  ],
  output: output(
    'One object.',
    anyOf(
      object({ from: string, to: string, files: integer, bytes: integer, kept: integer }),
      object({ ok: boolean, problems: arrayOf(string) }),
    ),
  ),
  run: (call, { dir, verify, restore: restoring }) => {
    const { io, store, platform, dryRun } = call
    if (call.options.atOp !== undefined) throw presentOnly(call.options.atOp)
    if (verify) {
      const problems = verifyBackup(dir)
      if (problems.length > 0) call.status = EXIT.corrupt
      const lines = problems.length > 0 ? problems : ['all is well']
      return { data: { ok: problems.length === 0, problems }, render: () => lines.map((line) => [line]) }
    }
    const { exposed, ...made } = restoring
      ? { ...restore(dir, store, dryRun), exposed: false }
      : backUp(store, dir, platform.env, dryRun)
    if (exposed)
      void io.note(
        `sess: others can enter '${dir}': type 'chmod go= ${quoted(dir)}' to keep the backup private`,
      )
    const { files, bytes, kept } = made
    const [from, to] = restoring ? [dir, store] : [store, dir]
    return {
      data: { from, to, ...made },
      render: () => [
        [
          `${did(call, 'Copied')} ${counted(files - kept, 'file')}, ${sized(bytes)} in all` +
            (kept > 0 ? `; ${kept} were there` : ''),
        ],
      ],
    }
  },
})

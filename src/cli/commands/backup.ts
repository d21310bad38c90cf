import { SessError } from '../../model/errors.ts'
import { typable } from '../../model/shellword.ts'
import { quoted } from '../../text/shellwords.ts'
import { counted, did, sized } from '../../text/text.ts'
import { backup } from '../../verbs/backup.ts'
import { backupRestore } from '../../verbs/backup-restore.ts'
import { backupVerify } from '../../verbs/backup-verify.ts'
import { anyOf } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import { flag } from '../parameters.ts'
import { answerOf } from '../present.ts'

/** Returns the error for a backup of a state that has passed: it would have to rewrite the database. */
const presentOnly = (operation: string): SessError =>
  new SessError('bad-usage', 'backup copies the present state, not that of an earlier operation', {
    hint: `leave --at-op out, and restore the state in the copy: 'sess --store DIR op restore ${typable(operation, 'OP')}'`,
  })

/** `sess backup`: backs the store up, verifies or restores a backup. */
export const command = defineCommand({
  effect: backup.effect,
  arguments: backup.input,
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
  output: output('One object.', anyOf(backup.output.schema, backupVerify.output.schema)),
  run: async (call, { dir, verify, restore }) => {
    if (call.options.atOp !== undefined) throw presentOnly(call.options.atOp)
    if (verify) {
      const checked = await backupVerify.run(call, { dir })
      if (!checked.ok) call.status = EXIT.corrupt
      const lines = checked.ok ? ['all is well'] : checked.problems
      return answerOf(backupVerify, checked, { render: () => lines.map((line) => [line]) })
    }
    const copied = restore
      ? { ...(await backupRestore.run(call, { dir })), exposure: 'private' as const }
      : await backup.run(call, { dir })
    if (copied.exposure === 'exposed')
      void call.io.note(
        `sess: others can enter '${dir}': type 'chmod go= ${quoted(dir)}' to keep the backup private`,
      )
    if (copied.exposure === 'foreign')
      void call.io.note(
        `sess: '${dir}' belongs to another user, who can read the backup: name a folder of your own to keep it private`,
      )
    const { files, bytes, kept } = copied
    const were = kept > 0 ? `; ${kept} were there` : ''
    return answerOf(backup, copied, {
      render: () => [
        [`${did(call, 'Copied')} ${counted(files - kept, 'file')}, ${sized(bytes)} in all${were}`],
      ],
    })
  },
})

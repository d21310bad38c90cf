import { restoreBackup } from '../ops/backup.ts'
import { copySchema } from './backup.ts'
import { optional, required } from './input.ts'
import { folder } from './values.ts'
import { folderVerb, output } from './verb.ts'

export const backupRestore = folderVerb({
  name: 'backup-restore',
  summary: 'restore a backup as a new store',
  effect: 'write',
  input: {
    dir: required(folder(), 'the folder of the backup'),
    to: optional(folder(), 'the folder of the new store; by default that of the store of the call'),
  },
  output: output(copySchema),
  // oxlint-disable-next-line typescript/require-await -- files are copied in one go
  run: async (context, { dir, to }) => restoreBackup(dir, to ?? context.store, context.dryRun),
})

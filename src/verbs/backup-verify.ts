import { checkBackup } from '../ops/backup.ts'
import { required } from './input.ts'
import { arrayOf, boolean, object, string } from './schema.ts'
import { folder } from './values.ts'
import { folderVerb, output } from './verb.ts'

export const backupVerify = folderVerb({
  name: 'backup-verify',
  summary: 'verify each file of a backup',
  effect: 'read',
  input: { dir: required(folder(), 'the folder of the backup') },
  output: output(object({ ok: boolean, problems: arrayOf(string) })),
  // oxlint-disable-next-line typescript/require-await -- files are read in one go
  run: async (_, { dir }) => checkBackup(dir),
})

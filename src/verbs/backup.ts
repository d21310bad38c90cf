import { without } from '../model/json.ts'
import { backUpStore } from '../ops/backup.ts'
import { required } from './input.ts'
import { integer, object, string } from './schema.ts'
import type { StoreBackup } from './types.ts'
import { folder } from './values.ts'
import { folderVerb, sentAs } from './verb.ts'

/** The copy of a store into a backup, or of a backup into a new store. */
export const copySchema = object({ from: string, to: string, files: integer, bytes: integer, kept: integer })

export const backup = folderVerb({
  name: 'backup',
  summary: 'back up the store',
  effect: 'write',
  input: { dir: required(folder(), 'the folder of the backup') },
  output: sentAs(copySchema, (made: StoreBackup) => without({ ...made }, 'exposure')),
  // oxlint-disable-next-line typescript/require-await -- files are copied in one go
  run: async ({ store, env, dryRun }, { dir }) => backUpStore(store, dir, env, dryRun),
})

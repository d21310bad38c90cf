/** What the floors above need to copy stores, and to make stores of copies. */
export {
  type BackedUp,
  backupProblems,
  backupWrite,
  isBackup,
  makeBackup,
  restoreBackup,
} from '../storage/folder/backup.ts'
export { isExposed } from '../storage/folder/modes.ts'

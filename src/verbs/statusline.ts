import { statusLine } from '../live/statusline.ts'
import type { FolderContext } from './open.ts'
import { liveFolderOf } from './settle.ts'

/** Returns the line that shows a session of Claude Code, from what it tells of it. */
export const statusLineOf = (context: FolderContext, told: string, folder = liveFolderOf(context)): string =>
  statusLine(told, folder)

import { isObject, items, type Json } from '../../model/json.ts'
import type { ProjectFolderName } from '../core/format.ts'
import { dashedPath } from '../core/values.ts'
import { idAt } from './fields.ts'

/** A longer folder name is cut and ends with a hash of the path. */
const LONGEST = 200

/** Returns the name that Claude Code gives the folder of a project. */
export function projectFolderName(project: string): string {
  const dashed = dashedPath(project)
  return dashed.length <= LONGEST ? dashed : `${dashed.slice(0, LONGEST)}-${numberOf(project)}`
}

function numberOf(text: string): string {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0
  return Math.abs(hash).toString(36)
}

/** The folder of a project, and the list of sessions that some releases kept in it. */
export const projectFolder: ProjectFolderName = {
  name: projectFolderName,
  index: { file: 'sessions-index.json', projects: projectsIn },
}

function projectsIn(index: Json): readonly string[] {
  const entries = items(isObject(index) ? index.entries : undefined)
  return [idAt(index, 'originalPath'), ...entries.map((entry) => idAt(entry, 'projectPath'))].filter(
    (path) => path !== undefined,
  )
}

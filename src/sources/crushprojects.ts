import { isAbsolute, join, resolve } from 'node:path'
import type { Variables } from '../model/variables.ts'
import { readSettings, valueOf } from './agentsettings.ts'
import { kindOf } from './files.ts'

/** A project that Crush lists. */
interface CrushProject {
  /** The folder of its database. */
  readonly folder: string
  readonly project?: string
}

/** The facts about a machine that determine where Crush keeps its list. */
interface CrushMachine {
  readonly home: string
  readonly variables: Variables
  readonly cwd: string
}

/** The most projects of Crush's list that are looked into, and the largest list that is read. */
const MAX_PROJECTS = 10_000
const MAX_LIST_BYTES = 16 << 20

/** Returns the elements of a list; none of any other value. */
const elements = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the folders that Crush lists as those of its projects' databases, as far as they exist. */
export function crushProjects({ home, variables, cwd }: CrushMachine, data: string): CrushProject[] {
  const own = (variables.CRUSH_GLOBAL_DATA ?? '').replace(/^~(?=$|[/\\])/, () => home)
  const places = own
    ? [resolve(cwd, own)]
    : [data, variables.LOCALAPPDATA ?? ''].filter((path) => path !== '')
  return places
    .map((folder) =>
      readSettings(join(own ? folder : join(folder, 'crush'), 'projects.json'), MAX_LIST_BYTES),
    )
    .flatMap((list) => elements(valueOf(list, 'projects') ?? list).slice(0, MAX_PROJECTS))
    .flatMap((one): CrushProject[] => {
      const [folder, project] = [valueOf(one, 'data_dir'), valueOf(one, 'path')]
      if (typeof folder !== 'string' || !isAbsolute(folder) || kindOf(folder) !== 'folder') return []
      const isNamed = typeof project === 'string' && isAbsolute(project)
      return [{ folder: resolve(folder), ...(isNamed && { project: resolve(project) }) }]
    })
}

import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { folderIn, type Variables } from '../model/variables.ts'

/** Returns the environment variables of this process, as they are now. Nothing else reads them. */
export const processVariables = (): Variables => process.env

/** Returns the user's home: `$HOME`, else that of the account; `/` for a user without one, as in some containers. */
export const homeOf = ({ variables }: { readonly variables: Variables }): string =>
  folderIn(variables, 'HOME') ?? accountHome()

function accountHome(): string {
  try {
    const { homedir } = userInfo()
    return isAbsolute(homedir) ? homedir : '/'
  } catch {
    return '/'
  }
}

const FOLDERS = {
  data: { variable: 'XDG_DATA_HOME', usual: '.local/share' },
  config: { variable: 'XDG_CONFIG_HOME', usual: '.config' },
} as const

/** Returns the folder in which programs keep the user's data or settings, by the rules of XDG. */
export function userFolder(kind: keyof typeof FOLDERS, world: { readonly variables: Variables }): string {
  const { variable, usual } = FOLDERS[kind]
  return folderIn(world.variables, variable) ?? join(homeOf(world), usual)
}

/** Returns the home folder and the environment variables of this process. */
export function thisMachine(): { readonly home: string; readonly variables: Variables } {
  const variables = processVariables()
  return { home: homeOf({ variables }), variables }
}

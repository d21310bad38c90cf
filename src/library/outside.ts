import { locateStore as locate, processVariables, realEnv } from '../verbs/surroundings.ts'

export { replaceFile } from '../files/replacefile.ts'
export { processVariables } from '../verbs/surroundings.ts'

/** The process that looks for its store. */
export interface StoreSearch {
  /** The folder that it works in; that of this process by default. */
  readonly cwd?: string
  /** Its environment variables; those of this process by default. */
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the folder of the store that the command line uses: `$SESS_STORE`, else the nearest `.sess` upward, else
 * `$XDG_DATA_HOME/sess`. It need not be there yet. Throws `not-owned` for one of another user that was found, not named.
 */
export const locateStore = ({
  cwd = realEnv().cwd,
  variables = processVariables(),
}: StoreSearch = {}): string => locate(undefined, { variables, env: { cwd } })

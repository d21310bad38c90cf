import { join } from 'node:path'
import { userFolder } from '../repo/environment.ts'
import { type ProcessEnvironment, settingsPath } from '../repo/location.ts'

export { readConfig } from '../repo/config.ts'
export { type Env, realEnv } from '../repo/env.ts'
export { homeOf, processVariables, thisMachine } from '../repo/environment.ts'
export {
  checkTrusted,
  findStore,
  initLocation,
  locateStore,
  type ProcessEnvironment,
  SAFE_DIRECTORY,
  safeDirectories,
} from '../repo/location.ts'

/** The owner of a settings file. */
export type ConfigOwner = 'user' | 'store'

/** Returns the path of the settings of the user, or of a store in a folder. */
export const configPath = (owner: ConfigOwner, store: () => string, world: ProcessEnvironment): string =>
  owner === 'store' ? join(store(), 'config.json') : settingsPath(world)

/** Returns the folder beside the user's store with what is set up for agents, and what their hooks note. */
export const liveFolder = (machine: Pick<ProcessEnvironment, 'variables'>): string =>
  join(userFolder('data', machine), 'sess-live')

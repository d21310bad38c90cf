import { join } from 'node:path'
import { asSessError, type SessError } from '../model/errors.ts'
import { userFolder } from '../repo/location.ts'
import type { Call } from './call.ts'
import { Config, type ConfigFile, type Owner } from './config.ts'
import { guessing } from './guessing.ts'
import { SETTINGS } from './settings.ts'

/** Gives the file that holds the settings of the user, or of the store. */
export const configPath = (call: Call, owner: Owner): string =>
  owner === 'store'
    ? join(call.store, 'config.json')
    : join(userFolder('config', call.world), 'sess/config.json')

/** Commands that mend or explain settings, and so bear bad ones. */
const MENDING = ['config', 'help']

/**
 * Reads the settings that hold for a call. Throws `bad-config` where a file is damaged or holds a value that is not
 * allowed, unless the command is one that helps with it; what is no setting is told.
 */
export async function configure(call: Call, command: string): Promise<void> {
  const { readConfig } = await import('../repo/config.ts')
  const files: ConfigFile[] = []
  let damaged: SessError | undefined
  for (const owner of ['store', 'user'] as const) {
    const path = configPath(call, owner)
    try {
      files.push({ owner, path, settings: readConfig(path) })
    } catch (error) {
      damaged ??= asSessError(error)
    }
  }
  call.config = new Config(call.world.variables, files, damaged)
  if (MENDING.includes(command)) return
  call.config.check()
  if (!call.io.json) await tellStrange(call)
}

async function tellStrange({ config, io }: Call): Promise<void> {
  if (config.strange.length === 0) return
  const { nearest } = await import('./near.ts')
  for (const { key, path } of config.strange) {
    const known = SETTINGS.has(key)
    const hint = known
      ? 'a store may come from elsewhere: only your own file can say it'
      : guessing(nearest(key, SETTINGS.keys()))
    void io.note(`sess: '${key}' in '${path}' ${known ? 'is not heeded' : 'is no setting'}`)
    if (hint !== '') void io.note(`hint: ${hint.trim()}`)
  }
}

import { join } from 'node:path'
import { asSessError, SessError } from '../model/errors.ts'
import { findStore, settingsPath } from '../repo/location.ts'
import { Config, type ConfigFile, type ConfigOwner } from './config.ts'
import type { Invocation } from './invocation.ts'
import { SETTINGS } from './settings.ts'
import { actAsOwner } from './sudo.ts'

/** Returns the path of the settings of the user, or of the store. */
export const configPath = (call: Invocation, owner: ConfigOwner): string =>
  owner === 'store' ? join(call.store, 'config.json') : settingsPath(call.platform)

/** Commands that repair or explain settings, and so run with bad ones. */
const REPAIRING = ['config', 'help']

/**
 * Reads the settings of a call. Throws `bad-config` where a file is damaged or holds a value that is not allowed, except
 * for a command that helps with it; a note names unknown settings. The settings of a store that is refused do not count:
 * a command that needs the store throws why, the others run.
 */
export async function configure(call: Invocation, command: string): Promise<void> {
  const { readConfig } = await import('../repo/config.ts')
  const files: ConfigFile[] = []
  let damaged: SessError | undefined
  call.refusal = await refusalOf(call)
  for (const owner of call.refusal ? (['user'] as const) : (['store', 'user'] as const)) {
    const path = configPath(call, owner)
    try {
      files.push({ owner, path, settings: readConfig(path, { links: owner === 'user' }) })
    } catch (error) {
      damaged ??= asSessError(error)
    }
  }
  call.config = new Config(call.platform.variables, files, damaged)
  if (!call.refusal) actAsOwner(findStore(call.options.store, call.platform).dir, call.platform)
  if (REPAIRING.includes(command)) return
  call.config.check()
  if (!call.io.json) await tellStrange(call)
}

/** Returns why a store that was found, not named, must not be used. */
async function refusalOf({ options, platform }: Invocation): Promise<SessError | undefined> {
  const { dir, isFound } = findStore(options.store, platform)
  if (!isFound) return undefined
  try {
    const { checkTrusted } = await import('../repo/location.ts')
    checkTrusted(dir, platform)
    return undefined
  } catch (error) {
    if (error instanceof SessError) return error
    throw error
  }
}

async function tellStrange({ config, io }: Invocation): Promise<void> {
  if (config.strange.length === 0) return
  const { didYouMean, nearest } = await import('./errors/suggest.ts')
  for (const { key, path } of config.strange) {
    const known = SETTINGS.has(key)
    const hint = known
      ? 'a store may come from elsewhere: only your own file can set it'
      : didYouMean(nearest(key, SETTINGS.keys()))
    void io.note(`sess: '${key}' in '${path}' ${known ? 'is ignored' : 'is not a setting'}`)
    if (hint !== '') void io.note(`hint: ${hint.trim()}`)
  }
}

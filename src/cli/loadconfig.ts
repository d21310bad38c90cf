import { SessError } from '../model/errors.ts'
import { SETTINGS } from '../verbs/settings.ts'
import { readSettings } from '../verbs/settingvalues.ts'
import { checkTrusted, findStore } from '../verbs/surroundings.ts'
import type { Invocation } from './invocation.ts'
import { actAsOwner } from './sudo.ts'

/** Commands that repair or explain settings, and so run with bad ones. */
const REPAIRING = ['config', 'help']

/**
 * Reads the settings of a call. Throws `bad-config` where a file is damaged or holds a value that is not allowed, except
 * for a command that helps with it; a note names unknown settings. The settings of a store that is refused do not count:
 * a command that needs the store throws why, the others run.
 */
export async function configure(call: Invocation, command: string): Promise<void> {
  const { platform, options } = call
  const { dir, isFound } = findStore(options.store, platform)
  call.refusal = isFound ? refusalOf(dir, call) : undefined
  call.config = readSettings(platform, call.refusal ? undefined : dir)
  if (!call.refusal) actAsOwner(dir, platform)
  if (REPAIRING.includes(command)) return
  call.config.check()
  if (!call.io.json) await tellStrange(call)
}

/** Returns why a store that was found, not named, must not be used. */
function refusalOf(store: string, { platform }: Invocation): SessError | undefined {
  try {
    checkTrusted(store, platform)
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

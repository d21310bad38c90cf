import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { writeSetting } from '../ops/settings.ts'
import { settingValueSchema } from './config.ts'
import { required, withDefault } from './input.ts'
import { type FolderContext, machineOf } from './open.ts'
import { anything, nullable, object, oneOf, type Schema, string } from './schema.ts'
import { type SettingValue, settingOf } from './settings.ts'
import { type ConfigOwner, configPath, readConfig } from './surroundings.ts'
import { choice, settingKey, text } from './values.ts'
import { folderVerb, output } from './verb.ts'

/** The owner of the file of settings that is changed. */
export const settingOwner = withDefault(choice(['user', 'store'], 'whose'), 'user', 'whose setting to change')

/** A setting that was changed in a file. */
export interface ChangedSetting {
  readonly key: string
  /** Null where it was removed. */
  readonly value: SettingValue | null
  /** The former value in the file; null where it had none. */
  readonly before: Json
  readonly for: ConfigOwner
  readonly path: string
}

/** The output of the verbs that change a setting. */
export const changedSetting = output(
  object({
    key: string,
    value: nullable(settingValueSchema),
    before: anything as Schema<Json>,
    for: oneOf('user', 'store'),
    path: string,
  }),
)

export const configSet = folderVerb({
  name: 'config-set',
  summary: 'change a setting',
  effect: 'write',
  input: {
    setting: required(settingKey(), 'the setting'),
    value: required(text('value'), 'the new value'),
    for: settingOwner,
  },
  output: changedSetting,
  run: (context, { setting: key, value, for: owner }) => changeSetting(context, owner, key, value),
})

/**
 * Writes a setting to the file of its owner, or removes it where it has no value. Throws `no-setting`, `bad-usage` for a
 * value that is not allowed there, and as `writeSetting`.
 */
export async function changeSetting(
  context: FolderContext,
  owner: ConfigOwner,
  key: string,
  typed?: string,
): Promise<ChangedSetting> {
  const { variables } = machineOf(context)
  const path = configPath(owner, () => context.store, { variables, env: context.env })
  const read = (): JsonObject => readConfig(path, { links: owner === 'user' })
  const settings = read()
  const value = typed === undefined ? undefined : valueOf(key, typed, owner)
  if (typed === undefined && !Object.hasOwn(settings, key)) settingOf(key)
  const store = owner === 'store' ? context.store : undefined
  const before = await writeSetting({ path, read, store }, [key, value], context.dryRun)
  return { key, value: value ?? null, before, for: owner, path }
}

function valueOf(key: string, typed: string, owner: ConfigOwner): SettingValue {
  const { read, allows, own } = settingOf(key)
  if (own && owner !== 'user')
    throw new SessError('bad-usage', `'${key}' can only be set for the user`, {
      remedy: { kind: 'set-own-setting', setting: key },
    })
  const value = read(typed)
  if (value === undefined)
    throw new SessError('bad-usage', `'${typed}' is not a value of '${key}'`, { hint: `it may be ${allows}` })
  return value
}

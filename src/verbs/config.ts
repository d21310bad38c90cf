import { settingsOf } from './open.ts'
import { nullable, object, oneOf, type Schema, string } from './schema.ts'
import type { SettingValue } from './settings.ts'
import { folderVerb, listOf, output } from './verb.ts'

/** The value of a setting. */
export const settingValueSchema: Schema<SettingValue> = { type: ['string', 'number', 'boolean'] }

/** A setting, and where its value comes from. */
export const settingOutput = output(
  object({
    key: string,
    value: settingValueSchema,
    origin: oneOf('default', 'environment', 'user', 'store'),
    from: nullable(string),
  }),
)

export const config = folderVerb({
  name: 'config',
  summary: 'list all settings with their sources',
  effect: 'read',
  input: {},
  output: listOf(settingOutput),
  // oxlint-disable-next-line typescript/require-await -- the files of settings are small
  run: async (context) => {
    const settings = settingsOf(context)
    settings.check()
    return settings.all
  },
})

import { settingOutput } from './config.ts'
import { required } from './input.ts'
import { settingsOf } from './open.ts'
import { settingOf } from './settings.ts'
import { settingKey } from './values.ts'
import { folderVerb } from './verb.ts'

export const configGet = folderVerb({
  name: 'config-get',
  summary: 'show a setting and its source',
  effect: 'read',
  input: { setting: required(settingKey(), 'the setting') },
  output: settingOutput,
  // oxlint-disable-next-line typescript/require-await -- the files of settings are small
  run: async (context, { setting: key }) => {
    settingOf(key)
    const settings = settingsOf(context)
    settings.check()
    return settings.held(key)
  },
})

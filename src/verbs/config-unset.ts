import { changedSetting, changeSetting, settingOwner } from './config-set.ts'
import { required } from './input.ts'
import { settingKey } from './values.ts'
import { folderVerb } from './verb.ts'

export const configUnset = folderVerb({
  name: 'config-unset',
  summary: 'remove a setting from its file',
  effect: 'write',
  input: { setting: required(settingKey(), 'the setting'), for: settingOwner },
  output: changedSetting,
  run: (context, { setting: key, for: owner }) => changeSetting(context, owner, key),
})

import { hasCode } from '../../model/errors.ts'
import { quoted } from '../../text/shellwords.ts'
import { aligned, did, firstLine, type Line, listedInColumns, styled } from '../../text/text.ts'
import { config } from '../../verbs/config.ts'
import { configGet } from '../../verbs/config-get.ts'
import { type ChangedSetting, configSet } from '../../verbs/config-set.ts'
import { configUnset } from '../../verbs/config-unset.ts'
import { anyOf } from '../../verbs/schema.ts'
import { SETTINGS } from '../../verbs/settings.ts'
import type { SettingOrigin } from '../../verbs/settingvalues.ts'
import { type Answer, defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { configure } from '../loadconfig.ts'
import { flag, optional, settingValue } from '../parameters.ts'
import { answerOf, schemaOfEach } from '../present.ts'

/** `sess config`: shows and changes settings. */
export const command = defineCommand({
  effect: configSet.effect,
  arguments: {
    key: { ...configSet.input.setting, about: 'the setting; without one, list all', required: false },
    value: optional(settingValue(), 'the new value'),
  },
  options: {
    list: flag('list all settings with their sources', { excludes: ['key', 'unset'] }),
    unset: flag('remove a setting from its file', { needs: 'key', excludes: ['value'] }),
    for: configSet.input.for,
  },
  help: settingLines,
  examples: [
    ['sess config', 'list all settings with their sources'],
    ['sess config pager off', 'turn the pager off'],
    ['sess config --for store lockTimeout 60', 'wait longer for a busy store'],
    ['sess config --unset pager', 'use the default again'],
  ],
  output: output(
    'A line for each setting; one object where one is changed (before: the old value in the file, null if none).',
    anyOf(schemaOfEach(config), configSet.output.schema),
  ),
  run: async (call, { key, value, unset, for: owner }) => {
    if (key === undefined) {
      const settings = await config.run(call, {})
      return answerOf(config, settings, { render: () => configLines(settings) })
    }
    if (!unset && value === undefined) {
      const held = await configGet.run(call, { setting: key })
      return answerOf(configGet, held, { render: () => [[String(held.value)]] })
    }
    if (owner === 'store') await call.repo()
    const changed =
      value === undefined
        ? await configUnset.run(call, { setting: key, for: owner })
        : await withOwnHint([key, value], configSet.run(call, { setting: key, value, for: owner }))
    return changeAnswer(call, changed)
  },
})

/** Adds what to type where a setting can only be set for the user. */
async function withOwnHint<T>([key, value]: readonly [string, string], work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!hasCode(error, 'bad-usage') || error.remedy?.kind !== 'set-own-setting') throw error
    throw error.with({
      hint: `a store may come from elsewhere; set it with: sess config ${key} ${quoted(value)}`,
    })
  }
}

/** Answers with a setting that was changed, and with the command that changes it back. */
async function changeAnswer(call: Invocation, changed: ChangedSetting): Promise<Answer<object>> {
  const { key, value, before, for: owner, path } = changed
  const was = before === null ? 'was not set' : `was ${textOf(before)}`
  const whose = owner === 'user' ? 'for the user' : 'for this store'
  const scope = owner === 'user' ? '' : '--for store '
  return answerOf(configSet, changed, {
    render: () => [
      [
        value === null
          ? `${did(call, 'Unset')} ${key} ${whose} (${was})`
          : `${did(call, 'Set')} ${key} to ${textOf(value)} ${whose} (${was})`,
      ],
    ],
    notes: value === null || call.dryRun ? [] : await overridden(call, key, path),
    back:
      before !== null
        ? `sess config ${scope}${key} ${textOf(before)}`
        : value === null
          ? undefined
          : `sess config ${scope}--unset ${key}`,
  })
}

/** Returns a note if something else overrides the value that was just written. */
async function overridden(call: Invocation, key: string, path: string): Promise<string[]> {
  await configure(call, 'config')
  const held = call.config.held(key)
  return held.from === path ? [] : [`it has no effect here: ${held.value} counts (${originOf(held)})`]
}

const textOf = (value: unknown): string => quoted(typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the settings as help lists them: name, description, allowed values. */
function settingLines(): string {
  const rows = [...SETTINGS].map(
    ([name, { allows, does, fallback }]) => [name, `${does} (${allows}; ${fallback} unless set)`] as const,
  )
  return `Settings:\n${listedInColumns(rows)}`
}

/** Returns settings as lines: name, value, and the source of a value that is not the default. */
function configLines(settings: readonly SettingOrigin[]): Line[] {
  return aligned(
    settings.map((held) => [
      held.key,
      styled(held.origin === 'default' ? 'plain' : 'green', firstLine(String(held.value))),
      styled('dim', originOf(held)),
    ]),
  )
}

/** Returns in words where a setting comes from. */
function originOf({ origin, from }: SettingOrigin): string {
  if (origin === 'default') return 'default'
  return origin === 'environment' ? `environment: $${from}` : `${origin}: ${firstLine(from ?? '')}`
}

import { dirname } from 'node:path'
import { makeFolderSync, replaceFile } from '../../files/replacefile.ts'
import { SessError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { checkNotBackup } from '../../repo/backup.ts'
import { readConfig } from '../../repo/config.ts'
import { aligned, did, firstLine, type Line, styled } from '../../text/text.ts'
import { anyOf, anything, nullable, object, oneOf, type Schema, string } from '../../verbs/schema.ts'
import type { ConfigOwner, SettingOrigin } from '../config.ts'
import { defineCommand, output } from '../define.ts'
import { hintOf } from '../errors/hints.ts'
import { didYouMean, nearest } from '../errors/suggest.ts'
import type { Invocation } from '../invocation.ts'
import { configPath, configure } from '../loadconfig.ts'
import { choice, flag, optional, optionWith, setting, settingValue } from '../parameters.ts'
import { SETTINGS, type SettingDeclaration, type SettingValue, settingLines } from '../settings.ts'
import { quoted } from '../shellwords.ts'

const valueSchema: Schema<SettingValue> = { type: ['string', 'number', 'boolean'] }

/** `sess config`: shows and changes settings. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    key: optional(setting(), 'the setting; without one, list all'),
    value: optional(settingValue(), 'the new value'),
  },
  options: {
    list: flag('list all settings with their sources', { excludes: ['key', 'unset'] }),
    unset: flag('remove a setting from its file', { needs: 'key', excludes: ['value'] }),
    for: optionWith(choice(['user', 'store'], 'whose'), 'user', 'whose setting to change'),
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
    anyOf(
      object({
        key: string,
        value: valueSchema,
        origin: oneOf('default', 'environment', 'user', 'store'),
        from: nullable(string),
      }),
      object({
        key: string,
        value: nullable(valueSchema),
        before: anything,
        for: oneOf('user', 'store'),
        path: string,
      }),
    ),
  ),
  run: async (call, { key, value, unset, for: owner }) => {
    const { config } = call
    if (key !== undefined && (unset || value !== undefined)) return change(call, key, value, owner)
    if (key !== undefined) settingOf(key)
    config.check()
    if (key === undefined) {
      const settings = [...SETTINGS.keys()].map((name) => config.held(name))
      return { data: settings, render: () => configLines(settings) }
    }
    const held = config.held(key)
    return { data: held, render: () => [[String(held.value)]] }
  },
})

/** Writes a setting to a file, or removes it. */
async function change(call: Invocation, key: string, typed: string | undefined, owner: ConfigOwner) {
  const { dryRun } = call
  const path = configPath(call, owner)
  const { [key]: old, ...others } = readConfig(path, { links: owner === 'user' })
  const value = typed === undefined ? undefined : valueOf(key, typed, owner)
  if (typed === undefined && old === undefined) settingOf(key)
  if (owner === 'store') checkNotBackup((await call.repo()).dir)
  const settings: JsonObject = value === undefined ? others : { ...others, [key]: value }
  if (!dryRun) {
    makeFolderSync(dirname(path))
    replaceFile(path, `${JSON.stringify(settings, undefined, 2)}\n`)
  }
  const before = old === undefined ? null : old
  const was = before === null ? 'was not set' : `was ${textOf(before)}`
  const whose = owner === 'user' ? 'for the user' : 'for this store'
  const scope = owner === 'user' ? '' : '--for store '
  return {
    data: { key, value: value ?? null, before, for: owner, path },
    render: () => [
      [
        value === undefined
          ? `${did(call, 'Unset')} ${key} ${whose} (${was})`
          : `${did(call, 'Set')} ${key} to ${textOf(value)} ${whose} (${was})`,
      ],
    ],
    notes: value === undefined || dryRun ? [] : await overridden(call, key, path),
    back:
      before !== null
        ? `sess config ${scope}${key} ${textOf(before)}`
        : value === undefined
          ? undefined
          : `sess config ${scope}--unset ${key}`,
  }
}

/** Returns a note if something else overrides the value that was just written. */
async function overridden(call: Invocation, key: string, path: string): Promise<string[]> {
  await configure(call, 'config')
  const held = call.config.held(key)
  return held.from === path ? [] : [`it has no effect here: ${held.value} counts (${originOf(held)})`]
}

const textOf = (value: unknown): string => quoted(typeof value === 'string' ? value : JSON.stringify(value))

function settingOf(key: string): SettingDeclaration {
  const found = SETTINGS.get(key)
  if (found) return found
  const error = new SessError('no-setting', key)
  throw new SessError('no-setting', key, { hint: didYouMean(nearest(key, SETTINGS.keys())) + hintOf(error) })
}

function valueOf(key: string, typed: string, owner: ConfigOwner): SettingValue {
  const { read, allows, own } = settingOf(key)
  if (own && owner !== 'user')
    throw new SessError('bad-usage', `'${key}' can only be set for the user`, {
      hint: `a store may come from elsewhere; set it with: sess config ${key} ${quoted(typed)}`,
    })
  const value = read(typed)
  if (value === undefined)
    throw new SessError('bad-usage', `'${typed}' is not a value of '${key}'`, { hint: `it may be ${allows}` })
  return value
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

import { dirname } from 'node:path'
import { Option } from 'commander'
import { SessError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { readConfig } from '../../repo/config.ts'
import { makeFolderSync, replaceFile } from '../../sources/replacefile.ts'
import type { Call, Define } from '../call.ts'
import type { Owner } from '../config.ts'
import { configPath, configure } from '../configure.ts'
import { examples } from '../examples.ts'
import { guessing } from '../guessing.ts'
import { nearest } from '../near.ts'
import { quoted } from '../quoted.ts'
import { configLines, originOf } from '../render/config.ts'
import { SETTINGS, type Setting, settingLines, type Value } from '../settings.ts'

interface Options {
  readonly list?: boolean
  readonly unset?: boolean
  readonly for?: Owner
}

const HOW = { hint: "type 'sess help config' to see how it is used" }

/** `sess config`: shows and changes settings. */
export const define: Define = (command, act) => {
  command
    .argument('[key]', 'the setting; without one, list all')
    .argument('[value]', 'the new value')
    .option('--list', 'list all settings with their sources')
    .option('--unset', 'remove a setting from its file')
    .addOption(new Option('--for <whose>', 'whose setting to change').choices(['user', 'store']))
    .addHelpText('after', `\n${settingLines()}`)
    .action(
      act(async (call, key: string | undefined, value: string | undefined, options: Options) => {
        const { list = false, unset = false } = options
        if (list ? key !== undefined || unset : unset && (key === undefined || value !== undefined))
          throw new SessError('bad-usage', list ? '--list takes no key' : '--unset takes one key', HOW)
        if (key === undefined) await show(call, [...SETTINGS.keys()])
        else if (unset || value !== undefined) await change(call, key, value, options.for ?? 'user')
        else await get(call, key)
      }),
    )
  examples(command, [
    ['sess config', 'list all settings with their sources'],
    ['sess config pager off', 'turn the pager off'],
    ['sess config --for store lockTimeout 60', 'wait longer for a busy store'],
    ['sess config --unset pager', 'use the default again'],
  ])
}

async function show({ io, config }: Call, keys: readonly string[]): Promise<void> {
  config.check()
  const settings = keys.map((key) => config.held(key))
  if (io.json) for (const held of settings) await io.data(held)
  else for (const line of configLines(settings)) await io.print(...line)
}

async function get({ io, config }: Call, key: string): Promise<void> {
  settingOf(key)
  config.check()
  const held = config.held(key)
  await (io.json ? io.data(held) : io.print(String(held.value)))
}

/** Writes what a setting is to be into a file, or takes it out of it, and tells the way back. */
async function change(call: Call, key: string, text: string | undefined, owner: Owner): Promise<void> {
  const { io, dryRun } = call
  const path = configPath(call, owner)
  const { [key]: old, ...others } = readConfig(path, { links: owner === 'user' })
  const value = text === undefined ? undefined : valueOf(key, text, owner)
  if (text === undefined && old === undefined) settingOf(key)
  if (owner === 'store') await call.repo()
  const settings: JsonObject = value === undefined ? others : { ...others, [key]: value }
  if (!dryRun) {
    makeFolderSync(dirname(path))
    replaceFile(path, `${JSON.stringify(settings, undefined, 2)}\n`)
  }
  const before = old === undefined ? null : old
  if (io.json) await io.data({ key, value: value ?? null, before, for: owner, path })
  else {
    const was = before === null ? 'was not set' : `was ${textOf(before)}`
    const whose = owner === 'user' ? 'for the user' : 'for this store'
    await io.print(
      value === undefined
        ? `Unset ${key} ${whose} (${was})`
        : `Set ${key} to ${textOf(value)} ${whose} (${was})`,
    )
    const scope = owner === 'user' ? '' : '--for store '
    if (before !== null) await io.note(`go back with: sess config ${scope}${key} ${textOf(before)}`)
    else if (value !== undefined) await io.note(`go back with: sess config ${scope}--unset ${key}`)
    if (value !== undefined && !dryRun) await tellWhatCounts(call, key, path)
  }
}

/** Says where something else counts before what was just written. */
async function tellWhatCounts(call: Call, key: string, path: string): Promise<void> {
  await configure(call, 'config')
  const held = call.config.held(key)
  if (held.from !== path)
    await call.io.note(`it has no effect here: ${held.value} counts (${originOf(held)})`)
}

const textOf = (value: unknown): string => quoted(typeof value === 'string' ? value : JSON.stringify(value))

function settingOf(key: string): Setting {
  const setting = SETTINGS.get(key)
  if (setting) return setting
  const error = new SessError('no-setting', key)
  throw new SessError('no-setting', key, { hint: guessing(nearest(key, SETTINGS.keys())) + error.hint })
}

function valueOf(key: string, text: string, owner: Owner): Value {
  const { read, allows, own } = settingOf(key)
  if (own && owner !== 'user')
    throw new SessError('bad-usage', `'${key}' is for the user to say`, {
      hint: `a store may come from elsewhere; set it with: sess config ${key} ${quoted(text)}`,
    })
  const value = read(text)
  if (value === undefined)
    throw new SessError('bad-usage', `'${text}' is not a value of '${key}'`, { hint: `it may be ${allows}` })
  return value
}

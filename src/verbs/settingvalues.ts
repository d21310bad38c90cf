import { asSessError, SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { type PriceOf, parsePrices, pricesWith } from '../model/prices.ts'
import type { Variables } from '../model/variables.ts'
import {
  type HintName,
  SETTINGS,
  type SettingDeclaration,
  type Settings,
  type SettingValue,
} from './settings.ts'
import { type ConfigOwner, configPath, type ProcessEnvironment, readConfig } from './surroundings.ts'

/** A file of settings as it was read. */
interface ConfigFile {
  readonly owner: ConfigOwner
  readonly path: string
  readonly settings: JsonObject
}

/** The value of a setting and its source: the path of a file, or a variable. */
export interface SettingOrigin {
  readonly key: string
  readonly value: SettingValue
  readonly origin: 'default' | 'environment' | ConfigOwner
  readonly from: string | null
}

/**
 * The settings of one call. Precedence: variables that are sess's own, the file of the store, the file of the user, the
 * variables that all programs share, defaults.
 */
export class Config {
  readonly #variables: Variables
  /** The first counts. */
  readonly #files: readonly ConfigFile[]
  readonly #damaged: SessError | undefined

  /** `damaged` is why a file could not be read. */
  constructor(variables: Variables, files: readonly ConfigFile[] = [], damaged?: SessError) {
    this.#variables = variables
    this.#files = files
    this.#damaged = damaged
  }

  value<K extends keyof Settings>(key: K): Settings[K] {
    return this.held(key).value as Settings[K]
  }

  hints(name: HintName): boolean {
    return this.value('hints') && this.held(`hints.${name}`).value === true
  }

  /** Every setting, and where its value comes from. */
  get all(): readonly SettingOrigin[] {
    return Array.from(SETTINGS.keys(), (key) => this.held(key))
  }

  /** Returns what a setting is and where that comes from. */
  held(key: string): SettingOrigin {
    const setting = SETTINGS.get(key) as SettingDeclaration
    return (
      this.#inVariables(key, setting, true) ??
      this.#inFiles(key, setting) ??
      this.#inVariables(key, setting, false) ?? {
        key,
        value: setting.fallback,
        origin: 'default',
        from: null,
      }
    )
  }

  #inVariables(
    key: string,
    { variables = [], read }: SettingDeclaration,
    first: boolean,
  ): SettingOrigin | undefined {
    for (const { name, means, first: before = false } of variables) {
      const text = this.#variables[name]
      if (before !== first || !text || (means === 'always' && text === '0')) continue
      const value = read(means ?? text)
      if (value !== undefined) return { key, value, origin: 'environment', from: name }
    }
    return undefined
  }

  #inFiles(key: string, setting: SettingDeclaration): SettingOrigin | undefined {
    for (const { owner, path, settings } of this.#files) {
      if (!Object.hasOwn(settings, key) || (setting.own && owner !== 'user')) continue
      const value = setting.read(plain(settings[key]))
      if (value !== undefined) return { key, value, origin: owner, from: path }
    }
    return undefined
  }

  /** Throws `bad-config` where a file cannot be read or holds a value that is not allowed. */
  check(): void {
    const bad = this.#damaged ?? this.#files.flatMap(badValues)[0]
    if (bad) throw bad
  }

  /** Returns the keys in files that are not settings, or that the file may not set. */
  get strange(): readonly { readonly key: string; readonly path: string }[] {
    return this.#files.flatMap(({ owner, path, settings }) =>
      Object.keys(settings)
        .filter((key) => !SETTINGS.has(key) || (SETTINGS.get(key)?.own && owner !== 'user'))
        .map((key) => ({ key, path })),
    )
  }
}

/**
 * Reads the settings of the user, and of a store in a folder where one is named. `check` of the settings throws where a
 * file is damaged.
 */
export function readSettings(world: ProcessEnvironment, store?: string): Config {
  const files: ConfigFile[] = []
  let damaged: SessError | undefined
  for (const owner of store === undefined ? (['user'] as const) : (['store', 'user'] as const)) {
    const path = configPath(owner, () => store ?? '', world)
    try {
      files.push({ owner, path, settings: readConfig(path, { links: owner === 'user' }) })
    } catch (error) {
      damaged ??= asSessError(error)
    }
  }
  return new Config(world.variables, files, damaged)
}

const badValues = ({ owner, path, settings }: ConfigFile): SessError[] =>
  Object.entries(settings).flatMap(([key, value]) => {
    const setting = SETTINGS.get(key)
    if (!setting || setting.read(plain(value)) !== undefined) return []
    return new SessError('bad-config', path, {
      detail: `${key} is ${textOf(value)}, not ${setting.allows}`,
      remedy: { kind: 'unset-setting', setting: key, owner },
    })
  })

const plain = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value))

const textOf = (value: Json): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

/** Returns the prices of models: those of the setting `prices`, then those of the list. */
export const pricesIn = (config: Config): PriceOf => pricesWith(() => parsePrices(config.value('prices')))

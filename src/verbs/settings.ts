import { SessError } from '../model/errors.ts'
import { FILTERS, type GraphFilter } from '../model/graphfilter.ts'
import { parsePrices } from '../model/prices.ts'
import { parseTime } from '../model/time.ts'
import { SAFE_DIRECTORY, safeDirectories } from './surroundings.ts'

export type SettingValue = string | number | boolean

/** A setting: its default, its description, and its parser. */
export interface SettingDeclaration<T extends SettingValue = SettingValue> {
  readonly fallback: T
  readonly does: string
  /** The allowed values, for help and errors. */
  readonly allows: string
  /** Values that it may be, for completion. */
  readonly values?: readonly string[]
  /** Returns the value of a text, or undefined if it is not allowed. */
  readonly read: (text: string) => T | undefined
  /** Only the user may set it: a store may come from elsewhere, and its settings must start no program. */
  readonly own?: true
  /** Environment variables that set it too. */
  readonly variables?: readonly Variable[]
}

interface Variable {
  readonly name: string
  /** The value of the setting if the variable is set to anything; otherwise its text is used. */
  readonly means?: string
  /** Whether it takes precedence over the files. */
  readonly first?: true
}

const setting = <T extends SettingValue>(one: SettingDeclaration<T>): SettingDeclaration<T> => one

const choice = <T extends string>(
  ...words: readonly T[]
): Pick<SettingDeclaration<T>, 'allows' | 'values' | 'read'> => ({
  values: words,
  allows: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
  read: (text) => words.find((word) => word === text),
})

const TRUTH: Pick<SettingDeclaration<boolean>, 'allows' | 'values' | 'read'> = {
  values: ['true', 'false'],
  allows: 'true or false',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

const AGE: Pick<SettingDeclaration<string>, 'allows' | 'read'> = {
  allows: 'an age such as 14d, or now',
  read: (text) => (parseTime(text, 0) === undefined ? undefined : text),
}

const MAIN = {
  color: setting<'auto' | 'always' | 'never'>({
    ...choice('auto', 'always', 'never'),
    fallback: 'auto',
    does: 'print colours; auto: where the output is a terminal',
    variables: [
      { name: 'NO_COLOR', means: 'never' },
      { name: 'CLICOLOR_FORCE', means: 'always' },
    ],
  }),
  pager: setting({
    allows: 'a command, or off',
    values: ['off'],
    read: (text) => text.trim() || undefined,
    fallback: 'less',
    does: 'the command that shows what is longer than the screen, or off',
    own: true,
    variables: [{ name: 'SESS_PAGER', first: true }, { name: 'PAGER' }],
  }),
  graph: setting<'auto' | 'unicode' | 'ascii'>({
    ...choice('auto', 'unicode', 'ascii'),
    fallback: 'auto',
    does: 'what graphs are drawn with; auto: ASCII where the locale or the terminal knows no more',
    variables: [{ name: 'NO_UNICODE', means: 'ascii' }],
  }),
  'tree.filter': setting<GraphFilter>({
    ...choice(...FILTERS),
    fallback: 'default',
    does: 'what sess tree draws',
  }),
  keys: setting<'letters' | 'pi'>({
    ...choice('letters', 'pi'),
    fallback: 'letters',
    does: 'what a letter does in sess browse: act, or search at once as in pi',
  }),
  'keys.bindings': setting({
    allows: 'words ACTION=KEY or ACTION=KEY,KEY, or none',
    read: (text) => (text === 'none' || /^(?:\s*\w+=\S+\s*)+$/.test(text) ? text : undefined),
    fallback: 'none',
    does: 'keys of sess browse that differ from the usual ones',
  }),
  progress: setting<'auto' | 'off'>({
    ...choice('auto', 'off'),
    fallback: 'auto',
    does: 'say how far long work is; auto: where standard error is a terminal',
  }),
  lockTimeout: setting({
    allows: 'a number of seconds',
    read: (text) => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined),
    fallback: 5,
    does: 'seconds to wait while another process has the store',
  }),
  'gc.grace': setting({
    ...AGE,
    fallback: '14d',
    does: 'how long sess gc keeps what nothing names',
  }),
  'gc.operations': setting({
    ...AGE,
    fallback: '90d',
    does: 'how long sess gc keeps operations and what they name',
  }),
  [SAFE_DIRECTORY]: setting({
    allows: 'absolute paths with : between them (; on Windows), * for every store, or none',
    read: (text) => (text === 'none' || safeDirectories(text) ? text : undefined),
    fallback: 'none',
    does: 'the stores of other users that may be used where they are found upward',
    own: true,
  }),
  prices: setting({
    allows:
      'MODEL=INPUT/CACHED/OUTPUT[/CACHE-WRITE[/CACHE-WRITE-1H]], … in dollars per million tokens, or none',
    read: (text) => (text === 'none' || parsePrices(text) ? text : undefined),
    fallback: 'none',
    does: 'prices of models, before those of the list, for costs that no agent records',
  }),
  hints: setting({ ...TRUTH, fallback: true, does: 'show hints, each of which has a setting of its own' }),
}

/** Hints that commands print beside their output. */
const HINTS = {
  detached: 'what a detached HEAD means',
  scan: 'what to do about secrets that were found',
  search: 'how to see what else was found',
} as const satisfies Readonly<Record<string, string>>

/** The name of a hint: the setting `hints.<name>` turns it off. */
export type HintName = keyof typeof HINTS

/** The values of the settings of a command by name, except single hints. */
export type Settings = {
  readonly [K in keyof typeof MAIN]: (typeof MAIN)[K] extends SettingDeclaration<infer T> ? T : never
}

/** Every setting by its name. */
export const SETTINGS: ReadonlyMap<string, SettingDeclaration> = new Map<string, SettingDeclaration>([
  ...Object.entries(MAIN),
  ...Object.entries(HINTS).map(
    ([name, says]) =>
      [
        `hints.${name}`,
        setting({ ...TRUTH, fallback: true, does: `show the hint that says ${says}` }),
      ] as const,
  ),
])

/** Returns the declaration of a setting. Throws `no-setting`. */
export function settingOf(key: string): SettingDeclaration {
  const found = SETTINGS.get(key)
  if (found) return found
  throw new SessError('no-setting', key, { typed: key, choices: [...SETTINGS.keys()] })
}

/* Amounts, times and names as people read them. */

const trimmed = (value: number, digits: number): string => value.toFixed(digits).replace(/\.0+$/, '')

/** Returns an amount in dollars: small ones with more digits. */
export const money = (dollars: number): string =>
  dollars === 0
    ? '$0'
    : dollars < 0.01
      ? '<$0.01'
      : `$${dollars < 1000 ? dollars.toFixed(2) : grouped(Math.round(dollars))}`

/** Returns a whole number with its thousands apart. */
export const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** Returns a number of tokens or entries in few characters. */
export function short(count: number): string {
  if (count < 1000) return String(Math.round(count))
  if (count < 1e6) return `${trimmed(count / 1e3, count < 1e4 ? 1 : 0)}k`
  if (count < 1e9) return `${trimmed(count / 1e6, count < 1e7 ? 1 : 0)}M`
  return `${trimmed(count / 1e9, 1)}G`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Returns a number of bytes in few characters. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${trimmed(value, unit === 0 || value >= 100 ? 0 : 1)} ${UNITS[unit]}`
}

/** Returns a number of milliseconds in its largest units. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${trimmed(seconds, seconds < 10 ? 1 : 0)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.round(minutes / 60 / 24)} days`
}

/** Returns a count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`

/** Returns the first line of a text that has one. */
export const firstLine = (text: string): string => /\S[^\n]*/.exec(text)?.[0]?.trim() ?? ''

/** Returns a text that ends after so many characters, at a full one. */
export const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

/** Returns the last part of a path. */
export const lastPart = (path: string): string => /[^/\\]+(?=[/\\]*$)/.exec(path)?.[0] ?? path

/** How agents are called, the letter of their tile, and its colour. */
const AGENTS: Readonly<Record<string, readonly [name: string, letter: string, hue: number]>> = {
  claude: ['Claude Code', 'C', 1],
  'claude-code': ['Claude Code', 'C', 1],
  codex: ['Codex', 'X', 2],
  pi: ['pi', 'π', 3],
  'gemini-cli': ['Gemini CLI', 'G', 4],
  gemini: ['Gemini CLI', 'G', 4],
  'oh-my-pi': ['oh-my-pi', 'Π', 3],
  opencode: ['OpenCode', 'O', 4],
  'copilot-cli': ['Copilot CLI', 'P', 2],
  cursor: ['Cursor', 'U', 3],
  sess: ['sess', 'S', 4],
}

/** Returns the name of the agent of a format. */
export const agentName = (format: string): string => AGENTS[format]?.[0] ?? format

/** Returns the letter of the tile of an agent. */
export const agentLetter = (format: string): string =>
  AGENTS[format]?.[1] ?? (format.charAt(0).toUpperCase() || '?')

/** Returns the number of the hue of an agent, which its tile and the charts have. */
export function agentHue(format: string): number {
  const known = AGENTS[format]
  if (known) return known[2]
  let sum = 0
  for (const letter of format) sum += letter.codePointAt(0) ?? 0
  return (sum % 4) + 1
}

/** Where clocks show what time it is; of this computer unless given. */
export type ZoneName = string | undefined

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const DATE_AND_TIME: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  ...CLOCK,
}
const NUMBERS: Intl.DateTimeFormatOptions = { day: '2-digit', month: '2-digit', year: 'numeric' }
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }
const WEEKDAY: Intl.DateTimeFormatOptions = { weekday: 'long' }

const formats = new Map<unknown, Map<ZoneName, Intl.DateTimeFormat>>()

/** Returns a format of times; making one takes long. */
function formatOf(zone: ZoneName, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const zones = formats.get(options) ?? new Map<ZoneName, Intl.DateTimeFormat>()
  const made = zones.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
  formats.set(options, zones.set(zone, made))
  return made
}

/** Returns the time of day. */
export const clock = (time: string, zone?: ZoneName): string => formatOf(zone, CLOCK).format(new Date(time))

/** Returns a date with its time of day, in full. */
export const dateAndTime = (time: string, zone?: ZoneName): string =>
  formatOf(zone, DATE_AND_TIME).format(new Date(time))

/** Returns a day as `2026-11-28`, where clocks show it. */
export function dayOf(time: Date, zone?: ZoneName): string {
  const parts = formatOf(zone, NUMBERS).formatToParts(time)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** Returns a day of the form `2026-11-28` in few characters. */
export const dayShort = (day: string): string => formatOf('UTC', DAY).format(new Date(`${day}T12:00:00Z`))

/** Returns the weekday of a day of the form `2026-11-28`. */
export const weekday = (day: string): string => formatOf('UTC', WEEKDAY).format(new Date(`${day}T12:00:00Z`))

/** Returns the model in few words: without the maker and the date of its version. */
export const modelName = (model: string): string =>
  lastPart(model)
    .replace(/^claude-/, '')
    .replace(/-20\d{6}$/, '')

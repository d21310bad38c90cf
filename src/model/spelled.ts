/** The most backslashes before an escaped character: JSON within JSON, four times. */
const DEEP = 15

/** Shorter parts of an encoded text could occur in any other. */
const SHORTEST = 8

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\b', 'b'],
  ['\f', 'f'],
])

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Returns an expression for hex digits in either case. */
const hex = (digits: string): string =>
  digits.replace(/[a-f]/gi, (d) => `[${d.toLowerCase()}${d.toUpperCase()}]`)

const unitOf = (char: string): string => hex(char.charCodeAt(0).toString(16).padStart(4, '0'))

/**
 * Returns an expression for a character in all spellings: plain, escaped by JSON any number of times, and
 * percent-encoded.
 */
function ways(point: string): string {
  if (point === '\\') return `(?:\\\\{1,${DEEP}}u005[cC]|\\\\{1,${DEEP + 1}}|%5[cC])`
  const escaped = point.split('').map((unit) => `\\\\{1,${DEEP}}u${unitOf(unit)}`)
  const short = SHORT.get(point)
  const plain = point === '"' || point === '/' ? `\\\\{0,${DEEP}}${literal(point)}` : literal(point)
  const percent = Array.from(Buffer.from(point), (byte) => `%${hex(byte.toString(16).padStart(2, '0'))}`)
  return `(?:${[plain, escaped.join(''), percent.join(''), ...(short ? [`\\\\{1,${DEEP}}${short}`] : [])].join('|')})`
}

/** Returns an expression that finds a secret in every spelling of JSON and of addresses. */
export const spelled = (secret: string): RegExp =>
  // What is escaped again doubles its backslashes, so many of them are one.
  new RegExp(Array.from(secret.toWellFormed().replace(/\\+/g, '\\'), ways).join(''), 'g')

const BASE64_CHAR = /[\w+/=-]/

/** Returns an expression that finds a secret inside base64, at each of the three offsets in a group. */
export function encoded(secret: string): RegExp | undefined {
  const cores = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const whole = bytes.toString('base64').replace(/=+$/, '')
    // The first and the last character may hold bits of what stands around it.
    const core = whole.slice(Math.ceil((8 * before) / 6), Math.floor((8 * bytes.length) / 6))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  if (cores.some((core) => core.length < SHORTEST)) return undefined
  return new RegExp([...new Set(cores)].map(literal).join('|'), 'g')
}

/** Puts something in the place of all that is encoded with what an expression finds: a part of it is of no use. */
export function withoutEncoded(text: string, found: RegExp, instead: string): string {
  let next = ''
  let done = 0
  for (const { index, 0: core } of text.matchAll(found)) {
    if (index < done) continue
    let [from, to] = [index, index + core.length]
    while (from > done && BASE64_CHAR.test(text.charAt(from - 1))) from--
    while (to < text.length && BASE64_CHAR.test(text.charAt(to))) to++
    next += text.slice(done, from) + instead
    done = to
  }
  return done === 0 ? text : next + text.slice(done)
}

/** Yields a text as it is, and decoded if it has escapes or encoded parts. */
export function* meanings(text: string): Generator<string> {
  yield text
  if (text.includes('\\')) yield unescaped(text)
  if (/%[0-9a-fA-F]{2}/.test(text))
    yield text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
    )
  for (const [run] of text.matchAll(/[\w+/-]{16,}/g)) yield Buffer.from(run, 'base64').toString()
}

const LONG: ReadonlyMap<string, string> = new Map([...SHORT].map(([char, letter]) => [letter, char]))

/** Takes all levels of escapes away at once; one backslash stays where nothing else is meant. */
const unescaped = (text: string): string =>
  text.replace(/\\+(?:u([0-9a-fA-F]{4})|(["/nrtbf]))?/g, (_, unit?: string, short: string = '') => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
    return short === '' ? '\\' : (LONG.get(short) ?? short)
  })

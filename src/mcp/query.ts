import { FIELDS } from '../model/search/query.ts'

/** A way to search for what was asked for: queries, of which a hit fits one at least. */
export interface Attempt {
  readonly queries: readonly string[]
  readonly matching: 'all' | 'most' | 'any'
}

/** Words of questions that say nothing of what is searched for. */
const COMMON = new Set(
  `a about ago all also am an and any are as at be been but by can could did do does for from had has have how i if in into
is it its just last let me my of on or our out please should so some than that the their them then there these they
this to us was we week were what when where which who why will with would yesterday you your`.split(/\s+/),
)

/** A longer query is searched only as it is. */
const MAX_WORDS = 8

const FIELD = new RegExp(`^-?(?:re|${Object.keys(FIELDS).join('|')}):`)

/**
 * Returns the ways to search for a query, to be tried in turn until one finds something: all of its words, then all but one
 * of them, then any. A query in the language of searches is searched as it is.
 */
export function attemptsFor(query: string): readonly Attempt[] {
  const typed = query.split(/\s+/).filter((word) => word !== '')
  const isPlain = typed.every(
    (word) => !word.includes('"') && !word.startsWith('-') && word !== 'OR' && !FIELD.test(word),
  )
  if (!isPlain) return [{ queries: [query], matching: 'all' }]
  const named = typed
    .map((word) => word.replace(/^[.,;:!?()]+|[.,;:!?()]+$/g, ''))
    .filter((word) => word !== '')
  const telling = named.filter((word) => !COMMON.has(word.toLowerCase()))
  const words = [...new Set(telling.length > 0 ? telling : named)].map(quotedWord)
  const whole: Attempt = { queries: [words.length === 0 ? query : words.join(' ')], matching: 'all' }
  if (words.length < 2 || words.length > MAX_WORDS) return [whole]
  const any: Attempt = { queries: words, matching: 'any' }
  if (words.length === 2) return [whole, any]
  const most = words.map((_, i) => words.filter((_word, j) => j !== i).join(' '))
  return [whole, { queries: most, matching: 'most' }, any]
}

/** Returns a word so that nothing in it is taken for a part of the language of searches. */
const quotedWord = (word: string): string => (/^[\w.-]+$/.test(word) ? word : `"${word}"`)

/** Returns a condition on a field. */
export const fieldText = (field: string, value: string): string =>
  `${field}:"${value.replaceAll('"', ' ').trim()}"`

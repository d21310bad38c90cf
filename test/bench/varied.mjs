// Writes variations of real transcripts: each has ids of its own and 12 % of the words of its texts replaced.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chance } from './conversation.mjs'
import { filesIn, sizeOf } from './measure.mjs'

const AGENTS = ['claude-code', 'codex', 'pi']
const SMALLEST = 100_000
const REPLACED = 0.12
const WORDS = 4000

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const PREFIXED_ID = /\b(toolu_|call_|msg_|req_|rs_)([A-Za-z0-9]{8,})/g
const SHORT_ID = /"(id|parentId|targetId|firstKeptEntryId)":"([0-9a-f]{8})"/g
const STRING = /"(?:[^"\\]|\\.)*"/g
/** A word outside escape sequences. */
const WORD = /(?<![\\\w])[a-z]{4,}(?!\w)/g
/** Strings below this length and strings without a space may be names that a format reads. */
const SHORTEST_TEXT = 40

const isText = (string) => string.length > SHORTEST_TEXT && string.includes(' ')

/** Returns the large transcripts of the agents, smallest first. */
function sources(corpus) {
  const files = AGENTS.flatMap((agent) => filesIn(`${corpus}/${agent}`))
  const large = files.filter((file) => file.endsWith('.jsonl') && sizeOf(file) >= SMALLEST)
  return large
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .map((file) => ({
      name: file.slice(corpus.length + 1).replaceAll('/', '-'),
      text: readFileSync(file, 'utf8'),
    }))
}

function vocabularyOf(texts) {
  const words = new Set()
  for (const text of texts)
    for (const [string] of text.matchAll(STRING))
      if (isText(string))
        for (const [word] of string.matchAll(WORD)) {
          words.add(word)
          if (words.size === WORDS) return [...words]
        }
  return [...words]
}

/** Returns a text with other ids, the same ones for equal ids of one variation, and other words. */
function vary(text, variation, vocabulary) {
  const next = chance(variation)
  const digest = (id) => createHash('sha256').update(`${variation} ${id}`).digest('hex')
  const uuid = (id) => {
    const hex = digest(id)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${id.slice(14, 18)}-${id.slice(19, 23)}-${hex.slice(12, 24)}`
  }
  const replaceWord = (word) =>
    next() < REPLACED ? vocabulary[Math.floor(next() * vocabulary.length)] : word
  return text
    .replaceAll(STRING, (string) => (isText(string) ? string.replaceAll(WORD, replaceWord) : string))
    .replaceAll(UUID, uuid)
    .replaceAll(PREFIXED_ID, (_, prefix, id) => `${prefix}${digest(id).slice(0, id.length)}`)
    .replaceAll(SHORT_ID, (_, key, id) => `"${key}":"${digest(id).slice(0, 8)}"`)
}

/** Writes variations of the transcripts of Claude Code, Codex and pi until they have so many bytes. */
export function writeVaried(folder, corpus, bytes) {
  const originals = sources(corpus)
  const vocabulary = vocabularyOf(originals.map(({ text }) => text))
  mkdirSync(folder)
  for (let variation = 1, written = 0; ; variation++)
    for (const { name, text } of originals) {
      if (written >= bytes) return folder
      const varied = Buffer.from(vary(text, variation, vocabulary))
      writeFileSync(`${folder}/${variation}-${name}`, varied)
      written += varied.length
    }
}

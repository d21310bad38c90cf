import type { Oid } from '../model/encoding/oid.ts'
import type { EntryHandle } from '../model/node.ts'
import { promptIn } from '../model/prompt.ts'
import { textOf, type View } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { viewAt } from './entries.ts'
import type { Listed } from './list.ts'
import { entryAt } from './rows/treefilter.ts'

/** The most of the last words that a row shows, in UTF-16 units. */
const MAX_WORDS = 120

/** The most of a text that is searched for words: the rest may be megabytes of space. */
const MAX_SEARCHED = 8 * MAX_WORDS

/**
 * Returns for each of some sessions the start of what its user or the model said last on its current path, null where nobody
 * said anything. Reads a body for each: they are not kept with the session, where removing a secret would have to find them.
 */
export function lastWords(repo: Repo, sessions: readonly Listed[]): Promise<(string | null)[]> {
  return repo.read(async (reader) => {
    const tips = sessions.map(tipOf)
    const handles = await reader.findMany(tips.filter((oid) => oid !== undefined))
    const entries: (EntryHandle | undefined)[] = []
    for (const tip of tips) entries.push(await speakerAt(reader, tip && handles.get(tip)))
    await reader.prefetch(entries.filter((entry) => entry !== undefined))
    const words: (string | null)[] = []
    for (const entry of entries) words.push(entry === undefined ? null : wordsIn(await viewAt(reader, entry)))
    return words
  })
}

const tipOf = ({ head, branches }: Listed): Oid | undefined =>
  head === null ? undefined : (branches[head] ?? (head as Oid))

/** Returns the newest entry with words on the path of a tip, found by the sums that each entry has. */
async function speakerAt(reader: Reader, tip: EntryHandle | undefined): Promise<EntryHandle | undefined> {
  if (tip === undefined) return undefined
  const look = lookIn(reader)
  const { texts } = (await look(tip)).weight
  return texts === 0 ? undefined : entryAt(look, tip, 'texts', texts)
}

/** Returns the start of what an entry says, with single spaces. */
function wordsIn(view: View): string | null {
  const said = promptIn(view, MAX_WORDS)
  if (said !== undefined) return said
  const words = (textOf(view) ?? '').trimStart().slice(0, MAX_SEARCHED).trimEnd().replace(/\s+/g, ' ')
  return (words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1)}…` : words).toWellFormed() || null
}

import { literalsOf } from '../../model/pattern.ts'
import type { Query, Term } from '../../model/query.ts'
import { PLACES } from '../../model/said.ts'
import { demandsOf, type Pieces, WORDLESS } from '../../model/words.ts'
import { type Backend, GROUP, groupStart, type Row, type WordSegment } from '../../repo/backend.ts'

/** A term that is looked for in what is said. */
export type Words = Extract<Term, { readonly pattern: RegExp }>

/** Tells whether a term is looked for in what is said. */
const isWords = (term: Term): term is Words => term.kind === 'text' || term.kind === 'pattern'

/** Gives the clauses that hold only where something is said: in each list one word at least must be. */
export const wordsOf = ({ clauses }: Query): readonly (readonly Words[])[] =>
  clauses.flatMap((clause) => {
    const words = clause.filter((term): term is Words => isWords(term) && !term.not)
    return words.length === clause.length ? [words] : []
  })

/** In which groups of rows to look. */
export interface Groups {
  /** Gives for a group a bit for each of PLACES where all words may be said, and the next bit where they may at all. */
  at(row: Row): number
  /** How many groups there are to look at. */
  readonly groups: number
}

/** The bit of groups in which all words may be said, be it in several places. */
const ANYWHERE = 1 << PLACES.length

const EVERYWHERE = 2 * ANYWHERE - 1

/**
 * Looks up in which groups of rows all words may be said. What the index does not cover, since it was added lately or a
 * part of the index is missing, is to be looked at.
 */
export async function groupsOf(backend: Backend, words: readonly (readonly Words[])[]): Promise<Groups> {
  const marks = new Map<Row, Uint8Array>()
  const wanted = words.map((ways) => ways.map(piecesOf))
  if (words.length > 0)
    for await (const segment of backend.words()) {
      const found = findAll(segment, wanted)
      for (let group = 0; group < segment.groups; group++)
        marks.set(segment.from + group * GROUP, found.subarray(group, group + 1))
    }
  let groups = 0
  for (const [mark = 0] of marks.values()) if (mark > 0) groups++
  return { at: (row) => marks.get(groupStart(row))?.[0] ?? EVERYWHERE, groups }
}

type Demands = readonly (readonly Pieces[])[]

/** What the words of a text meet that one fits. */
const piecesOf = (term: Words): Demands =>
  term.kind === 'text'
    ? demandsOf(term.text)
    : literalsOf(term.source).flatMap((text) => [...demandsOf(text)])

function findAll(segment: WordSegment, wanted: readonly (readonly Demands[])[]): Uint8Array {
  const known = new Map<string, Uint8Array>()
  const find = (piece: string): Uint8Array => {
    const found = known.get(piece) ?? segment.find(piece)
    known.set(piece, found)
    return found
  }
  const marks = new Uint8Array(segment.groups).fill(EVERYWHERE)
  for (const ways of wanted) {
    const found = either(
      segment,
      ways.map((demands) => foundBy(segment, demands, find)),
    )
    for (const [group, mark] of found.entries())
      marks[group] = (marks[group] as number) & (mark === 0 ? 0 : mark | ANYWHERE)
  }
  return marks
}

/** Gives where a text may be that meets demands: its words stand in one place. */
function foundBy(segment: WordSegment, demands: Demands, find: (piece: string) => Uint8Array): Uint8Array {
  const wild = find(WORDLESS)
  const all = new Uint8Array(segment.groups).fill(ANYWHERE - 1)
  for (const ways of demands) {
    const found = either(
      segment,
      ways.map((pieces) => both(segment, pieces.map(find))),
    )
    for (const [group, mark] of found.entries())
      all[group] = (all[group] as number) & (mark | (wild[group] as number))
  }
  return all
}

function either({ groups }: WordSegment, lists: readonly Uint8Array[]): Uint8Array {
  const marks = new Uint8Array(groups)
  for (const list of lists)
    for (let group = 0; group < groups; group++)
      marks[group] = (marks[group] as number) | (list[group] as number)
  return marks
}

function both({ groups }: WordSegment, lists: readonly Uint8Array[]): Uint8Array {
  const marks = new Uint8Array(groups).fill(ANYWHERE - 1)
  for (const list of lists)
    for (let group = 0; group < groups; group++)
      marks[group] = (marks[group] as number) & (list[group] as number)
  return marks
}

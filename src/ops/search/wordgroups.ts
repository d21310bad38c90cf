import type { Pattern } from '../../model/pattern/pattern.ts'
import type { Query, Term } from '../../model/query.ts'
import { demandsOf, type Pieces } from '../../model/words.ts'

/** A term that is looked for in what is said. */
export type Words = Extract<Term, { readonly pattern: Pattern }>

/** Returns whether a term is looked for in what is said. */
const isWords = (term: Term): term is Words => term.kind === 'text' || term.kind === 'pattern'

/** Returns the clauses that hold only where something is said: in each list one word at least must be. */
export const wordsOf = ({ clauses }: Query): readonly (readonly Words[])[] =>
  clauses.flatMap((clause) => {
    const words = clause.filter((term): term is Words => isWords(term) && !term.not)
    return words.length === clause.length ? [words] : []
  })

/** Returns the pieces of words that a text contains where a term matches it: for each word the ways to say it. */
export const piecesOf = (term: Words): readonly (readonly Pieces[])[] =>
  term.kind === 'text' ? demandsOf(term.text) : term.pattern.literals.flatMap((text) => [...demandsOf(text)])

import type { InputOf, Inputs } from '../verbs/input.ts'
import { cursorSchemaOf, type HasCursor } from '../verbs/page.ts'
import type { Schema } from '../verbs/schema.ts'
import type { ListVerb } from '../verbs/verb.ts'
import type { Invocation } from './invocation.ts'
import type { Option } from './parameters.ts'

/** The options that say where a page is. */
interface PagePlace {
  readonly after: Option<string | undefined>
  readonly before: Option<string | undefined>
}

/** Returns the options for pages of a verb. `excludes` names the options that order the list in another way. */
export const pageOptions = (
  { input: { after, before } }: { readonly input: PagePlace },
  ...excludes: readonly string[]
): PagePlace => ({
  after: { ...after, excludes: [...(after.excludes ?? []), 'before', ...excludes] },
  before: { ...before, excludes },
})

/** Which part of a list is asked for. */
interface PageInput {
  readonly after?: string
  readonly before?: string
  readonly limit?: number
}

/** Returns whether only the rows after or before one are asked for. */
export const isPage = ({ after, before }: PageInput): boolean => (after ?? before) !== undefined

/** Returns whether rows have cursors: where only some of them are asked for. */
export const hasCursors = ({ after, before, limit }: PageInput): boolean =>
  (after ?? before ?? limit) !== undefined

/** Returns the schema of a row of a list that has pages. */
export const rowSchemaOf = ({ item }: { readonly item: { readonly schema: Schema } }): Schema =>
  cursorSchemaOf(item.schema)

/**
 * Yields what a command prints of a list: a page after or before a row, which is whole without a limit, else the rows as
 * they come. Each has a cursor where only some are asked for.
 */
export async function* rowsOf<I extends Inputs, T extends object>(
  call: Invocation,
  verb: ListVerb<I, T>,
  input: InputOf<I> & PageInput,
): AsyncGenerator<T & HasCursor> {
  const context = await call.context()
  if (isPage(input)) {
    const { items } = await verb.run(context, { limit: Number.POSITIVE_INFINITY, ...input } as never)
    yield* items
    return
  }
  const isNamed = hasCursors(input)
  for await (const item of verb.items(context, input))
    yield isNamed ? { ...item, cursor: verb.cursor(item) } : item
}

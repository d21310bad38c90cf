import { SessError } from '../model/errors.ts'
import type { Cursor } from '../ops/rows/cursor.ts'
import { type WriteTerms, type Written, writeOnce } from '../ops/writeonce.ts'
import { type Input, type InputOf, type Inputs, optional } from './input.ts'
import type { FolderContext, VerbContext } from './open.ts'
import { type Page, type PageOptions, pageFromStart, pageSchema, withCursor } from './page.ts'
import { arrayOf, type Schema } from './schema.ts'
import { text } from './values.ts'

export type { Written } from '../ops/writeonce.ts'

/**
 * The effect of a verb: `read` changes nothing; `write` is one operation, which can be undone; `destructive` cannot be
 * undone.
 */
export type Effect = 'read' | 'write' | 'destructive'

/**
 * The operations of a call that writes: `one`, which the call is answered with; `several`, where it takes what is not
 * there yet in units of work of their own, so that a repeated call does what is left; `none`, where it moves no ref: it
 * writes files, objects that no ref names, or the store as a whole.
 */
export type Operations = 'one' | 'several' | 'none'

/** The output of a verb: its JSON Schema, and the value that is sent for a result. */
export interface Output<T> {
  readonly schema: Schema
  readonly wire: (value: T) => unknown
  /** Of an output of several results: that of each. */
  readonly each?: Output<never>
}

/** The type of the results of a verb. */
export type ResultOf<V> = V extends { readonly output: Output<infer T> } ? T : never

/** Declares an output that is sent as it is. */
export const output = <T>(schema: Schema<T>): Output<T> => ({ schema, wire: (value) => value })

/** Declares an output whose results hold more than is sent, for interfaces in the same process. */
export const sentAs = <T, W>(schema: Schema<W>, wire: (value: T) => W): Output<T> => ({ schema, wire })

/** Declares an output of several results. */
export const listOf = <T>(each: Output<T>): Output<readonly T[]> => ({
  schema: arrayOf(each.schema),
  wire: (values) => values.map(each.wire),
  each,
})

/** The declaration of a verb, from which every interface derives: its name, effect, inputs and output. */
export interface Verb<I extends Inputs = Inputs, T = unknown> {
  readonly name: string
  /** In one line, to follow its name. */
  readonly summary: string
  readonly effect: Effect
  readonly input: I
  readonly output: Output<T>
  /** The operations of a call, if it writes: `one` by default. They decide which terms a call has. */
  readonly operations?: Operations
  /** Returns data or a page, and prints nothing. */
  run(context: VerbContext, input: InputOf<I>): Promise<T>
}

/** A verb that needs no open store, and so makes no operation. */
export interface FolderVerb<I extends Inputs = Inputs, T = unknown> extends Verb<I, T> {
  readonly operations: 'none'
  readonly needs: 'folder'
  run(context: FolderContext, input: InputOf<I>): Promise<T>
}

/** Declares a verb that needs no open store. */
export const folderVerb = <I extends Inputs, T>(
  declared: Omit<FolderVerb<I, T>, 'operations' | 'needs'>,
): FolderVerb<I, T> => ({ ...declared, operations: 'none', needs: 'folder' })

/** Returns whether a verb needs no open store. */
export const needsNoStore = <I extends Inputs, T>(declared: Verb<I, T>): declared is FolderVerb<I, T> =>
  'needs' in declared && declared.needs === 'folder'

/** Declares a verb. */
export const verb = <I extends Inputs, T>(declared: Verb<I, T>): Verb<I, T> => declared

/** The inputs of a list. */
interface Limited extends Inputs {
  readonly limit: Input<number | undefined>
}

/** The inputs of every page: a type, because an interface of inputs would have any name. */
type Cursors = {
  readonly after: Input<string | undefined>
  readonly before: Input<string | undefined>
}

/** A verb that lists: it returns a page. */
export interface ListVerb<I extends Inputs = Inputs, T extends object = object>
  extends Verb<I & Cursors, Page<T>> {
  readonly item: Output<T>
  /** Yields the items in the order of the list, `limit` of them at most; holds the store until the iteration ends. */
  items(context: VerbContext, input: ItemsInput<I>): AsyncIterable<T>
  /** Returns the cursor of an item: opaque text that names it while the store grows. */
  readonly cursor: (item: T) => string
  /**
   * Reads a page where it is. Undefined where the input asks for an order that has no such pages; without it no order has
   * them. Such lists are read from their beginning.
   */
  page?(context: VerbContext, input: ItemsInput<I>, options: PageOptions): Promise<Page<T>> | undefined
}

/** Without a limit, all items. */
type ItemsInput<I> = Omit<InputOf<I>, 'limit'> & { readonly limit?: number }

interface ListDeclaration<I extends Limited, T extends object>
  extends Pick<ListVerb<I, T>, 'name' | 'summary' | 'item' | 'items' | 'cursor' | 'page'> {
  readonly input: I
}

/** The number of items of a page whose size is not asked for. */
const PAGE = 100

/** Declares a verb that lists. Without a cursor the page begins with the first item. */
export const list = <I extends Limited, T extends object>({
  input,
  ...declared
}: ListDeclaration<I, T>): ListVerb<I, T> => ({
  ...declared,
  effect: 'read',
  input: {
    ...input,
    after: optional(text('cursor'), 'only what follows the row with this cursor'),
    before: optional(text('cursor'), 'only what is before the row with this cursor', { excludes: ['after'] }),
  },
  output: {
    schema: pageSchema(declared.item.schema),
    wire: ({ items, next, before }) => ({
      items: items.map((item) => withCursor(declared.item.wire(item) as object, item)),
      next,
      before,
    }),
    each: declared.item,
  },
  run: (context, asked) => {
    const { limit = PAGE, after, before, ...rest } = asked as InputOf<Limited & Cursors>
    const chosen = rest as ItemsInput<I>
    const options: PageOptions = {
      limit,
      ...(after !== undefined && { after: after as Cursor }),
      ...(before !== undefined && { before: before as Cursor }),
    }
    const page = declared.page?.(context, chosen, options)
    if (page) return page
    // One more than the page holds shows whether the list continues. A reversed list of fewer items begins elsewhere.
    const isPrefix = after === undefined && before === undefined && !('reverse' in rest && rest.reverse)
    const items = declared.items(context, { ...chosen, ...(isPrefix && { limit: limit + 1 }) })
    return pageFromStart(items, options, declared.cursor, () => checkStop(context))
  },
})

/** How a verb that writes is performed: on which terms, and whether it only shows what it would change. */
export interface Terms extends WriteTerms {
  readonly dryRun?: boolean | undefined
}

/**
 * Performs a verb: checks that the call was not cancelled, and of a verb that writes the terms. A verb that needs no
 * open store takes the context of a folder. Throws as the verb, `stopped`, and `conflict` where something else than the
 * expected holds.
 */
export function perform<I extends Inputs, T>(
  declared: FolderVerb<I, T>,
  context: FolderContext,
  input: InputOf<I>,
  terms?: Terms,
): Promise<Written<T>>
export function perform<I extends Inputs, T>(
  declared: Verb<I, T>,
  context: VerbContext,
  input: InputOf<I>,
  terms?: Terms,
): Promise<Written<T>>
export async function perform<I extends Inputs, T>(
  declared: Verb<I, T>,
  context: FolderContext,
  input: InputOf<I>,
  terms: Terms = {},
): Promise<Written<T>> {
  checkStop(context)
  if (!needsNoStore(declared)) return performOnStore(declared, context as VerbContext, input, terms)
  const asAsked = { ...context, dryRun: context.dryRun || terms.dryRun === true }
  return withoutOperation(declared.run(asAsked, input))
}

const withoutOperation = async <T>(result: Promise<T>): Promise<Written<T>> => ({
  operation: null,
  repeated: false,
  result: await result,
})

async function performOnStore<I extends Inputs, T>(
  declared: Verb<I, T>,
  context: VerbContext,
  input: InputOf<I>,
  { dryRun = false, ...terms }: Terms,
): Promise<Written<T>> {
  const { effect, operations = 'one' } = declared
  if (effect === 'read') return withoutOperation(declared.run(context, input))
  const runIn = (repo: VerbContext['repo']): Promise<T> =>
    declared.run({ ...context, repo, dryRun: repo.isDry }, input)
  const runOn = (repo: VerbContext['repo']): Promise<Written<T>> =>
    operations === 'none'
      ? withoutOperation(runIn(repo))
      : writeOnce(repo, operations === 'several' ? { expected: terms.expected } : terms, runIn)
  if (!dryRun) return runOn(context.repo)
  const dry = context.repo.call({ dryRun })
  try {
    return { ...(await runOn(dry)), operation: null }
  } finally {
    await dry.close()
  }
}

/** Throws `stopped` where the call was cancelled. */
export function checkStop({ signal }: Pick<VerbContext, 'signal'>): void {
  if (signal?.aborted) throw new SessError('stopped', 'nothing was changed')
}

import { SessError } from '../model/errors.ts'
import { type Input, type InputOf, type Inputs, withDefault } from './input.ts'
import type { VerbContext } from './open.ts'
import { arrayOf, nullable, object, string } from './schema.ts'
import { count, seconds } from './values.ts'
import type { Output, Verb } from './verb.ts'

/** The inputs by which a call of a stream ends: a type, because an interface of inputs would have any name. */
type Ending = {
  readonly limit: Input<number>
  readonly wait: Input<number>
}

/** The events that came during a call of a stream. */
export interface Events<T> {
  readonly items: readonly T[]
  /** The cursor to go on after; null for a stream without cursors. */
  readonly next: string | null
}

/** A verb of what happens from now on: a call returns what came within a time, an interface can also follow. */
export interface StreamVerb<I extends Inputs = Inputs, T = unknown> extends Verb<I & Ending, Events<T>> {
  readonly item: Output<T>
  /** Yields what happens, until the signal of the context aborts. */
  events(context: VerbContext, input: InputOf<I>): AsyncIterable<T>
}

interface StreamDeclaration<I extends Inputs, T>
  extends Pick<StreamVerb<I, T>, 'name' | 'summary' | 'effect' | 'operations' | 'item' | 'events'> {
  readonly input: I
  /** Returns the input with the cursor to begin after, and of an event its cursor. */
  readonly cursors?: {
    readonly begin: (
      context: VerbContext,
      input: InputOf<I>,
    ) => Promise<InputOf<I> & { readonly since: string }>
    readonly of: (item: T) => string
  }
}

/** The number of events of a call, and the seconds that it waits for them, where they are not asked for. */
const [LIMIT, WAIT] = [100, 1]

/** The most milliseconds that a timer of Node can wait. */
const MAX_WAIT = 2 ** 31 - 1

/** Declares a stream. A call of it does not stop work on an event: it waits no longer for the next one. */
export const stream = <I extends Inputs, T>({
  cursors,
  ...declared
}: StreamDeclaration<I, T>): StreamVerb<I, T> => ({
  ...declared,
  input: {
    ...declared.input,
    limit: withDefault(count(), LIMIT, 'return at most N events'),
    wait: withDefault(seconds(), WAIT, 'how many seconds to wait for events'),
  },
  output: {
    schema: object({ items: arrayOf(declared.item.schema), next: nullable(string) }),
    wire: ({ items, next }) => ({ items: items.map(declared.item.wire), next }),
    each: declared.item,
  },
  run: async (context, asked) => {
    const { limit, wait, ...rest } = asked as InputOf<Ending>
    const input = rest as unknown as InputOf<I>
    const begun = await cursors?.begin(context, input)
    const over = AbortSignal.timeout(Math.min(MAX_WAIT, Math.round(1000 * wait)))
    const signal = context.signal ? AbortSignal.any([context.signal, over]) : over
    const items: T[] = []
    if (limit > 0)
      for await (const item of declared.events({ ...context, signal }, begun ?? input))
        if (items.push(item) >= limit) break
    if (context.signal?.aborted)
      throw new SessError(
        'stopped',
        declared.effect === 'read' ? 'nothing was changed' : 'what was written before is kept',
      )
    const last = items.at(-1)
    return { items, next: cursors ? (last === undefined ? (begun?.since ?? null) : cursors.of(last)) : null }
  },
})

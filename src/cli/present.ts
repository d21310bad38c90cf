import type { Line } from '../text/text.ts'
import type { Input, InputOf, Inputs } from '../verbs/input.ts'
import { withCursor } from '../verbs/page.ts'
import type { Schema } from '../verbs/schema.ts'
import type { ListVerb, Output, Verb } from '../verbs/verb.ts'
import {
  type Answer,
  type Command,
  type CommandBody,
  type CommandOutput,
  defineCommand,
  type Manual,
  output,
} from './define.ts'
import type { Invocation } from './invocation.ts'
import { pageOptions, rowSchemaOf, rowsOf } from './pageoptions.ts'
import type { Option } from './parameters.ts'

/** How the command line presents a verb: what is typed and what is printed. */
interface Presentation<I extends Inputs>
  extends Manual,
    Pick<Command, 'unattended' | 'paged' | 'reportsStop'> {
  /** The inputs that are arguments, in their order; the others are options. */
  readonly arguments?: readonly (keyof I & string)[]
  /** Short flags, a letter each. */
  readonly short?: { readonly [K in keyof I]?: string }
  /** Whether `--json` prints one object or several: one by default. */
  readonly is?: string
}

interface ResultPresentation<I extends Inputs, T> extends Presentation<I> {
  /** Throws where the input makes no sense on a command line. */
  readonly check?: (input: InputOf<I>) => void
  /** Returns what people see of a result. */
  readonly show: (result: T, call: Invocation, input: InputOf<I>) => Omit<Answer<unknown>, 'data'>
}

interface ListPresentation<I extends Inputs, T extends object> extends Presentation<I> {
  /** Returns a function that returns the lines of an item. */
  readonly show: (call: Invocation, input: InputOf<I>) => (item: T) => Iterable<Line>
}

/** Presents a verb as a command of the same effect. */
export const present = <I extends Inputs, T>(
  verb: Verb<I, T>,
  { show, check, ...presentation }: ResultPresentation<I, T>,
): CommandBody =>
  commandOf(verb, presentation, async (call, input) => {
    check?.(input)
    const result = await verb.run(await call.context(), input)
    return answerOf(verb, result, show(result, call, input))
  })

/** Presents a verb that lists as a command that prints each item as it comes; with options for pages where it has them. */
export const presentList = <I extends Inputs, T extends object>(
  verb: ListVerb<I, T>,
  { show, ...presentation }: ListPresentation<I, T>,
): CommandBody =>
  commandOf<I>(offered(verb), presentation, async (call, input) => {
    const { io } = call
    const linesOf = show(call, input)
    for await (const item of rowsOf(call, verb, input))
      if (io.json) await io.data(withCursor(verb.item.wire(item) as object, item))
      else for (const line of linesOf(item)) await io.print(...line)
    return undefined
  })

/** Returns what `--json` prints of a result: an object, or several. */
const sent = <T>({ wire }: Output<T>, result: T): object | Iterable<object> => wire(result) as object

/** Answers with the result of a verb, and with what people see of it. */
export const answerOf = <T>(
  verb: { readonly output: Output<T> },
  result: T,
  shown: Omit<Answer<object>, 'data'>,
): Answer<object> => ({ data: sent(verb.output, result), ...shown })

/** Returns the schema of each result of a verb. */
export const schemaOfEach = ({ output: { each, schema } }: { readonly output: Output<never> }): Schema =>
  each?.schema ?? schema

/** Returns the output of a command that presents a verb. */
export const outputOf = (is: string, written: Output<never>): CommandOutput<unknown> =>
  output(is, schemaOfEach({ output: written }))

/** Returns a list with what the command line offers of pages: nothing where the list is read from its beginning. */
function offered<I extends Inputs, T extends object>(verb: ListVerb<I, T>): Presented<I> {
  const { after: _after, before: _before, ...input } = verb.input
  const { effect, output: written } = verb
  if (!verb.page) return { effect, input: input as unknown as I, output: written }
  const each = { schema: rowSchemaOf(verb), wire: verb.item.wire }
  return { effect, input: { ...input, ...pageOptions(verb) } as unknown as I, output: { ...written, each } }
}

type Presented<I extends Inputs> = Pick<Verb<I>, 'effect' | 'input'> & { readonly output: Output<never> }

function commandOf<I extends Inputs>(
  { effect, input, output: written }: Presented<I>,
  { arguments: names = [], short = {}, is = 'One object.', ...manual }: Presentation<I>,
  run: (call: Invocation, input: InputOf<I>) => Promise<Answer<unknown> | undefined>,
): CommandBody {
  const letters: { readonly [name: string]: string | undefined } = short
  const options = Object.entries<Input>(input)
    .filter(([name]) => !names.includes(name))
    .map(([name, one]): [string, Option] => [name, letters[name] ? { ...one, short: letters[name] } : one])
  return {
    ...defineCommand({
      ...manual,
      effect,
      arguments: Object.fromEntries(names.map((name) => [name, input[name] as Input])),
      options: Object.fromEntries(options),
      output: outputOf(is, written),
      run: (call, typed) => run(call, typed as InputOf<I>),
    }),
  }
}

import { defined } from '../model/json.ts'
import { loadVerb, type VerbName, type VerbOf } from '../verbs/index.ts'
import { type GivenInput, type Inputs, withUsual } from '../verbs/input.ts'
import { type Call, contextOf, type Store } from '../verbs/open.ts'
import type { SummaryOptions } from '../verbs/summary.ts'
import { perform, type ResultOf, type Terms, type Written } from '../verbs/verb.ts'

/** The input of a verb, by its name: flags, lists and inputs with a default may be left out. */
export type VerbInput<N extends VerbName> = GivenInput<VerbOf<N>['input']>

/** The result of a verb, by its name. */
export type VerbResult<N extends VerbName> = ResultOf<VerbOf<N>>

/** The inputs of a verb but those that a method takes by themselves. */
export type OptionsOf<N extends VerbName, K extends keyof VerbInput<N> = never> = Omit<VerbInput<N>, K>

/** The parts of the context of a call that methods take among their options. */
export type CallParts = Pick<
  Call,
  | 'priceOf'
  | 'zone'
  | 'machine'
  | 'summarize'
  | 'instructions'
  | 'summarySignal'
  | 'findSecrets'
  | 'onProgress'
>

/** Performs a verb on a store and returns its operation and its result. Throws as the verb, and `conflict` for its terms. */
export async function performVerb<N extends VerbName>(
  store: Store,
  name: N,
  given: VerbInput<N>,
  { parts = {}, ...terms }: Terms & { readonly parts?: CallParts } = {},
): Promise<Written<VerbResult<N>>> {
  const declared = await loadVerb(name)
  const input = withUsual(declared.input, given as GivenInput<Inputs>)
  return (await perform(declared, contextOf(store, parts), input, terms)) as Written<VerbResult<N>>
}

/** Performs a verb on a store without terms, and returns its result. */
export const resultOf = async <N extends VerbName>(
  store: Store,
  name: N,
  given: VerbInput<N>,
  parts: CallParts = {},
): Promise<VerbResult<N>> => (await performVerb(store, name, given, { parts })).result as VerbResult<N>

/** How a summary is made. */
type SummaryMaking = {
  readonly [K in 'summarize' | 'instructions' | 'signal']?: SummaryOptions[K] | undefined
}

/** Returns the parts of the context of a call that say how a summary is made. */
export const summaryParts = ({ summarize, instructions, signal }: SummaryMaking): CallParts =>
  defined({ summarize, instructions, summarySignal: signal })

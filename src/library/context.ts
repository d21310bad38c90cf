import type { Store } from '../verbs/open.ts'
import type { OptionsOf } from './perform.ts'
import { resultOf } from './perform.ts'
import type { NeutralContext, PiContext, RequestContext, RequestFormat } from './types.ts'

/** The context in each form that is a part of a request. */
type RequestForms = { readonly [F in RequestFormat]: RequestContext<F> }

/** The context in each form in which it can be asked for. */
export interface ContextForms extends RequestForms {
  /** Messages whatever the agent, with the repairs that made them valid. */
  json: NeutralContext
  /** The result of `buildSessionContext` of pi. */
  pi: PiContext
}

export type ContextForm = keyof ContextForms

/** The form of a context, `json` by default, and what it may hold. */
export type ContextQuery<F extends ContextForm> = { readonly format?: F } & (F extends 'pi'
  ? OptionsOf<'context-pi', 'revision'>
  : OptionsOf<'context', 'revision'>)

/** Returns what the model sees at a revision, in the form that is asked for. */
export function contextAt<F extends ContextForm>(
  store: Store,
  revision: string,
  query: ContextQuery<F>,
): Promise<ContextForms[F]> {
  const { format = 'json', ...given } = query as ContextQuery<ContextForm>
  const input = { ...given, revision }
  const context =
    format === 'json'
      ? resultOf(store, 'context', input)
      : format === 'pi'
        ? resultOf(store, 'context-pi', input)
        : resultOf(store, 'context-request', { ...input, format })
  return context as Promise<unknown> as Promise<ContextForms[F]>
}

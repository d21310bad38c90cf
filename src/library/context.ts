import type { PiContext } from '../formats/pi/context.ts'
import {
  type ContextOptions,
  contextOf,
  type NeutralContext,
  type RequestContext,
  type RequestFormat,
  requestOf,
} from '../ops/context/context.ts'
import { type PiContextOptions, piContextOf } from '../ops/context/picontext.ts'
import type { Repo } from '../repo/repo.ts'

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
  ? PiContextOptions
  : ContextOptions)

/** Returns what the model sees at a revision, in the form that is asked for. */
export function contextAt<F extends ContextForm>(
  repo: Repo,
  revision: string,
  query: ContextQuery<F>,
): Promise<ContextForms[F]> {
  const { format: form = 'json', ...options } = query as { readonly format?: ContextForm } & PiContextOptions
  const context: Promise<ContextForms[ContextForm]> =
    form === 'json'
      ? contextOf(repo, revision, options)
      : form === 'pi'
        ? piContextOf(repo, revision, options)
        : requestOf(repo, revision, form, options)
  return context as Promise<ContextForms[F]>
}

import { fullViewOf } from '../../formats/registry.ts'
import { anthropicRequest } from '../../formats/requests/anthropic.ts'
import { chatRequest, responsesRequest } from '../../formats/requests/openai.ts'
import type { Request, RequestItem } from '../../formats/requests/turns.ts'
import { SessError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Repo } from '../../repo/repo.ts'
import { type ContextNotes, type ContextOptions, gather, notesOf } from './context.ts'

/** How a context is written for a model's API, by the format's name. */
export const REQUESTS = {
  anthropic: anthropicRequest,
  openai: responsesRequest,
  'openai-chat': chatRequest,
} as const satisfies Readonly<
  Record<string, (items: readonly RequestItem<EntryHandle>[]) => Request<EntryHandle>>
>

/** The formats that are a part of a request to a model's API. */
export type RequestFormat = keyof typeof REQUESTS

/** Tells whether a format is a part of a request. */
export const isRequestFormat = (format: string): format is RequestFormat => Object.hasOwn(REQUESTS, format)

/** A context as a part of a request to a model's API. Equal paths give equal values. */
export interface RequestContext extends ContextNotes {
  /** The part of the request: `system` and `messages`, `input`, or `messages`. */
  readonly request: JsonObject
}

/**
 * Gives the context as the API takes it that a format is for: always valid there, and what that took in `repairs`. Throws
 * `no-format` for one that is none.
 */
export async function requestOf(
  repo: Repo,
  revision: string,
  format: RequestFormat,
  options: ContextOptions = {},
): Promise<RequestContext> {
  if (!isRequestFormat(format))
    throw new SessError('no-format', format, {
      hint: `say one of ${['json', 'pi', ...Object.keys(REQUESTS)].join(', ')}`,
    })
  return repo.read(async (reader) => {
    const gathered = await gather(repo, reader, revision, { ...options, valid: true, view: fullViewOf })
    const { value, repairs } = REQUESTS[format](gathered.items)
    return { request: value, ...(await notesOf(reader, gathered, repairs)) }
  })
}

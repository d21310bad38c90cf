import { defined } from '../model/json.ts'
import type { ContextMessage, ContextNotes } from '../ops/context/context.ts'
import {
  type ContextHead,
  contextMessages,
  contextPieces,
  type PrintedFormat,
} from '../ops/context/printedcontext.ts'
import type { CONTEXT } from './context.ts'
import type { contextPi } from './context-pi.ts'
import type { InputOf } from './input.ts'
import type { VerbContext } from './open.ts'

interface Asked extends InputOf<typeof CONTEXT>, Pick<InputOf<typeof contextPi.input>, 'version'> {
  readonly format: PrintedFormat
  /** Whether a request comes in an object with its notes. */
  readonly isNoted?: boolean
}

/**
 * Yields the JSON text of a context in pieces, however long it is: what `context`, `context-pi` and `context-request`
 * return. Its notes are passed on before.
 */
export const printedContext = (
  { repo }: VerbContext,
  { revision, format, ...options }: Asked,
  onNotes: (notes: ContextNotes) => void,
): AsyncIterable<string> => contextPieces(repo, revision, format, defined(options), onNotes)

/** Yields the messages that `context` returns one by one. What else it returns is passed on before. */
export const contextInMessages = (
  { repo }: VerbContext,
  { revision, ...options }: InputOf<typeof CONTEXT>,
  onHead: (head: ContextHead) => void,
): AsyncIterable<ContextMessage> => contextMessages(repo, revision, defined(options), onHead)

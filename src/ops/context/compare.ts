import { fullViewOf } from '../../formats/registry.ts'
import type { RequestPart } from '../../formats/requests/turns.ts'
import { type AlignedPair, alignLists, matchByScore, matchKeys } from '../../graph/align.ts'
import { defined, type Json, jsonText } from '../../model/json.ts'
import { tokensOf } from '../../model/tokens.ts'
import type { Setting } from '../../model/view.ts'
import type { Repo } from '../../repo/repo.ts'
import {
  type ContextMessage,
  type ContextOptions,
  contextOf,
  gather,
  isRequestFormat,
  type NeutralContext,
  REQUESTS,
  type RequestFormat,
} from './context.ts'
import { piContextOf } from './picontext.ts'

/** The size of a context, or of a beginning of it. */
export interface ContextSize {
  /** The number of messages, or of items of a request. */
  readonly messages: number
  /** Bytes of their JSON in UTF-8. */
  readonly bytes: number
  /** Estimated. */
  readonly tokens: number
}

/** The common beginning of two contexts, which a prompt cache can reuse. */
export interface ComparedContexts {
  /** Its tokens are those of messages that are wholly equal. */
  readonly shared: ContextSize
  readonly left: ContextSize
  readonly right: ContextSize
}

/** Options of a comparison of contexts. */
export interface ContextCompareOptions extends ContextOptions {
  /** The format whose messages are compared: `json` by default. */
  readonly format?: 'json' | 'pi' | RequestFormat
}

/** Compares the beginnings of two contexts in a format. Throws as `resolve`. */
export async function compareContexts(
  repo: Repo,
  left: string,
  right: string,
  { format = 'json', ...options }: ContextCompareOptions = {},
): Promise<ComparedContexts> {
  const ours = await piecesOf(repo, left, format, options)
  const theirs = await piecesOf(repo, right, format, options)
  let messages = 0
  while (messages < ours.length && ours[messages]?.text === theirs[messages]?.text) messages++
  const shared = sizeOf(ours.slice(0, messages))
  const more = sharedBytes(ours[messages]?.text ?? '', theirs[messages]?.text ?? '')
  return { shared: { ...shared, bytes: shared.bytes + more }, left: sizeOf(ours), right: sizeOf(theirs) }
}

interface WrittenPiece {
  readonly text: string
  readonly tokens: number
}

const written = ({ value, tokens }: RequestPart): WrittenPiece => ({ text: jsonText(value), tokens })

async function piecesOf(
  repo: Repo,
  revision: string,
  format: NonNullable<ContextCompareOptions['format']>,
  options: ContextOptions,
): Promise<WrittenPiece[]> {
  if (isRequestFormat(format))
    return repo.read(async (reader) => {
      const { items } = await gather(reader, revision, { ...options, valid: true, view: fullViewOf })
      return REQUESTS[format](items).parts.map(written)
    })
  if (format === 'pi') {
    const { messages } = await piContextOf(repo, revision, options)
    return messages.map((message) =>
      written({ value: message, tokens: tokensOf(fullViewOf('pi/message', { message })) }),
    )
  }
  const { messages } = await contextOf(repo, revision, options)
  return messages.map((message) =>
    written({ value: message as unknown as Json, tokens: tokensOf({ ...message, role: null }) }),
  )
}

const sizeOf = (pieces: readonly WrittenPiece[]): ContextSize => ({
  messages: pieces.length,
  bytes: pieces.reduce((sum, { text }) => sum + bytesOf(text), 0),
  tokens: pieces.reduce((sum, { tokens }) => sum + tokens, 0),
})

const utf8 = new TextEncoder()
const bytesOf = (text: string): number => utf8.encode(text).length

function sharedBytes(a: string, b: string): number {
  const [left, right] = [utf8.encode(a), utf8.encode(b)]
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return at
}

/** The size and the settings of a context. */
export interface Seen extends Setting {
  readonly messages: number
  /** Estimated. */
  readonly tokens: number
}

/** The differences of two contexts. */
export interface ContextDiff {
  readonly before: Seen
  readonly after: Seen
  /** The number of messages at the beginning that are equal, which a prompt cache can reuse. */
  readonly prefix: number
  /**
   * All messages in order. One on the left only was removed, one on the right only was added; of two, `same` tells whether
   * their content is equal.
   */
  readonly pairs: readonly (AlignedPair<ContextMessage> & { readonly same: boolean })[]
}

/** Compares the contexts of two revisions, such as before and after a compaction. Throws as `resolve`. */
export async function diffContexts(repo: Repo, left: string, right: string): Promise<ContextDiff> {
  const [before, after] = [await contextOf(repo, left), await contextOf(repo, right)]
  const [l, r] = [before.messages.map(wordsOf), after.messages.map(wordsOf)]
  const [a, b] = [before.messages, after.messages]
  const matches = matchByScore(matchKeys(l, r), [l.length, r.length], (i, j) =>
    l[i] === r[j] ? 2 : Number(a[i]?.oid === b[j]?.oid),
  )
  const first = l.findIndex((words, i) => words !== r[i])
  return {
    before: seen(before),
    after: seen(after),
    prefix: first < 0 ? l.length : first,
    pairs: alignLists(a, b, matches).map((pair) => ({
      ...pair,
      same: pair.left !== undefined && pair.right !== undefined && wordsOf(pair.left) === wordsOf(pair.right),
    })),
  }
}

const wordsOf = ({ role, blocks }: ContextMessage): string => jsonText([role, blocks])

function seen({ messages, model, thinking, mode }: NeutralContext): Seen {
  return {
    messages: messages.length,
    tokens: messages.reduce((sum, { role, blocks }) => sum + tokensOf({ role, blocks }), 0),
    ...defined({ model, thinking, mode }),
  }
}

import { Verbatim } from '../../model/encoding/verbatim.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'

type Call = Extract<Block, { kind: 'toolCall' }>

/**
 * How a target takes a call whose arguments are a text: `text` if as it is; else the names of the arguments that hold
 * it, by tools of the target. Other tools have it under a general name.
 */
export type TextArguments = 'text' | Readonly<Record<string, string>>

/** The argument that holds a text, as Codex itself calls it for the tools that it offers in both forms. */
const GENERAL = 'input'

/**
 * Returns the arguments of a call as a target takes them: an object as it is; none for null; any other value as the one
 * argument of an object, unless it is a text and the target takes texts.
 */
export function callInput({ name, input }: Call, texts: TextArguments = {}): Json {
  if (input === null) return {}
  if (isObject(input) || (input instanceof Verbatim && input.text.startsWith('{'))) return input
  if (texts === 'text') return typeof input === 'string' ? input : { [GENERAL]: input }
  return { [argumentFor(name, texts)]: input }
}

const argumentFor = (tool: string, texts: Readonly<Record<string, string>>): string =>
  (Object.hasOwn(texts, tool) ? texts[tool] : undefined) ?? GENERAL

/** Returns blocks with the arguments of calls as a target takes them, and which calls that changes, for people. */
export function fitCalls(
  blocks: readonly Block[],
  texts?: TextArguments,
): { readonly blocks: readonly Block[]; readonly wrapped: readonly string[] } {
  const wrapped: string[] = []
  const fitted = blocks.map((block): Block => {
    if (block.kind !== 'toolCall') return block
    const input = callInput(block, texts)
    if (input === block.input) return block
    if (block.input !== null && isObject(input)) wrapped.push(`${block.name}.${Object.keys(input).join()}`)
    return { ...block, input }
  })
  return { blocks: fitted.every((block, i) => block === blocks[i]) ? blocks : fitted, wrapped }
}

/** The arguments in which agents keep the text of a call. */
const TEXT_ARGUMENTS: ReadonlySet<string> = new Set([GENERAL, 'patchText', 'patch'])

/** Returns a call of some tools that take a text with that text, if an argument holds it: what `callInput` changed. */
export function textCall(block: Block, tools: ReadonlySet<string>): Block {
  if (block.kind !== 'toolCall' || !tools.has(block.name) || !isObject(block.input)) return block
  const [[name, text] = [''], ...others] = Object.entries(block.input)
  return others.length === 0 && TEXT_ARGUMENTS.has(name) && typeof text === 'string'
    ? { ...block, input: text }
    : block
}

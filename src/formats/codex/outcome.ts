import { asString, isObject, type Json, jsonText } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import type { Block } from '../../model/view.ts'
import { opened } from './body.ts'
import { blocksOf, wordsOf } from './content.ts'

interface Outcome {
  readonly text: string
  readonly error: boolean
  readonly images?: readonly Block[]
}

/** Gives what a tool answered to a call: its words as a result, then its images. */
export function outcomeBlocks(id: string, output: Json | undefined): Block[] {
  const { text, error, images = [] } = outcomeOf(output)
  return [{ kind: 'toolResult', id, text, error }, ...images]
}

/**
 * Reads the shapes that an output has had: words, words that are JSON with an exit code, `{content,
 * success}`, a list of parts, or one part.
 */
function outcomeOf(output: Json | undefined): Outcome {
  const text = asString(output)
  if (text !== undefined) return outcomeOfText(text)
  if (Array.isArray(output)) return outcomeOfBlocks(blocksOf(output))
  const inside = opened(output)
  if (inside === undefined) return { text: output === undefined ? '' : jsonText(output), error: false }
  const error = inside.success === false
  if (inside.content !== undefined) return { ...outcomeOfBlocks(blocksOf(inside.content)), error }
  const blocks = blocksOf([inside])
  return blocks.length > 0 ? { ...outcomeOfBlocks(blocks), error } : { text: jsonText(inside), error }
}

const outcomeOfBlocks = (blocks: readonly Block[]): Outcome => ({
  text: wordsOf(blocks),
  error: false,
  images: blocks.filter((block) => block.kind === 'image'),
})

function outcomeOfText(text: string): Outcome {
  if (text.startsWith('{"')) {
    const value = tryParse(text)
    const words = isObject(value) ? asString(value.output) : undefined
    if (isObject(value) && words?.isWellFormed()) {
      const code = opened(value.metadata)?.exit_code
      return { text: words, error: code !== undefined && code !== null && code !== 0 }
    }
  }
  return { text, error: REFUSED.test(text) || failedByHeader(text) }
}

/** What Codex itself answers for a call that did not run to its end. */
const REFUSED = /^(?:exec command rejected by user|patch rejected by user|aborted by user|aborted$)/
const HEADER = /^(?:Exit code|Chunk ID|Wall time): /
const EXIT_LINE = /^(?:Exit code: |Process exited with code )(-?\d+)$/m
const LONGEST_HEADER = 400

function failedByHeader(text: string): boolean {
  if (!HEADER.test(text)) return false
  const header = text.slice(0, LONGEST_HEADER)
  const end = header.indexOf('\nOutput:')
  const code = EXIT_LINE.exec(end < 0 ? header : header.slice(0, end))?.[1]
  return code !== undefined && Number(code) !== 0
}

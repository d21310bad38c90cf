import { SessError } from './errors.ts'

/** The commands of a plan: keep an entry, drop it, change its text, or join it to the one before. */
export const VERBS = ['pick', 'drop', 'reword', 'squash'] as const

/** The verb of a step of a plan. */
export type PlanVerb = (typeof VERBS)[number]

/** A step of a plan. Entries are written in the order of the steps; an entry without a step is removed. */
export interface PlanStep {
  readonly verb: PlanVerb
  /** 4 or more of the first digits of the oid of an entry, which the plan is of. */
  readonly oid: string
  /** Of `reword`: the new text. */
  readonly text?: string
  /** Its line in the plan, from 1. */
  readonly line?: number
}

const STEP = /^\s*(\S+)(?:\s+([0-9a-fA-F]{4,64}))?\s*(?:#.*)?$/
const WORDS = /^\s*> ?(.*)$/

/**
 * Parses a plan: one step per line, `VERB OID`, with an optional comment after `#`; the new text of a `reword` follows,
 * each line after `>`. Empty lines and lines that begin with `#` are ignored. Throws `bad-plan` with the line.
 */
export function parsePlan(text: string): PlanStep[] {
  const steps: (PlanStep & { words: string[] })[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const words = WORDS.exec(line)?.[1]
    const last = steps.at(-1)
    if (words !== undefined) {
      if (last?.verb !== 'reword') throw badLine(at + 1, `'>' does not follow a reword`)
      last.words.push(words)
    } else steps.push({ ...stepIn(line, at + 1), line: at + 1, words: [] })
  }
  return steps.map(({ words, ...step }) =>
    step.verb === 'reword' ? { ...step, text: textOf(step, words) } : step,
  )
}

function stepIn(line: string, number: number): Pick<PlanStep, 'verb' | 'oid'> {
  const [, word = line.trim(), oid] = STEP.exec(line) ?? /^\s*(\S+)/.exec(line) ?? []
  const verb = VERBS.find((known) => known === word)
  const from = line.indexOf(word)
  const at = { text: line, from, to: from + word.length }
  if (verb === undefined)
    throw new SessError('bad-plan', `line ${number}: '${word}' is none of ${VERBS.join(', ')}`, {
      at,
      choices: VERBS,
    })
  if (oid === undefined) throw badLine(number, `'${verb}' is not followed by an oid of 4 or more digits`)
  return { verb, oid: oid.toLowerCase() }
}

function textOf({ line = 0 }: PlanStep, words: readonly string[]): string {
  if (words.length === 0) throw badLine(line, "'reword' is not followed by its new text, each line after '>'")
  return words.join('\n')
}

/** Returns an error at a line of a plan; without a line, an error about the step. */
export const badLine = (line: number | undefined, message: string): SessError =>
  new SessError('bad-plan', line === undefined ? message : `line ${line}: ${message}`)

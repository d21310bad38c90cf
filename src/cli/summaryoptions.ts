import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import { safeLine } from '../model/terminaltext.ts'
import { partOf } from '../model/transcript.ts'
import { splitWords } from '../text/shellwords.ts'
import { apart, type Preparation, type Summarizer, type SummaryOptions } from '../verbs/summary.ts'
import { type Failure, run } from './childprocess.ts'
import type { Invocation } from './invocation.ts'
import { file, type InputOf, option, optionWith, seconds, text } from './parameters.ts'
import { during } from './progress.ts'
import { NoText, textWithin } from './stdin.ts'

/** The options about the source of a summary. */
export const SUMMARY_OPTIONS = {
  summary: option(text('text'), 'the summary', { excludes: ['summaryFile', 'summarize'] }),
  summaryFile: option(file(), 'read the summary from a file; - is standard input', {
    excludes: ['summarize'],
  }),
  summarize: option(text('command'), 'a program that reads the entries and prints the summary'),
  summarizeTimeout: optionWith(seconds(), 120, 'the time limit of that program'),
}

/** The largest summary, in bytes. */
const MAX_BYTES = 2 ** 20

/** The help on these options. */
export const SUMMARIES =
  'Without a summary, a structural digest is made without a model: the goal, the requests of the user, files read and\n' +
  'changed, commands and their results, errors, and the last state. The program of --summarize, such as\n' +
  '"llm -s \'Sum it up\'", is split into words like a shell command (\'…\', "…" and \\ quote), but no shell runs it and\n' +
  'nothing is expanded. It reads the entries on standard input. If it fails, prints nothing or takes too long, nothing\n' +
  'is changed.'

/** Returns the source of a summary. A file is read at once. Throws `bad-usage`, `bad-summary`. */
export async function summaryFrom(
  call: Invocation,
  { summary, summaryFile, summarize, summarizeTimeout }: InputOf<typeof SUMMARY_OPTIONS>,
): Promise<SummaryOptions> {
  const { signal } = call
  if (summary !== undefined) return { summary, signal }
  if (summaryFile !== undefined) return { summary: await textIn(call, summaryFile), signal }
  if (summarize === undefined) return { signal }
  const words = splitWords(summarize)
  if (words === undefined || words.length === 0)
    throw new SessError('bad-usage', `'${summarize}' is not a command`, {
      hint: 'close its quotes, and name a program',
    })
  return { summarize: byProgram(call, words, summarizeTimeout), signal }
}

async function textIn({ platform }: Invocation, path: string): Promise<string> {
  const stream = path === '-' ? platform.stdin : createReadStream(resolve(platform.env.cwd, path))
  const named = path === '-' ? 'standard input' : `'${path}'`
  try {
    return (await textWithin(stream as AsyncIterable<Uint8Array>, MAX_BYTES)).trim()
  } catch (cause) {
    if (cause instanceof NoText)
      throw new SessError('bad-summary', `${named} holds ${cause.message}`, { cause })
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new SessError('bad-summary', `${named} could not be read`, { detail, cause })
  }
}

const byProgram = (call: Invocation, command: readonly string[], timeout: number): Summarizer =>
  apart(async (preparation) => {
    const { variables, env } = call.platform
    const [program = ''] = command
    const child = {
      command,
      // An agent that only writes a summary makes no session worth keeping.
      variables: { ...variables, SESS_HOOKS: 'off' },
      cwd: env.cwd,
      input: textOf(preparation),
      signal: call.signal,
      limit: 1000 * timeout,
      most: MAX_BYTES,
    }
    const work = () => call.finish(run(child))
    const outcome = await during(call, () => ({ text: `waiting for ${program}` }), work)
    if ('failed' in outcome) throw failure(program, outcome.failed, outcome.message, timeout)
    const summary = outcome.printed.trim()
    if (summary === '') throw new SessError('bad-summary', `'${program}' printed none`)
    return summary
  })

function failure(program: string, failed: Failure, message: string, timeout: number): SessError {
  if (failed === 'signal') return new SessError('stopped', 'nothing was changed')
  const detail = message === '' ? {} : { detail: safeLine(message) }
  const what = {
    start: `'${program}' could not be started`,
    status: `'${program}' failed`,
    limit: `'${program}' took longer than ${timeout} seconds`,
    output: `'${program}' printed what is no summary`,
  }[failed]
  const hint = {
    start: 'check its name and its path; nothing was changed',
    status: 'try it on its own; nothing was changed',
    limit: 'give it longer with --summarize-timeout SECONDS; nothing was changed',
    output: 'have it print text of at most 1 MB; nothing was changed',
  }[failed]
  return new SessError('bad-summary', what, { ...detail, hint })
}

/** Yields the text to be summarized, piece by piece. */
async function* textOf({ stretch, previous, instructions }: Preparation): AsyncGenerator<string> {
  if (instructions !== undefined) yield `[Goal]\n${instructions}\n\n`
  if (previous !== undefined) yield `[Summary of what came before]\n${previous.summary}\n\n`
  for await (const { view } of stretch.entries()) yield partOf(view)
}

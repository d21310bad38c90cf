import { Option } from 'commander'
import { compareContexts } from '../../ops/context/comparecontexts.ts'
import { PI_VERSIONS, piContextOf } from '../../ops/context/contextpi.ts'
import { isRequestFormat, REQUESTS, type RequestFormat, requestOf } from '../../ops/context/contextrequest.ts'
import { contextOf } from '../../ops/context.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count } from '../options.ts'
import { comparedLines, contextLines, noteLines } from '../render/context.ts'

interface Options {
  readonly format?: 'text' | 'json' | 'pi' | RequestFormat
  readonly piVersion?: (typeof PI_VERSIONS)[number]
  readonly budget?: number
  readonly compare?: string
}

/** `sess context`: shows what the model sees. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session or an entry', '@')
    .addOption(
      new Option(
        '--format <format>',
        'text for people, json for programs, pi as that agent gives it; the others for a request',
      ).choices(['text', 'json', 'pi', ...Object.keys(REQUESTS)]),
    )
    .option('--budget <tokens>', 'drop the oldest entries until it fits', count)
    .option('--compare <other>', 'show how much of it the context of another revision shares')
    .addOption(
      new Option('--pi-version <version>', 'as this version of pi builds it')
        .choices(PI_VERSIONS)
        .implies({ format: 'pi' }),
    )
    .addHelpText(
      'after',
      `
The latest compaction and all edits are applied. A request is always valid for its API: anthropic prints system and
messages of the Messages API, openai the input of the Responses API, openai-chat the messages of the chat API.
Repairs that this needed are listed on stderr. With --json, text means json, and a request comes in an object with
its repairs.`,
    )
    .action(
      act(async (call, revision: string, { format = 'text', piVersion, compare, ...options }: Options) => {
        const { io } = call
        const repo = await call.repo()
        if (compare !== undefined) {
          const as = format === 'text' ? 'json' : format
          const compared = await compareContexts(repo, compare, revision, { ...options, format: as })
          if (io.json) await io.data(compared)
          else for (const line of comparedLines(compared, [compare, revision])) await io.print(...line)
        } else if (format === 'pi') {
          const version = piVersion === undefined ? {} : { version: piVersion }
          await io.data(await piContextOf(repo, revision, { ...options, ...version }))
        } else if (isRequestFormat(format)) {
          const context = await requestOf(repo, revision, format, options)
          await io.data(io.json ? context : context.request)
          if (!io.json) for (const line of noteLines(context, options.budget)) await io.note(...line)
        } else {
          const context = await contextOf(repo, revision, options)
          if (format === 'json' || io.json) await io.data(context)
          else for (const line of contextLines(context)) await io.print(...line)
          if (format === 'text' && !io.json)
            for (const line of noteLines(context, options.budget)) await io.note(...line)
        }
      }),
    )
  examples(command, [
    ['sess context 019d4e07', 'the present context'],
    ['sess context 019d4e07~4', 'the context at an earlier entry'],
    ['sess context 019d4e07 --format anthropic', 'as part of an API request'],
    ['sess context 019d4e07 --budget 2000', 'at most 2,000 tokens'],
    ['sess context --compare 3b1f~2 3b1f', 'how much of it a prompt cache could reuse'],
  ])
}

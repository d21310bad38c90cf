import { setFlagsFromString } from 'node:v8'
import { short } from '../../model/encoding/oid.ts'
import { hasCode } from '../../model/errors.ts'
import { shellLine, typed } from '../../text/shellwords.ts'
import { counted, did, grouped, type Line, styled, whole } from '../../text/text.ts'
import { exported, exportVerb } from '../../verbs/export.ts'
import { AGENT, exportAgent } from '../../verbs/export-agent.ts'
import { exportFile } from '../../verbs/export-file.ts'
import {
  LOSSES,
  type Loss,
  lossData,
  lossGroups,
  WRITTEN,
  WRITTEN_SOMETIMES,
  type WrittenSession,
} from '../../verbs/exporting.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { AGENT_SOMETIMES } from '../../verbs/resume.ts'
import { object, type Schema } from '../../verbs/schema.ts'
import { type Answer, defineCommand, misuse, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { file, flag, flagOff, type InputOf, option, text } from '../parameters.ts'
import { answerOf } from '../present.ts'
import { performed, WRITING } from '../progress.ts'
import { secretsGiven } from '../secretinput.ts'

const { session, format, branch, below, bare, bytes, redact, allowSecrets } = exportVerb.input

/** A session that was written to a file, or for an agent. */
const writtenSchema: Schema<object> = object(WRITTEN, { ...WRITTEN_SOMETIMES, ...AGENT, ...AGENT_SOMETIMES })

/** `sess export`: exports a session, byte for byte or in another format. */
export const command = defineCommand({
  effect: exportFile.effect,
  arguments: { session },
  options: {
    format,
    html: flag('write a web page to share: --format html'),
    branch,
    below,
    bare,
    bytes,
    out: option(file('path'), 'write to a new file or into a folder'),
    toAgent: flag('install it for the agent of the format, and print the command that resumes it', {
      excludes: ['out', 'bytes'],
    }),
    redact,
    allowSecrets,
    secret: option(text('-'), 'also mask a secret read from standard input (-)', { needs: 'redact' }),
    tools: flagOff('in a text for people: without tool calls and their results'),
    system: flagOff('in a text for people: without what agents add, such as system prompts'),
    force: flag('with --out or --to-agent: overwrite an existing file'),
  },
  help: `An imported session is exported exactly as it was read. With --format, --branch or --below, and for a session that
was created in sess, the entries are written instead: in the format named, else in the session's own, else as sess JSON
Lines, which import to the same oids. Losses of the format are listed on stderr, with --json as data.
A page (--html) is searched for secrets first, and not written where some are found.
Files written with --out or --to-agent are remembered: imported again after their agent has added to them, they continue
the session.`,
  examples: [
    ['sess export 3b1f > copy.jsonl', 'the file as the agent wrote it'],
    ['sess export 3b1f --out again.jsonl', 'the same, into a new file'],
    ['sess export 3b1f --format pi > pi.jsonl', 'for another agent'],
    ['sess export 3b1f --format codex --to-agent', 'install it for Codex, and print how to resume it'],
    ['sess export 3b1f --branch main --out main.jsonl', 'one branch of it'],
    ['sess export 3b1f --html --out page.html', 'a web page that needs nothing else, to share'],
    ['sess export 3b1f/main..3b1f/at-1d9fca05 --html', 'a page that compares two branches'],
    ['sess export 3b1f --format markdown --no-tools > talk.md', 'what was said, as a text'],
    ['sess export 3b1f --redact --out shared.jsonl', 'mask keys and tokens before sharing'],
  ],
  output: output(
    'With --out one object. Without, the session itself is printed, also with --json; what it does not carry is the ' +
      'last line of stderr, {"losses":[…]}.',
    writtenSchema,
  ),
  run: async (call, { out, force, toAgent, secret, tools, system, html, ...named }) => {
    const { io } = call
    if (force && out === undefined && !toAgent)
      throw misuse('export', "'--force' needs '--out' or '--to-agent'")
    if (html && named.format !== undefined && named.format !== 'html')
      throw misuse('export', `'--html' is a format of its own, and '--format ${named.format}' is another`)
    const chosen = html ? { ...named, format: 'html' } : named
    if (chosen.format === 'html') boundGarbage()
    const secrets = await secretsGiven(call, secret, `sess export ${typed(chosen.session)} --redact`)
    const input = { ...chosen, secret: secrets, noTools: !tools, noSystem: !system }
    const context = await call.context()
    if (toAgent) return toAgentAnswer(call, context, { ...input, force })
    if (out === undefined) {
      const losses: Loss[] = []
      for await (const piece of exported(context, input, (loss) => losses.push(loss), { reuse: true }))
        await io.bytes(piece)
      if (!io.json) for (const line of lossLines(losses)) void io.note(...line)
      else if (losses.length > 0) await io.noteData({ losses: lossData(losses) })
      return
    }
    const written = await call.finish(
      performed(call, WRITING, () => exportFile.run(context, { ...input, out, force })),
    )
    return answerOf(exportFile, written, { notes: writtenNotes(call, written) })
  },
})

/**
 * Has the engine clean its heap when that has grown by two fifths, not to its fourfold: a page is painted of many texts, each
 * soon written. Holds for the rest of the process, which writes no more than the page.
 */
const boundGarbage = (): void => setFlagsFromString('--heap-growing-percent=40')

/** Writes a session where an agent looks for it, and answers with the command that resumes it there. */
async function toAgentAnswer(
  call: Invocation,
  context: VerbContext,
  input: InputOf<typeof exportAgent.input>,
): Promise<Answer<object>> {
  const work = performed(call, WRITING, () => exportAgent.run(context, input))
  const done = await call.finish(work).catch((error: unknown) => {
    throw hasCode(error, 'exists') ? error.with({ hint: resumeHint(input) }) : error
  })
  const { cwd, command: resumes, take, opens } = done
  return answerOf(exportAgent, done, {
    render: () =>
      opens === undefined
        ? [[whole(shellLine([...(take ? [take] : []), resumes], cwd, call.platform.env.cwd))]]
        : [],
    notes: [...writtenNotes(call, done), ...(opens === undefined ? [] : [opens])],
  })
}

const resumeHint = ({ session: name, format: as }: InputOf<typeof exportAgent.input>): string =>
  `resume it there: 'sess resume ${typed(name)}${as === undefined ? '' : ` --format ${as}`}'; nothing was overwritten`

/** Returns what was written, under which names, and what is not in it. */
const writtenNotes = (call: Invocation, written: WrittenSession): (Line | string)[] => [
  wrote(call, written),
  ...(written.renamed ?? []).map(({ name, as }) => `no file can be called '${name}' here: it is ${as}`),
  ...lossLines(written.losses),
]

function wrote(call: Invocation, { bytes: size, path, replaced, files, further }: WrittenSession): string {
  const amount = files === undefined ? `${size} bytes` : `${files} files, ${size} bytes,`
  if (further !== undefined)
    return `${did(call, 'Wrote')} ${size} bytes to ${path} and ${counted(further, 'file')} of the session`
  return `${did(call, 'Wrote')} ${amount} to ${path}${replaced === null ? '' : `, replacing ${replaced} bytes`}`
}

/** Returns a line for each kind of loss: how often, its meaning, and its first place. */
const lossLines = (losses: readonly Loss[]): Line[] =>
  lossGroups(losses).map(([code, those]) => [
    styled('yellow', 'not written:'),
    ` ${code} (${grouped(those.length)})  ${LOSSES[code]}${examplesOf(those)}`,
  ])

/** How many names and entries a line lists. */
const SHOWN = 3

function examplesOf(losses: readonly Loss[]): string {
  const named = losses.flatMap(({ oid, subject }) => subject ?? (oid ? short(oid) : []))
  const more = named.length > SHOWN ? ', …' : ''
  return named.length === 0 ? '' : `: ${named.slice(0, SHOWN).join(', ')}${more}`
}

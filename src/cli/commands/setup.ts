import { quoted } from '../../text/shellwords.ts'
import { did, firstLine, type Line, styled } from '../../text/text.ts'
import { editDiff } from '../../text/textdiff.ts'
import { minute } from '../../text/time.ts'
import { anyOf } from '../../verbs/schema.ts'
import { type ChangedSetup, type FileChange, setup } from '../../verbs/setup.ts'
import { setupCheck } from '../../verbs/setup-check.ts'
import { setupService } from '../../verbs/setup-service.ts'
import { setupUninstall } from '../../verbs/setup-uninstall.ts'
import type { ResultOf } from '../../verbs/verb.ts'
import { type Answer, defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { flag } from '../parameters.ts'
import { answerOf } from '../present.ts'

/** `sess setup`: has agents keep their sessions in the store while they work. */
export const command = defineCommand({
  effect: setup.effect,
  arguments: { agent: setup.input.agent },
  options: {
    statusline: setup.input.statusline,
    into: setup.input.into,
    check: flag('show which agents are set up, and which hooks do not run and why', {
      excludes: ['statusline', 'into', 'uninstall', 'service', 'agent'],
    }),
    service: flag("write a service of the system that runs 'sess watch'", {
      excludes: ['statusline', 'agent'],
    }),
    uninstall: flag('take everything out again', { excludes: ['statusline', 'into'] }),
  },
  help: `Adds hooks or an extension to the settings of Claude Code, Codex, Gemini CLI, pi and OpenCode. A hook notes that the agent wrote
something and leaves; a process that ends within ten seconds imports it. Other hooks, comments and the form of the files stay. A
program that Codex notifies already, and a statusline of your own, are still called. -n shows each line that would change. Codex runs
the hooks once you have trusted them there with /hooks.`,
  examples: [
    ['sess setup -n', 'show what would change'],
    ['sess setup', 'set up the agents on this machine'],
    ['sess setup claude --statusline', 'only Claude Code, with a statusline'],
    ['sess setup --check', 'show what is set up and whether it works'],
    ['sess setup --uninstall', 'give the settings back'],
  ],
  output: output(
    'One object.',
    anyOf(setup.output.schema, setupCheck.output.schema, setupService.output.schema),
  ),
  run: async (call, { check, service, uninstall, agent, ...how }) => {
    if (check) {
      const found = await setupCheck.run(call, {})
      return answerOf(setupCheck, found, { render: () => checkLines(found, call) })
    }
    if (service) return serviceAnswer(call, { remove: uninstall, ...how })
    if (uninstall) {
      const taken = await setupUninstall.run(call, { agent })
      return answerOf(setupUninstall, taken, { render: () => changedLines(taken, call) })
    }
    const changed = await setup.run(call, { agent, ...how })
    return answerOf(setup, changed, {
      render: () => changedLines(changed, call),
      notes: notesOf(changed),
      back: 'sess setup --uninstall',
    })
  },
})

/** Says what happened, or would happen, to a file. */
const doneTo = ({ before, after }: FileChange, call: Invocation): string =>
  did(call, after === null ? 'Removed' : before === null ? 'Created' : 'Changed')

function* changedLines({ agents }: ChangedSetup, call: Invocation): Generator<Line> {
  for (const { title, files } of agents) {
    const changed = files.filter(({ before, after }) => before !== after)
    for (const file of changed) {
      yield [styled('bold', title), `: ${doneTo(file, call)} '${firstLine(file.path)}'`]
      if (call.dryRun) for (const line of changedPart(file.before, file.after)) yield ['  ', ...line]
    }
    if (changed.length === 0 && files.length > 0)
      yield [styled('bold', title), ': is set up as it is wanted already']
  }
  if (agents.every(({ files }) => files.length === 0)) yield ['nothing is set up here']
}

/** Returns the difference of two texts, of which one may be missing. */
const changedPart = (before: string | null, after: string | null): Line[] =>
  editDiff({ path: '', before: before ?? '', after: after ?? '' })

function notesOf({ agents, others }: ChangedSetup): string[] {
  const isCodex = agents.some(({ agent, files }) => agent === 'codex' && files.length > 0)
  return [
    ...(agents.length === 0 ? ['no agent that can be set up was found here'] : []),
    ...(isCodex ? ['Codex: type /hooks there and trust the hooks; until then it tells of turns alone'] : []),
    ...(others.length > 0
      ? [`nothing can be set up for ${others.join(', ')}: for these run 'sess watch'`]
      : []),
  ]
}

function* checkLines(found: ResultOf<typeof setupCheck>, call: Invocation): Generator<Line> {
  for (const { title, installed, state, problems } of found.agents) {
    if (!installed && state === 'absent') continue
    const color = state === 'live' && problems.length === 0 ? 'green' : 'yellow'
    yield [styled('bold', title), ': ', styled(color, STATES[state])]
    for (const problem of problems) yield ['  ', firstLine(problem)]
  }
  for (const problem of found.problems) yield [styled('yellow', firstLine(problem))]
  if (found.waiting > 0) yield [`${found.waiting} notes of hooks wait: type 'sess hook --settle'`]
  for (const { time, message } of found.faults)
    yield [styled('dim', minute(time, call.platform.zone)), '  ', firstLine(message)]
}

const STATES = {
  live: 'set up',
  partly: "set up in part: type 'sess setup' to complete it",
  absent: "not set up: type 'sess setup'",
} as const

async function serviceAnswer(
  call: Invocation,
  { remove, into }: { readonly remove: boolean; readonly into?: string },
): Promise<Answer<object>> {
  const done = await setupService.run(call, { remove, ...(into !== undefined && { into }) })
  const { path, change, text, commands } = done
  const typed = commands.map((words) => words.map(quoted).join(' ')).join(' && ')
  return answerOf(setupService, done, {
    render: () => [
      [change === 'none' ? `'${path}' is as it is wanted` : `${did(call, 'Wrote')} '${path}' (${change})`],
      ...(call.dryRun && text !== null
        ? text
            .trimEnd()
            .split('\n')
            .map((line): Line => ['  ', line])
        : []),
    ],
    notes: change === 'none' && remove ? [] : [`${remove ? 'to stop it' : 'to start it'}, type: ${typed}`],
  })
}

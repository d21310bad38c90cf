import { resolve } from 'node:path'
import { Option } from 'commander'
import { SessError } from '../../model/errors.ts'
import { listSessions, ORDERS, type Order } from '../../ops/list.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { guessing } from '../guessing.ts'
import { nearest } from '../near.ts'
import { count, several } from '../options.ts'
import { SessionTable, TABLE_FIELDS } from '../render/sessions.ts'
import { counted } from '../render/text.ts'
import { isAsked, printerOf, type TemplateOptions, templateOptions } from '../template/printer.ts'
import { SESSIONS, sessionData } from '../template/session.ts'
import { timeOf } from '../timeof.ts'

interface Options extends TemplateOptions {
  readonly cwd?: string
  readonly agent?: string
  readonly since?: string
  readonly until?: string
  readonly where?: readonly string[]
  readonly label?: string
  readonly sort?: Order
  readonly limit?: number
  readonly reverse?: boolean
}

/** `sess ls`: lists the sessions. */
export const define: Define = (command, act) => {
  templateOptions(command)
    .option('--cwd <dir>', 'only sessions of this folder and its subfolders')
    .option('--agent <agent>', 'only sessions of this agent: claude, codex, pi, …')
    .option('--since <time>', 'only sessions updated since: 12h, 3d, 2w, yesterday, 2026-04-01')
    .option('--until <time>', 'only sessions not updated since')
    .option(
      '--where <condition>',
      'only sessions with a property: KEY=VALUE, KEY!=VALUE or KEY; may be repeated',
      several,
    )
    .option('--label <label>', 'only sessions with this label')
    .addOption(
      new Option('--sort <order>', 'sort by this key, descending').choices(ORDERS).default('updated'),
    )
    .option('-n, --limit <n>', 'show at most N sessions', count)
    .option('--reverse', 'reverse the order')
    .addHelpText(
      'after',
      `
The session updated last comes first. TOKENS counts all model calls, with tokens read from caches; a fork counts
only its own. Keys of --where are id, title, agent, cwd, model, and those set by sess set.`,
    )
    .action(
      act(async (call, { cwd, since, until, ...options }: Options) => {
        const { io, world } = call
        const print = isAsked(options) ? printerOf(call, options, SESSIONS, 'json') : undefined
        const repo = await call.repo()
        const chosen = {
          ...options,
          ...(cwd !== undefined && { cwd: resolve(world.env.cwd, cwd) }),
          ...(since !== undefined && { since: timeOf(call, since) }),
          ...(until !== undefined && { until: timeOf(call, until) }),
        }
        if (io.json || print) {
          const list = await listSessions(repo, chosen)
          if (list.count === 0) await checkAgent(options)
          for (const session of list.rows())
            if (io.json) await io.data(sessionData(session))
            else await print?.(session, new Map())
          return
        }
        const list = await listSessions(repo, chosen, TABLE_FIELDS)
        if (list.count === 0) await checkAgent(options)
        if (list.count === 0) {
          await io.note(
            list.stored === 0
              ? "no sessions yet: type 'sess import PATH' to take some in"
              : `none of ${counted(list.stored, 'session')} fits`,
          )
          return
        }
        const { columns } = io
        const table = new SessionTable(list, { columns, zone: world.zone, now: world.env.now() })
        await io.print(...table.heading)
        if (io.colored) for (const line of table.lines()) await io.print(...line)
        else for (const lines of table.texts()) await io.lines(lines)
      }),
    )
  examples(command, [
    ['sess ls --cwd . -n 5', 'the latest five of this folder'],
    ['sess ls --agent claude --since 2w', 'sessions of Claude Code of the last two weeks'],
    ['sess ls -T \'{id} {tokens} {title|or "-"}\'', 'choose the fields'],
    ['sess ls --sort cost -n 10', 'the ten most expensive'],
    ['sess ls --where status!=done', 'sessions not marked as done'],
  ])
}

/** Throws `bad-usage` for an agent that is none: no session of it is no news then. */
async function checkAgent({ agent }: Options): Promise<void> {
  if (agent === undefined) return
  const { FORMATS } = await import('../../formats/registry.ts')
  const agents = [...new Set(FORMATS.flatMap(({ name, dialect }) => [dialect, name]))]
  if (agents.includes(agent)) return
  throw new SessError('bad-usage', `no agent is called '${agent}'`, {
    hint: `${guessing(nearest(agent, agents))}sess knows ${agents.join(', ')}`,
  })
}

import { defined } from '../../model/json.ts'
import { listSessions, ORDERS } from '../../ops/list.ts'
import { pricesIn } from '../config.ts'
import { defineCommand, output } from '../define.ts'
import { dollars, gitSchema, oidSchema, timestamp, tokenCounts } from '../outputschemas.ts'
import {
  agent,
  anyLabel,
  anyPair,
  bareOption,
  choice,
  count,
  flag,
  folder,
  option,
  optionWith,
  repeated,
  sessionFormat,
  time,
} from '../parameters.ts'
import { SessionTable, TABLE_FIELDS } from '../render/sessions.ts'
import { counted } from '../render/text.ts'
import { arrayOf, boolean, described, integer, mapOf, nullable, object, string } from '../schema.ts'
import { unknownFormat } from '../suggest.ts'
import { isAsked, printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'
import { SESSIONS } from '../template/sessions.ts'

/** `sess ls`: lists the sessions. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  options: {
    template: { ...TEMPLATE_OPTIONS.template },
    format: bareOption(sessionFormat(), 'show each in a format: see sess help templates'),
    cwd: option(folder(), 'only sessions of this folder and its subfolders'),
    agent: option(agent(), 'only sessions of this agent: claude, codex, pi, …'),
    since: option(time(), 'only sessions updated since: 12h, 3d, 2w, yesterday, 2026-04-01'),
    until: option(time(), 'only sessions not updated since'),
    where: repeated(
      anyPair(),
      'only sessions with a property: KEY=VALUE, KEY!=VALUE or KEY; may be repeated',
    ),
    label: option(anyLabel(), 'only sessions with this label'),
    sort: optionWith(choice(ORDERS, 'order'), 'updated', 'sort by this key, descending'),
    limit: option(count(), 'show at most N sessions', { short: 'n' }),
    reverse: flag('reverse the order'),
  },
  help: `The session updated last comes first. TOKENS counts all model calls of a session's own log, with tokens read from
caches; a fork counts only its own. Each call has the price of the model that wrote it; ~ marks a COST that is computed
by list prices, because the agent records none. sess stats --by counts once what sessions share. Keys of --where are id, title, agent,
cwd, model, git-branch, git-commit, git-repository, pull-request, and those set by sess set. A session is found under
each folder and git branch that it worked in.`,
  examples: [
    ['sess ls --cwd . -n 5', 'the latest five of this folder'],
    ['sess ls --agent claude --since 2w', 'sessions of Claude Code of the last two weeks'],
    ['sess ls -T \'{id} {tokens} {title|or "-"}\'', 'choose the fields'],
    ['sess ls --sort cost -n 10', 'the ten most expensive'],
    ['sess ls --where status!=done', 'sessions not marked as done'],
    ['sess ls --where git-branch=main', 'sessions that worked on a git branch'],
  ],
  output: output(
    'A line for each session.',
    object({
      id: string,
      format: string,
      title: nullable(string),
      prompt: described('the first words of its user', nullable(string)),
      cwd: described('the folder that it worked in last, where its agent finds it', nullable(string)),
      folders: described('all folders that it worked in', arrayOf(string)),
      git: described('its last state in git, and all former ones', nullable(gitSchema)),
      pullRequests: arrayOf(string),
      entries: integer,
      records: integer,
      prompts: integer,
      calls: integer,
      tokens: nullable(tokenCounts),
      cost: nullable(dollars),
      costComputed: described('whether the cost is computed by list prices', boolean),
      reportedCost: described('the cost of the whole session as its agent reports it', nullable(dollars)),
      model: nullable(string),
      branches: mapOf(oidSchema),
      labels: mapOf(oidSchema),
      set: mapOf(string),
      head: described('a branch, or an oid when detached', nullable(string)),
      parent: described('the session that started it, as its agent names it', nullable(string)),
      continuedIn: described('the session in which it goes on, as its agent names it', nullable(string)),
      project: described('the repository that it worked in, else its folder', nullable(string)),
      live: described('whether it grew in the last 60 seconds', boolean),
      continues: described('a session that goes on in it', nullable(string)),
      agents: described('for each sub-agent, by its id, the entry that started it', mapOf(oidSchema)),
      created: nullable(timestamp),
      updated: nullable(timestamp),
      source: described('the path that it was imported from', nullable(string)),
      silent: described('whether nobody speaks in it', boolean),
    }),
  ),
  run: async (call, { template, format, ...choices }) => {
    const chosen = { ...choices, priceOf: pricesIn(call.config) }
    const { io } = call
    const asked = defined({ template, format })
    const repo = await call.repo()
    if (io.json || isAsked(asked)) {
      const print = printerOf(call, asked, SESSIONS, 'json')
      const list = await listSessions(repo, chosen)
      if (list.count === 0) await checkAgent(chosen.agent)
      for (const one of list.rows()) await print(one, new Map())
      return
    }
    const list = await listSessions(repo, chosen, TABLE_FIELDS)
    if (list.count === 0) {
      await checkAgent(chosen.agent)
      await io.note(
        list.stored === 0
          ? "no sessions yet: type 'sess import' to import those of the agents on this machine"
          : `none of ${counted(list.stored, 'session')} matches`,
      )
      return
    }
    const table = new SessionTable(list, call.display)
    await io.print(...table.heading)
    if (io.colored) for (const line of table.lines()) await io.print(...line)
    else for (const lines of table.texts()) await io.lines(lines)
  },
})

/** Throws `bad-usage` for an unknown agent: then it is no news that none of its sessions is there. */
async function checkAgent(name: string | undefined): Promise<void> {
  if (name === undefined) return
  const { FORMAT_NAMES } = await import('../../formats/registry.ts')
  if (!FORMAT_NAMES.includes(name)) throw unknownFormat('agent', name, FORMAT_NAMES)
}

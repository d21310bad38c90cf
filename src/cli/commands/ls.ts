import { defined } from '../../model/json.ts'
import { counted } from '../../text/text.ts'
import { listing, ls } from '../../verbs/ls.ts'
import { defineCommand, output } from '../define.ts'
import { hasCursors, pageOptions, rowSchemaOf } from '../pageoptions.ts'
import { bareOption, sessionFormat } from '../parameters.ts'
import { SessionTable, TABLE_FIELDS } from '../render/sessions.ts'
import { isAsked, printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'
import { SESSIONS } from '../template/sessions.ts'

const { cwd, project, agent, since, until, where, label, sort, limit, reverse } = ls.input

/** `sess ls`: lists the sessions. */
export const command = defineCommand({
  effect: ls.effect,
  paged: true,
  options: {
    template: { ...TEMPLATE_OPTIONS.template },
    format: bareOption(sessionFormat(), 'show each in a format: see sess help templates'),
    cwd,
    project,
    agent,
    since,
    until,
    where,
    label,
    sort,
    limit: { ...limit, short: 'n' },
    ...pageOptions(ls, 'reverse'),
    reverse,
  },
  help: `The session updated last comes first. TOKENS counts all model calls of a session's own log, with tokens read from
caches; a fork counts only its own. Each call has the price of the model that wrote it; ~ marks a COST that is computed
by list prices, because the agent records none. sess stats --by counts once what sessions share. Keys of --where are id, title, agent,
cwd, project, model, branch (one besides the current one), label, git-branch, git-commit, git-repository, pull-request, and those
set by sess set. A session is found under each folder and git branch that it worked in; PROJECT is the last part of the newest
one. In a pipe nothing is cut.`,
  examples: [
    ['sess ls --cwd . -n 5', 'the latest five of this folder'],
    ['sess ls --project tides', 'those whose folder or repository has it in its name'],
    ['sess ls --agent claude --since 2w', 'sessions of Claude Code of the last two weeks'],
    ['sess ls -T \'{id} {tokens} {title|or "-"}\'', 'choose the fields'],
    ['sess ls --sort cost -n 10', 'the ten most expensive'],
    ['sess ls --where status!=done', 'sessions not marked as done'],
    ['sess ls --where git-branch=main', 'sessions that worked on a git branch'],
    ['sess ls --where branch --where label', 'those with several branches and a label'],
  ],
  output: output('A line for each session.', rowSchemaOf(ls)),
  run: async (call, { template, format, ...chosen }) => {
    const { io } = call
    const asked = defined({ template, format })
    const context = await call.context()
    if (io.json || isAsked(asked)) {
      const print = printerOf(call, asked, SESSIONS, 'json')
      const rows = await listing(context, chosen)
      const cursors = hasCursors(chosen) ? rows.cursors() : []
      let at = 0
      for (const one of rows.rows()) {
        const cursor = cursors[at++]
        const row = cursor === undefined ? one : { ...one, cursor }
        await print(row, new Map())
      }
      return
    }
    const list = await listing(context, chosen, TABLE_FIELDS)
    if (list.count === 0) {
      await io.note(
        list.stored === 0
          ? "no sessions yet: type 'sess import' to import those of the agents on this machine"
          : `none of ${counted(list.stored, 'session')} matches`,
      )
      return
    }
    const table = new SessionTable(list, { ...call.display, columns: io.tableColumns })
    await io.print(...table.heading)
    if (io.colored) for (const line of table.lines()) await io.print(...line)
    else for (const lines of table.texts()) await io.lines(lines)
  },
})

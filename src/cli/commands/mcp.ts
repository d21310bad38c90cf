import { SessError } from '../../model/errors.ts'
import { firstLine } from '../../text/text.ts'
import { anyOf } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { flag } from '../parameters.ts'
import { version } from '../version.ts'

/** `sess mcp`: serves the sessions as tools to an agent. */
export const command = defineCommand({
  effect: 'read',
  endless: true,
  reportsStop: true,
  options: {
    write: flag('offer the tools label and fork too'),
    secrets: flag('show keys and tokens as they are, instead of masked'),
  },
  help: `An agent starts it and speaks the Model Context Protocol with it on standard input and output, until it closes them:
'claude mcp add sess -- sess mcp' adds it to Claude Code, and docs/mcp.md has the lines for other agents. It reads the
store of the folder that it is started in, and holds no database while nobody asks.`,
  examples: [
    ['sess mcp', 'tools that only read'],
    ['sess mcp --write', 'tools that label entries and fork sessions too'],
  ],
  output: output('Nothing but the messages of the protocol.', anyOf()),
  run: async (call, { write, secrets }) => {
    const { interfaces, platform, io, machine, config, signal, env } = call
    if (!interfaces) throw new SessError('bad-usage', 'no server of tools is part of this program')
    if (platform.stdin.isTTY) await io.note('an agent starts this and speaks with it; Ctrl-C stops')
    await io.flushNotes()
    await interfaces.mcp({
      store: () => call.store,
      options: {
        lockTimeout: 1000 * (call.options.lockTimeout ?? config.value('lockTimeout')),
        command: 'sess mcp',
        actor: 'program',
        env,
        zone: platform.zone,
        ...(call.options.atOp !== undefined && { atOperation: call.options.atOp }),
      },
      zone: platform.zone,
      config,
      machine,
      signal,
      write,
      secrets,
      version: version(),
      onError: (error) => void io.note(`sess: ${firstLine(error.message)}`),
    })
  },
})

import { SessError } from '../../model/errors.ts'
import { boolean, described, integer, object, string } from '../../verbs/schema.ts'
import { count } from '../../verbs/values.ts'
import { defineCommand, output } from '../define.ts'
import type { ServingInterface } from '../interfaces.ts'
import type { Invocation } from '../invocation.ts'
import { openPage } from '../openpage.ts'
import { file, flag, option, optionWith } from '../parameters.ts'
import { openLineFile } from '../requestlog.ts'
import { version } from '../version.ts'

/** `sess serve`: serves the API and the page until it is stopped. */
export const command = defineCommand({
  effect: 'read',
  endless: true,
  reportsStop: true,
  options: {
    port: optionWith(count('n'), 0, 'the port of 127.0.0.1; a free one by default'),
    write: flag('perform verbs that change the store, too'),
    open: flag('open the page in the browser'),
    log: option(file('file'), 'append a line of JSON to this file for each request'),
  },
  help: `Prints the address of the page, with the secret of this run, and serves until Ctrl-C. Only this machine reaches it, only
who has the secret reads anything, and without --write nothing can be changed. Other commands and agents can use the
store meanwhile.`,
  examples: [
    ['sess serve --open', 'look at the sessions in the browser'],
    ['sess serve --write --port 4600', 'also take changes, on a port of your choice'],
    ['sess serve --json', 'start it from a program, which reads address and secret'],
  ],
  output: output(
    'One object, as soon as it listens.',
    object({
      url: string,
      token: described('to send as Authorization: Bearer TOKEN', string),
      store: string,
      write: boolean,
      pid: integer,
    }),
  ),
  run: async (call, { port, write, open, log }, out) => {
    const { interfaces, io, signal } = call
    if (!interfaces) throw new SessError('bad-usage', 'nothing here can serve')
    const context = await call.context({ create: true, following: 'serve' })
    const { store } = context
    const lines = log === undefined ? undefined : openLineFile(call.where.absolute(log))
    const server = await interfaces.serve({
      context,
      write,
      port,
      version: version(),
      ...(lines && { log: (line: string) => lines.add(line) }),
    })
    let closePage: (() => void) | undefined
    try {
      const { url, token } = server
      if (io.json) await out.data({ url, token, store, write, pid: process.pid })
      else await announce(call, server, write)
      await io.flush()
      if (open) closePage = openPage(call, server, store)
      await untilAborted(signal)
    } finally {
      closePage?.()
      await server.close()
      lines?.close()
    }
  },
})

async function announce(
  { io }: Invocation,
  { url, token, others }: ServingInterface,
  write: boolean,
): Promise<void> {
  await io.print(`${url}/#${token}`)
  await io.note(`serving ${write ? 'for reading and writing' : 'for reading'}; Ctrl-C stops`)
  for (const other of others) await io.note(`this store is also served at ${other}`)
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

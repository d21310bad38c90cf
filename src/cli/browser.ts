import { fileURLToPath } from 'node:url'
import { SessError } from '../model/errors.ts'
import { splitWords } from '../text/shellwords.ts'
import type { VerbContext } from '../verbs/open.ts'
import { tree } from '../verbs/tree.ts'
import { editText } from './editor.ts'
import type { BrowseCall, BrowseEnd } from './interfaces.ts'
import type { Invocation } from './invocation.ts'
import { drawsAscii } from './render/graph.ts'

/** The part of a call that the commands choose themselves. */
type Chosen = Partial<Pick<BrowseCall, 'picks' | 'folder' | 'session' | 'search' | 'filter'>>

/**
 * Shows the browser until the user leaves it, and returns how it ended. Throws `bad-usage` where there is no terminal, with
 * a hint at a command that needs none.
 */
export async function openBrowser(
  call: Invocation,
  { filter, session, picks = null, folder = null, search = '' }: Chosen,
): Promise<BrowseEnd> {
  const { interfaces, config, platform, io } = call
  const { variables, zone } = platform
  if (!interfaces || variables.TERM === 'dumb' || !(picks || call.hasBrowser)) throw withoutTerminal()
  // Without a session to show, the browser offers to import some.
  const context = await call.context({ create: !picks && session === undefined })
  const bindings = config.value('keys.bindings')
  const run = (words: readonly string[], cwd?: string): Promise<number | undefined> =>
    platform.edit(words, variables, cwd)
  const ending = await interfaces.browse({
    picks,
    folder,
    search,
    ...(session !== undefined && { session: await idOf(context, session) }),
    context,
    zone,
    colored: picks !== null || io.colored,
    ascii: drawsAscii(config.value('graph'), platform),
    keys: config.value('keys'),
    bindings: bindings === 'none' ? '' : bindings,
    filter: filter ?? config.value('tree.filter'),
    runProgram: run,
    runCommand: async (typed) => {
      await run([process.execPath, SCRIPT, '--store', call.store, ...(splitWords(typed) ?? [typed])])
      platform.stdout.write('\nEnter goes back to the browser', () => undefined)
      await run(WAITING)
    },
    editText: async (text) => {
      await editText(call, context.store, text)
    },
  })
  if (!ending) throw withoutTerminal()
  return ending
}

/** Returns the id of a session. Throws `no-session`, `ambiguous-revision` or `empty-session`. */
async function idOf(context: VerbContext, name: string): Promise<string> {
  const { rows } = await tree.run(context, {
    session: name,
    limit: 1,
    exact: false,
    folded: false,
    shown: [],
    closed: [],
    opened: [],
  })
  return rows[0]?.cursor.session ?? name
}

const withoutTerminal = (): SessError =>
  new SessError('bad-usage', 'there is no terminal to show sessions on', {
    hint: "in a pipe, type 'sess ls' for the sessions, and 'sess tree SESSION' for a tree",
  })

/** This program. */
const SCRIPT = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))

/** A program that waits for a line. */
const WAITING = [process.execPath, '-e', "process.stdin.once('data', () => process.exit())"]

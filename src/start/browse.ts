import type { BrowseCall, BrowseEnd } from '../cli/interfaces.ts'
import { browse } from '../tui/browse.ts'
import { keymapWith } from '../tui/state/keymap.ts'
import { openTerminal } from '../tui/terminal/open.ts'

/** Starts the browser on the terminal; returns undefined where there is none. Throws `bad-usage` for wrong keys. */
export async function startBrowser(call: BrowseCall): Promise<BrowseEnd | undefined> {
  const { context, zone, colored, ascii, picks, folder, keys, bindings, filter, search, session } = call
  const { runProgram, runCommand, editText } = call
  const streams = openTerminal(picks !== null)
  if (!streams) return undefined
  const { now } = context.env
  const look = {
    zone,
    ascii,
    get now() {
      return now()
    },
  }
  const ending = await browse(
    { ...streams, process, colored, context, look, runProgram, runCommand, editText },
    {
      picks,
      folder,
      filter,
      search,
      keymap: keymapWith(bindings),
      typesToSearch: picks !== null || keys === 'pi',
      ...(session !== undefined && { session }),
    },
  )
  // Node aborts at its end where the terminal is gone: the signal ends the process before, as it would have at once.
  if (ending.code === HUNG_UP) process.once('exit', () => process.kill(process.pid, 'SIGHUP'))
  return ending
}

/** The exit code of a process whose terminal was closed. */
const HUNG_UP = 129

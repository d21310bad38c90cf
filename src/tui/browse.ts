import { type Host, Runner } from './effects/runner.ts'
import type { Event } from './state/events.ts'
import { withNeeds } from './state/needs.ts'
import { type BrowserEnd, type BrowserStart, initialState, type State } from './state/state.ts'
import { update } from './state/update.ts'
import { Terminal, type TerminalStreams } from './terminal/terminal.ts'
import type { BrowserLook } from './view/pane.ts'
import { view } from './view/view.ts'

/** The program and the terminal around a browser. */
export interface BrowserSurroundings extends TerminalStreams, Pick<Host, 'context'> {
  readonly look: BrowserLook
  /** Runs a program that has the terminal. */
  readonly runProgram: (words: readonly string[], folder?: string) => Promise<number | undefined>
  readonly runCommand: (words: string) => Promise<void>
  readonly editText: (text: string) => Promise<void>
}

const CODES = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130, closed: 0 } as const

/** Shows the browser until the user leaves it. Returns its exit code, and what is to be printed. */
export async function browse(
  around: BrowserSurroundings,
  beginning: Omit<BrowserStart, 'size'>,
): Promise<BrowserEnd> {
  let resolve: (ending: BrowserEnd) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const ended = new Promise<BrowserEnd>((done, failed) => {
    resolve = done
    reject = failed
  })
  const terminal = new Terminal(around, {
    key: (key) => dispatch({ kind: 'key', key }),
    redraw: () => dispatch({ kind: 'resized', size: terminal.size }),
    end: (signal) => dispatch({ kind: 'ended', code: CODES[signal] }),
  })
  const runner = new Runner(
    {
      context: around.context,
      display: around.look,
      runProgram: (words, folder) => terminal.lend(() => around.runProgram(words, folder)),
      runCommand: (words) => terminal.lend(() => around.runCommand(words)),
      editText: (text) => terminal.lend(() => around.editText(text)),
      copy: (text) => terminal.copy(text),
      suspend: () => terminal.suspend(),
    },
    () => state,
    (event) => dispatch(event),
  )
  let state: State = initialState({ ...beginning, size: terminal.size })
  let isDrawing = false
  const draw = (): void => {
    isDrawing = false
    try {
      if (!state.ending) terminal.draw(view(state, around.look))
    } catch (error) {
      reject(error)
    }
  }
  const dispatch = (event: Event): void => {
    if (state.ending) return
    // An error must not leave the terminal as it is: it rejects, and the terminal is given back.
    try {
      const step = update(state, event)
      state = step.state
      for (const effect of step.effects) runner.run(effect)
      if (state.ending) resolve(state.ending)
      else if (!isDrawing) {
        // Several keys in a chunk make one frame.
        isDrawing = true
        setImmediate(draw)
      }
    } catch (error) {
      reject(error)
    }
  }
  terminal.enter()
  try {
    const first = withNeeds(state)
    state = first.state
    for (const effect of first.effects) runner.run(effect)
    draw()
    void runner.follow()
    return await ended
  } finally {
    runner.close()
    terminal.leave()
  }
}

import { asSessError, hasCode } from '../../model/errors.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import { quoted } from '../../text/shellwords.ts'
import { type Display, lineText } from '../../text/text.ts'
import { changes } from '../../verbs/changes.ts'
import { listing } from '../../verbs/ls.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { places as placesVerb } from '../../verbs/places.ts'
import { resume } from '../../verbs/resume.ts'
import { show } from '../../verbs/show.ts'
import type { BrowserEffect, Event } from '../state/events.ts'
import type { PlannedChange, SessionRow, State } from '../state/state.ts'
import { Calls } from './calls.ts'
import { readPage, readPreview } from './pages.ts'
import { performChange } from './performing.ts'
import { Trees } from './trees.ts'

/** The program around the browser. */
export interface Host {
  readonly context: VerbContext
  readonly display: Omit<Display, 'columns'>
  /** Lends the terminal to a program in a folder. Returns its exit code, undefined where it cannot be started. */
  runProgram(words: readonly string[], folder?: string): Promise<number | undefined>
  /** Lends the terminal to a `sess` command, and waits for a key after it. */
  runCommand(words: string): Promise<void>
  /** Opens a text in the user's editor. */
  editText(text: string): Promise<void>
  copy(text: string): void
  suspend(): void
}

/** The columns before and after the lines of a text. */
const MARGINS = 2

/** How long changes of the store are gathered before what is shown is read again, in milliseconds. */
const GATHERING_MS = 100

/** Runs effects by verbs, and reports what came of them as events. */
export class Runner {
  readonly #host: Host
  readonly #calls: Calls
  readonly #trees: Trees
  readonly #dispatch: (event: Event) => void
  readonly #state: () => State
  readonly #ending = new AbortController()
  /** The change that is being planned or made: the next one is decided on what it leaves. */
  #changing: Promise<void> = Promise.resolve()

  constructor(host: Host, state: () => State, dispatch: (event: Event) => void) {
    this.#host = host
    this.#dispatch = dispatch
    this.#state = state
    this.#calls = new Calls(host.context)
    this.#trees = new Trees(this.#calls.lasting, (session, filter) =>
      dispatch({ kind: 'counted', session, filter }),
    )
  }

  /** Runs an effect. An error is reported as a notice. */
  run(effect: BrowserEffect): void {
    this.#start(effect).catch((error: unknown) => {
      if (this.#ending.signal.aborted) return
      this.#dispatch({ kind: 'failed', effect, text: wordsOf(error) })
    })
  }

  /** Follows what other processes change, until `close`. */
  async follow(): Promise<void> {
    const { signal } = this.#ending
    const call = this.#calls.lasting
    let timer: NodeJS.Timeout | undefined
    const moved = new Set<string>()
    const report = (): void => {
      timer = undefined
      this.#dispatch({ kind: 'moved', sessions: [...moved] })
      moved.clear()
    }
    try {
      for await (const change of changes.events({ ...call, repo: call.repo.call({ signal }), signal }, {})) {
        for (const { id } of change.sessions) moved.add(id)
        timer ??= setTimeout(report, GATHERING_MS)
      }
    } catch (error) {
      if (!signal.aborted) this.#dispatch({ kind: 'noted', text: asSessError(error).message, isError: true })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Cancels what runs. */
  close(): void {
    this.#ending.abort()
    this.#calls.cancel()
    this.#trees.close()
  }

  async #start(effect: BrowserEffect): Promise<void> {
    switch (effect.kind) {
      case 'read-sessions': {
        const { folder } = effect
        const rows = await this.#calls.latest('sessions', (call) => readSessions(call, folder))
        if (rows) this.#dispatch({ kind: 'sessions', rows })
        return
      }
      case 'read-window': {
        const { session, filter, request, limit } = effect
        const found = await this.#trees.window(session, filter, request, limit)
        this.#dispatch({ kind: 'window', session, filter, request, ...found })
        return
      }
      case 'fold': {
        const { at, isOpen, filter } = effect
        await this.#trees.fold(at, filter, isOpen)
        this.#dispatch({ kind: 'folded', session: at.session, oid: at.oid })
        return
      }
      case 'find-parent':
      case 'find-child': {
        const { at, filter, kind } = effect
        const oid = await this.#trees.relative(at, filter, kind === 'find-parent' ? 'parent' : 'child')
        this.#dispatch({ kind: 'place', session: at.session, oid })
        return
      }
      case 'find':
        return this.#find(effect.session, effect.filter, effect.text)
      case 'read-page': {
        const { subject, after, columns } = effect
        const { keymap, commands } = this.#state()
        const display = { ...this.#host.display, columns: Math.max(8, columns - MARGINS) }
        const page = await this.#calls.latest('page', (call) =>
          readPage(call, effect, display, { keymap, commands }),
        )
        if (page) this.#dispatch({ kind: 'page', subject, columns, isFirst: after === null, ...page })
        return
      }
      case 'read-preview': {
        const { of, columns } = effect
        const display = { ...this.#host.display, columns }
        const lines = await this.#calls.latest('preview', (call) => readPreview(call, of, display))
        if (lines) this.#dispatch({ kind: 'preview', of, columns, lines })
        return
      }
      case 'plan':
      case 'perform': {
        const before = this.#changing
        const work = before.then(() => this.#change(effect.change, effect.kind === 'plan'))
        this.#changing = work.catch(() => undefined)
        return work
      }
      case 'copy': {
        this.#host.copy(await this.#textOf(effect.of))
        this.#dispatch({ kind: 'noted', text: 'copied', isError: false })
        return
      }
      case 'edit':
        return this.#host.editText(await this.#textOf(effect.of))
      case 'edit-text':
        return this.#host.editText(effect.text)
      case 'resume':
        return this.#resume(effect.session, effect.format)
      case 'read-places': {
        const found = await placesVerb.run(this.#calls.lasting, {})
        const rows = found.map(({ agent, files }) => ({ agent, files: files.length }))
        this.#dispatch({ kind: 'places', places: rows })
        return
      }
      case 'run': {
        await this.#host.runCommand(effect.words)
        const command = `sess ${effect.words}`
        this.#dispatch({ kind: 'noted', text: `back from ${command}`, isError: false, command })
        return
      }
      case 'suspend':
        return this.#host.suspend()
    }
  }

  async #find(session: string, filter: GraphFilter, text: string): Promise<void> {
    const places = await this.#trees.find(session, filter, text)
    this.#dispatch({ kind: 'found', session, text, places })
  }

  async #change(change: PlannedChange, isPlan: boolean): Promise<void> {
    const display = { ...this.#host.display, columns: this.#state().size.columns }
    const { lines, prompt } = await performChange(this.#calls.lasting, change, display, isPlan)
    if (isPlan) this.#dispatch({ kind: 'planned', change, lines })
    else this.#dispatch({ kind: 'performed', change, text: `done: ${lineText(lines[0] ?? [])}`, prompt })
  }

  async #textOf(oid: string): Promise<string> {
    const { view } = await show.run(this.#calls.lasting, { revision: oid })
    return view.blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n\n')
  }

  /** Resumes a session in its agent, with the terminal; then the browser goes on. */
  async #resume(session: string, format?: string): Promise<void> {
    const { take, command, cwd, opens } = await resume.run(this.#calls.lasting, {
      session,
      ...(format !== undefined && { format }),
    })
    if (opens !== undefined) {
      this.#dispatch({ kind: 'noted', text: opens, isError: false })
      return
    }
    for (const words of [...(take ? [take] : []), command]) {
      const code = await this.#host.runProgram(words, cwd)
      if (code === undefined) {
        this.#dispatch({ kind: 'noted', text: `cannot start '${words[0] ?? ''}' in '${cwd}'`, isError: true })
        return
      }
    }
    this.#dispatch({
      kind: 'noted',
      text: `back from ${command[0] ?? 'the agent'}`,
      isError: false,
      command: ['sess', 'resume', session, ...(format === undefined ? [] : ['--format', format]), '--run']
        .map(quoted)
        .join(' '),
    })
  }
}

/** Returns an error in words for the last line of the screen. */
function wordsOf(error: unknown): string {
  if (hasCode(error, 'conflict'))
    return 'another process moved it meanwhile: look at what is there now, then try again'
  const { message, hint } = asSessError(error)
  return hint === undefined ? message : `${message}: ${hint}`
}

/** The fields of sessions that are listed. */
const FIELDS = [
  'id',
  'format',
  'title',
  'prompt',
  'git',
  'cwd',
  'cost',
  'created',
  'updated',
  'entries',
] as const

/** Reads the list of the sessions of a folder, or of all, the latest first. */
async function readSessions(call: VerbContext, folder: string | null): Promise<SessionRow[]> {
  const asked = {
    sort: 'updated',
    reverse: false,
    where: [],
    ...(folder !== null && { cwd: folder }),
  } as const
  const list = await listing(call, asked, FIELDS)
  const [projects, lives, computed] = [list.projects(), list.live(), list.costComputed()]
  const column =
    <T>(values: readonly T[]): ((i: number) => T) =>
    (i) =>
      values[i] as T
  const agent = column(list.map('format', (name) => name))
  const title = column(list.map('title', (name) => name))
  const prompt = column(list.map('prompt', (words) => words))
  const cost = column(list.map('cost', (dollars) => dollars))
  const updated = column(list.map('updated', (time) => time))
  const entries = column(list.map('entries', (count) => count))
  return list
    .map('id', (id) => id)
    .map((id, i) => ({
      id,
      agent: agent(i),
      title: title(i),
      prompt: prompt(i),
      project: projects[i] ?? null,
      cost: cost(i),
      costComputed: computed[i] ?? false,
      live: lives[i] ?? false,
      updated: updated(i),
      entries: entries(i),
    }))
}

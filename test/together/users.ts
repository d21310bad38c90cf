import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { script } from '../support/built.ts'
import { afterTest } from '../support/cleanup.ts'
import { callOf } from '../support/mcpclient.ts'
import { repeat, type Waits } from './waits.ts'

const run = promisify(execFile)

const SESS = script('../../bin/sess.js')

/** The home of a user, and how long they wait. */
export interface Place {
  readonly cwd: string
  readonly variables: Readonly<Record<string, string>>
  readonly waits: Waits
}

/** Starts a command of the command line that stays; it is killed after the test. */
export function started({ cwd, variables }: Place, ...words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [SESS, ...words], { cwd, env: variables, stdio: 'pipe' })
  afterTest(() => void child.kill('SIGKILL'))
  return child
}

/** Runs a command of the command line; returns what it printed. Throws where it fails. */
export async function sess({ cwd, variables }: Place, ...words: readonly string[]): Promise<Buffer> {
  const child = spawn(process.execPath, [SESS, ...words], { cwd, env: variables })
  const [out, errors]: [Uint8Array[], Uint8Array[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin.end()
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new Error(`sess ${words.join(' ')} ended with ${code}: ${Buffer.concat(errors).toString()}`)
  return Buffer.concat(out)
}

/** The lines that a process prints, one after another. */
const linesOf = ({ stdout }: ChildProcess): AsyncIterator<string> =>
  createInterface({ input: stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()

/** What somebody wrote into the store, which has to be in it at the end. */
export interface Written {
  readonly session: string
  /** The texts of the entries that were acknowledged, in their order. */
  readonly texts: readonly string[]
}

interface Announced {
  readonly url: string
  readonly token: string
}

/** A page in the browser: asks the server for what it shows, writes to a session, and follows the events. */
export class PageUser {
  /** The sessions that the events named. */
  readonly heard = new Set<string>()
  readonly #place: Place
  readonly #server: ChildProcess
  readonly #at: Announced
  readonly #texts: string[] = []
  readonly #closed = new AbortController()
  #events: Promise<void> | undefined
  #session = ''

  private constructor(place: Place, server: ChildProcess, at: Announced) {
    this.#place = place
    this.#server = server
    this.#at = at
  }

  static async open(place: Place): Promise<PageUser> {
    const server = started(place, 'serve', '--write', '--json')
    const line = (await linesOf(server).next()).value as string
    const user = new PageUser(place, server, JSON.parse(line) as Announced)
    const { result } = (await user.#ask('/sessions', { title: 'Of the page' })) as {
      readonly result: { readonly session: string }
    }
    user.#session = result.session
    return user
  }

  get written(): Written {
    return { session: this.#session, texts: this.#texts }
  }

  async use(signal: AbortSignal): Promise<void> {
    this.#events = this.#follow(this.#closed.signal)
    await repeat(signal, 400, async (n) => {
      const list = (await this.#measured('lists sessions', '/sessions?limit=20')) as Items
      const used = list.items.filter(({ entries }) => entries > 0)
      const shown = used[n % Math.min(4, used.length)]
      if (shown) {
        await this.#measured('shows a conversation', `/sessions/${shown.id}/turns?limit=20`)
        await this.#measured('shows a tree', `/sessions/${shown.id}/rows?limit=50`)
      }
      if (n % 3 === 0) await this.#measured('searches', '/search/sessions?query=src&limit=10')
      const text = `page ${n}`
      const entry = [{ body: { role: 'user', content: text } }]
      await this.#measured('appends', `/sessions/${this.#session}/entries`, { entry })
      this.#texts.push(text)
      const { operation } = (await this.#measured('labels', `/sessions/${this.#session}/label`, {
        label: `of-the-page-${n}`,
      })) as { readonly operation: number }
      if (n % 2 === 0) await this.#measured('undoes', '/undo', { operation })
    })
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#events
    const ended = once(this.#server, 'exit')
    this.#server.kill('SIGTERM')
    await ended
  }

  #measured(what: string, path: string, body?: object): Promise<unknown> {
    return this.#place.waits.measure(`the page ${what}`, () => this.#ask(path, body))
  }

  async #ask(path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#at.url}/api${path}`, {
      headers: this.#headers(body !== undefined),
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  #headers(writes: boolean): Record<string, string> {
    const { url, token } = this.#at
    return {
      authorization: `Bearer ${token}`,
      ...(writes && { origin: url, 'content-type': 'application/json' }),
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { body } = await fetch(`${this.#at.url}/api/events`, { headers: this.#headers(false), signal })
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true })
        const events = text.split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) for (const [id] of event.matchAll(UUID)) this.heard.add(id)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

interface Items {
  readonly items: readonly Listed[]
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** An agent that looks into its past through `sess mcp`, and labels what it finds. */
export class AskingAgent {
  /** The labels that were acknowledged. */
  readonly labels: string[] = []
  readonly #waits: Waits
  readonly #client: Client

  private constructor(waits: Waits, client: Client) {
    this.#waits = waits
    this.#client = client
  }

  static async open({ cwd, variables, waits }: Place): Promise<AskingAgent> {
    const client = new Client({ name: 'together', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [SESS, 'mcp', '--write'],
      cwd,
      env: { ...variables },
      stderr: 'ignore',
    })
    await waits.measure('sess mcp starts', () => client.connect(transport))
    afterTest(() => client.close())
    return new AskingAgent(waits, client)
  }

  async use(signal: AbortSignal): Promise<void> {
    await repeat(signal, 400, async (n) => {
      const hits = await this.#call('search', { query: 'src', limit: 5 })
      const oid = hits[n % hits.length]?.oid as string | undefined
      const listed = await this.#call('sessions', { limit: 10 })
      const first = listed.find(({ entries }) => Number(entries) > 0)
      if (first) await this.#call('log', { revision: first.session as string, limit: 10 })
      if (n % 3 === 0 && first) await this.#call('context', { revision: first.session as string })
      if (oid === undefined) return
      await this.#call('show', { revision: oid })
      const label = `of-the-agent-${n}`
      await this.#call('label', { revision: oid, label })
      this.labels.push(label)
    })
  }

  #call(name: string, asked: Readonly<Record<string, string | number>>) {
    return this.#waits.measure(`sess mcp answers ${name}`, async () => {
      const { items, failed, text } = await callOf(this.#client, name, asked)
      if (failed) throw new Error(`${name} ${JSON.stringify(asked)}: ${text}`)
      return items
    })
  }
}

/** The first rows of the views. */
const [TREE, LIST] = [/^ tree /m, /^ sessions +\d+\/\d+/m]

/** A user of `sess browse` in a real terminal, who opens trees and returns to the list. */
export class BrowsingUser {
  readonly #socket = `sess-${randomUUID()}`
  readonly #waits: Waits

  private constructor(waits: Waits) {
    this.#waits = waits
  }

  static async open({ cwd, variables, waits }: Place): Promise<BrowsingUser> {
    const user = new BrowsingUser(waits)
    const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`)
    const command = `env -i ${words.join(' ')} '${process.execPath}' '${SESS}' browse`
    await user.#tmux('new-session', '-d', '-x', '100', '-y', '30', '-c', cwd, command)
    afterTest(() => spawnSync('tmux', ['-L', user.#socket, 'kill-server'], { stdio: 'ignore' }))
    await waits.measure('sess browse starts', () => user.#shown(LIST))
    return user
  }

  static get isPossible(): boolean {
    return spawnSync('tmux', ['-V']).status === 0
  }

  async use(signal: AbortSignal): Promise<void> {
    await repeat(signal, 500, async (n) => {
      await this.#tmux('send-keys', n % 2 === 0 ? 'j' : 'k')
      await this.#tmux('send-keys', 'Tab')
      await this.#waits.measure('sess browse shows a tree', () => this.#shown(TREE))
      await this.#tmux('send-keys', 'Escape')
      await this.#waits.measure('sess browse returns to the list', () => this.#shown(LIST))
    })
  }

  screen(): Promise<string> {
    return this.#tmux('capture-pane', '-p')
  }

  async #shown(match: RegExp): Promise<void> {
    for (const end = performance.now() + 30_000; ; await pause(20)) {
      const screen = await this.screen()
      if (match.test(screen)) return
      if (performance.now() > end) throw new Error(`${match} is not shown:\n${screen}`)
    }
  }

  async #tmux(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.#socket, '-f', '/dev/null', ...words])
    return stdout
  }
}

/** A program that keeps its own session through one long `sess append`, and waits for each oid. */
export async function appendOn(place: Place, signal: AbortSignal): Promise<Written> {
  const child = started(place, 'append', '--new', '--title', 'Of a program')
  const lines = linesOf(child)
  const session = (await lines.next()).value as string
  const texts: string[] = []
  await repeat(signal, 250, async (n) => {
    const text = `program ${n}`
    await place.waits.measure('sess append makes an entry durable', async () => {
      child.stdin?.write(`${JSON.stringify({ body: { role: 'assistant', content: text } })}\n`)
      const { done } = await lines.next()
      if (done) throw new Error('sess append has ended')
    })
    texts.push(text)
  })
  child.stdin?.end()
  await once(child, 'close')
  return { session, texts }
}

interface Listed {
  readonly id: string
  readonly entries: number
}

/** Runs commands as a user types them. Returns the labels that were set. */
export async function typeCommands(place: Place, signal: AbortSignal): Promise<readonly string[]> {
  const labels: string[] = []
  const type = (...words: readonly string[]): Promise<Buffer> =>
    place.waits.measure(`sess ${words[0]}, with its start`, () => sess(place, ...words))
  await repeat(signal, 300, async (n) => {
    const listed = await type('ls', '-n', '5', '--json')
    const sessions = listed
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    const used = sessions.map((line) => JSON.parse(line) as Listed).find(({ entries }) => entries > 0)
    if (!used) return
    const { id } = used
    await type('log', id, '-n', '5')
    if (n % 2 === 0) await type('search', 'src', '-n', '5')
    const label = `of-the-user-${n}`
    await type('label', label, id)
    labels.push(label)
  })
  return labels
}

/** Starts Node and nothing else again and again: what every start of a command takes at least on this machine now. */
export const startNode = ({ cwd, variables, waits }: Place, signal: AbortSignal): Promise<void> =>
  repeat(signal, 1500, () =>
    waits.measure('for comparison: node -e 0', () =>
      once(spawn(process.execPath, ['-e', '0'], { cwd, env: variables, stdio: 'ignore' }), 'close'),
    ),
  )

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import {
  AskingAgent,
  appendOn,
  BrowsingUser,
  PageUser,
  sess,
  started,
  startNode,
  typeCommands,
} from './users.ts'
import { Waits } from './waits.ts'
import { WRITERS, Writer } from './writers.ts'

/** How long all of them use the store, in seconds. */
const SECONDS = Number(process.env.SESS_TOGETHER ?? 15)

/** The longest that anything may wait here, in milliseconds: other tests run on the same machine. */
const MAX_WAIT = 30_000

const PATH = process.env.PATH ?? ''

describe.skipIf(!BrowsingUser.isPossible)('a store', { timeout: 1000 * (SECONDS + 300) }, () => {
  it('loses nothing and blocks nobody while server, browser, tools, hooks, watch and agents use it', async () => {
    const home = newFolder()
    const cwd = join(home, 'work')
    for (const folder of ['work', '.claude', '.codex', '.pi/agent'])
      mkdirSync(join(home, folder), { recursive: true })
    const variables = { PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
    const waits = new Waits()
    const place = { cwd, variables, waits }
    await sess(place, 'setup')
    const launcher = join(home, '.local/share/sess-live/sess')

    const watch = started(place, 'watch', '--json')
    const watchErrors: string[] = []
    watch.stderr?.on('data', (chunk: Buffer) => watchErrors.push(chunk.toString()))
    watch.stdout?.resume()
    const page = await PageUser.open(place)
    const asking = await AskingAgent.open(place)
    const browsing = await BrowsingUser.open(place)

    const writers = WRITERS.map(
      (agent) => new Writer(agent, { home, launcher, variables, waits, line: 60, turn: 900 }),
    )
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(), 1000 * SECONDS)
    afterTest(() => {
      clearTimeout(timer)
      over.abort()
    })
    const own = monitorEventLoopDelay({ resolution: 10 })
    own.enable()
    const { signal } = over
    const [appended, labels] = await Promise.all([
      appendOn(place, signal),
      typeCommands(place, signal),
      page.use(signal),
      asking.use(signal),
      browsing.use(signal),
      startNode(place, signal),
      ...writers.map((writer) => writer.write(signal)),
    ])
    own.disable()

    const files = writers.flatMap((writer) => writer.files)
    const ended = performance.now()
    const sessionOf = (path: string): string =>
      path.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.jsonl$)/)?.[0] ?? ''
    for (const path of files)
      await expect
        .poll(async () => (await sess(place, 'export', sessionOf(path))).equals(readFileSync(path)), {
          timeout: 60_000,
        })
        .toBe(true)
    const bytes = files.reduce((sum, path) => sum + readFileSync(path).length, 0)
    console.log(
      `${SECONDS} s, ${files.length} sessions of agents, ${bytes} bytes; checked ${Math.round(performance.now() - ended)} ms after the end\n` +
        `longest delay of this process: ${Math.round(own.max / 1e6)} ms\n${waits.table()}`,
    )
    expect(writers.flatMap((writer) => writer.heard)).toEqual([])
    // What it could not do at once it has done later.
    const failed = watchErrors
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('{') && !line.includes('"retryable":true'))
    expect(failed).toEqual([])

    for (const { session, texts } of [appended, page.written]) expect(await textsOf(session)).toEqual(texts)
    const named = (await sess(place, 'label', '--all', '--json')).toString()
    for (const label of [...labels, ...asking.labels]) expect(named).toContain(`"${label}"`)
    await expect.poll(() => files.filter((path) => !page.heard.has(sessionOf(path)))).toEqual([])
    await expect.poll(() => browsing.screen()).toContain(`/${files.length + 2}`)

    await page.close()
    watch.kill('SIGINT')
    expect((await sess(place, 'fsck')).toString()).toContain('all is well')
    const faults = readFileSync(join(home, '.local/share/sess-live/faults.jsonl'), {
      encoding: 'utf8',
      flag: 'a+',
    })
    // A settler that finds the store in use tries again.
    expect(faults.split('\n').filter((line) => line !== '' && !line.includes('"code":"busy"'))).toEqual([])
    expect(Math.max(...waits.all().map(({ most }) => most))).toBeLessThan(MAX_WAIT)

    async function textsOf(session: string): Promise<string[]> {
      const lines = (await sess(place, 'log', session, '--json', '--reverse')).toString()
      return lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { readonly text: string }).text)
    }
  })
})

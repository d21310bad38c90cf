import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Json } from '../../src/model/json.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { Repo } from '../../src/repo/repo.ts'
import { type RunningServer, startServer } from '../../src/rest/server.ts'
import { contextOf, openStore } from '../../src/verbs/open.ts'
import { afterTest } from './cleanup.ts'
import { newFolder } from './folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The browser that is installed; undefined where there is none. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/** Follows the name of tests in a browser: without one they say why they are skipped. */
export const SKIPPED = CHROMIUM === undefined ? ' (skipped: Chromium is not installed)' : ''

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Builds the page into a folder that is removed after the test. */
function builtPage(): string {
  const out = join(newFolder(), 'web')
  execFileSync(process.execPath, [join(root, '.ci/web.mjs'), out], { stdio: 'pipe' })
  return out
}

/** Starts a browser that is closed after the test. */
export async function startBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args })
  afterTest(() => browser.close())
  return browser
}

/** A store whose page is served. */
export interface ServedPage {
  readonly running: RunningServer
  readonly dir: string
  /** Appends to a session as another process would. */
  readonly say: (session: string, ...texts: readonly string[]) => Promise<void>
}

/** Makes a store with the sessions of the demo, and with a session of its own for each list of messages. */
export async function storeWith(
  ...sessions: readonly (readonly Json[])[]
): Promise<{ dir: string; ids: string[] }> {
  const dir = join(newFolder(), 'store')
  const repo = await Repo.open(dir, { create: true })
  await importPaths(repo, [join(root, 'test/demo/sessions')])
  const ids: string[] = []
  for (const [i, bodies] of sessions.entries()) {
    const id = await createSession(repo, { title: `made ${i}` })
    await append(
      repo,
      id,
      bodies.map((body) => ({ body })),
    )
    ids.push(id)
  }
  await repo.close()
  return { dir, ids }
}

/** Serves a store with its page. */
export async function servePage(
  dir: string,
  { write = false, assets = builtPage() } = {},
): Promise<ServedPage> {
  const store = await openStore(dir, {
    cwd: '/work',
    lockTimeout: 60_000,
    command: 'serve',
    actor: 'program',
  })
  const running = await startServer({ write, port: 0, version: '1.2.3', assets, context: contextOf(store) })
  afterTest(async () => {
    await running.close()
    await store.close()
  })
  const say = async (session: string, ...texts: readonly string[]): Promise<void> => {
    for (const content of texts) await append(store, session, [{ body: { role: 'assistant', content } }])
  }
  return { running, dir, say }
}

/** A tab of a browser: what it may not do fails its test. */
export class Tab {
  readonly page: Page
  readonly #url: string
  readonly #token: string
  /** Messages of the console, errors, and requests to elsewhere. */
  readonly offences: string[] = []

  private constructor(page: Page, { url, token }: RunningServer) {
    this.page = page
    this.#url = url
    this.#token = token
    page.on('console', (message) => this.offences.push(`console: ${message.text()}`))
    page.on('pageerror', (error) => this.offences.push(`error: ${error.stack}`))
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
        this.offences.push(`request: ${request.url()}`)
    })
    page.on('dialog', (dialog) => this.offences.push(`dialog: ${dialog.message()}`))
  }

  static async open(
    browser: Browser,
    { running }: ServedPage,
    options: BrowserContextOptions = {},
  ): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    afterTest(() => context.close())
    const tab = new Tab(await context.newPage(), running)
    tab.page.setDefaultTimeout(30_000)
    await tab.page.goto(`${running.url}/#${running.token}`)
    await tab.page.locator('main').waitFor()
    return tab
  }

  /** Goes to an address of the page. */
  async go(address: string): Promise<void> {
    await this.page.goto(`${this.#url}/#${address}`)
    await this.settled()
  }

  /** Resolves once nothing is being read. */
  async settled(): Promise<void> {
    await this.page.locator('main').waitFor()
    await this.page.waitForFunction(() => document.querySelectorAll('.loading, .bone').length === 0)
  }

  get address(): Promise<string> {
    return this.page.evaluate(() => location.hash.slice(1))
  }

  /** Returns what axe finds, a line each. */
  async findings(): Promise<string[]> {
    await this.page.evaluate(AXE)
    return this.page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: {
          run: () => Promise<{
            violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
          }>
        }
      }
      const { violations } = await axe.run()
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`,
        ),
      )
    })
  }

  /** Asks the API as the page does. */
  ask(path: string): Promise<Response> {
    return fetch(`${this.#url}/api${path}`, { headers: { authorization: `Bearer ${this.#token}` } })
  }
}

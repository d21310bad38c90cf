import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { script } from '../support/built.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import { TestServer } from '../support/restserver.ts'

/** What the pages of attackers run. */
const ATTACK = readFileSync(script('attack.mjs'), 'utf8').replace(/^[^]*?export /, '')

const CHROMIUM = '/usr/bin/chromium'

/** Names that the browser takes for this machine, as an attacker's name server would have it. */
const REBOUND = 'evil.test'

/** Starts a server of another origin on this machine, which answers every path with a page. */
async function attacker(page: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterTest(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const why = existsSync(CHROMIUM) ? '' : `: skipped, there is no ${CHROMIUM}`

describe.skipIf(why !== '')(`a server and pages in a real browser${why}`, () => {
  let browser: Browser
  let profile: string

  beforeAll(async () => {
    profile = mkdtempSync(join(tmpdir(), 'sess-browser-'))
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      env: { ...process.env, HOME: profile },
      args: [
        `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`,
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    })
  })
  afterAll(async () => {
    await browser.close()
    rmSync(profile, { recursive: true, force: true })
  })

  const opened = async (): Promise<Page> => {
    const context = await browser.newContext()
    afterTest(() => context.close())
    return context.newPage()
  }

  /** Starts a server that writes, with a page; returns it and what its log says at the end. */
  const serving = async (): Promise<{
    readonly server: TestServer
    readonly changed: () => Promise<boolean>
  }> => {
    const assets = newFolder()
    writeFileSync(join(assets, 'index.html'), '<!doctype html><title>sess</title><p>page')
    const server = await TestServer.start({ write: true, assets })
    const before = (await server.ask('/ops?limit=1')).text
    return { server, changed: async () => (await server.ask('/ops?limit=1')).text !== before }
  }

  it('shows nothing under a name that an attacker binds to this machine', async () => {
    const { server, changed } = await serving()
    const page = await opened()
    const port = server.url.split(':').at(-1)
    const response = await page.goto(`http://${REBOUND}:${port}/`)
    expect([response?.status(), await page.textContent('body')]).toEqual([
      421,
      expect.not.stringContaining('page'),
    ])
    // The page of that name is of the same origin as the server, for the browser.
    const read = await page.evaluate(
      async ({ token }) => {
        const get = await fetch('/api/sessions', { headers: { authorization: `Bearer ${token}` } })
        const post = await fetch('/api/undo', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: '{}',
        })
        return [get.status, await get.text(), post.status]
      },
      { token: server.running.token },
    )
    expect([read[0], read[2]]).toEqual([421, 421])
    expect(read[1]).not.toContain('session 0')
    expect(await changed()).toBe(false)
  })

  it.each([
    ['another port', (url: string) => url],
    ['another site', (url: string) => url.replace('127.0.0.1', REBOUND)],
  ])('lets pages of %s neither read nor write', async (_, place) => {
    const { server, changed } = await serving()
    const [id] = server.sessions
    const page = await opened()
    await page.goto(place(await attacker('<p>attack')))
    const { url, running } = server
    const outcomes = await page.evaluate<Record<string, string>>(
      `(${ATTACK})(${JSON.stringify({ api: url, token: running.token, session: id })})`,
    )
    const empty = new Set(['fetch without cors', 'write without cors', 'beacon'])
    for (const [name, outcome] of Object.entries(outcomes))
      expect([name, outcome]).toEqual([
        name,
        empty.has(name) ? expect.stringMatching(/^(?:refused)?$/) : 'refused',
      ])
    expect(await changed()).toBe(false)
  })

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])(
    'takes no form as %s',
    async (type) => {
      const { server, changed } = await serving()
      const form = `<form method="post" enctype="${type}" action="${server.url}/api/sessions/${server.sessions[0]}/label"><input name='{"label":"owned","x":"' value='"}'></form>`
      const page = await opened()
      await page.goto(await attacker(form))
      const [response] = await Promise.all([
        page.waitForResponse((one) => one.url().startsWith(server.url)),
        page.evaluate('document.forms[0].submit()'),
      ])
      expect(response.status()).toBe(403)
      expect(await changed()).toBe(false)
    },
  )

  it('is shown in no frame, and gives no hold to a page that opens it', async () => {
    const { server } = await serving()
    const page = await opened()
    await page.goto(await attacker(`<iframe src="${server.url}/"></iframe>`))
    const frame = page.frames().at(-1)
    expect((await frame?.content().catch(() => '')) ?? '').not.toContain('<p>page')
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`void (held = window.open('${server.url}'))`),
    ])
    await popup.waitForLoadState()
    expect(await popup.textContent('body')).toContain('page')
    expect(await page.evaluate('held.closed')).toBe(true)
  })

  it('serves its own page, which reads with the token alone', async () => {
    const { server } = await serving()
    const page = await opened()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    await page.goto(`${server.url}/#${server.running.token}`)
    const ask = (token: string): Promise<number> =>
      page.evaluate(async (secret) => {
        const { status } = await fetch('/api/sessions', { headers: { authorization: `Bearer ${secret}` } })
        return status
      }, token)
    expect(await ask(server.running.token)).toBe(200)
    expect(problems).toEqual([])
    expect(await ask('other')).toBe(401)
  })
})

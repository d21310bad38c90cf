import { describe, expect, it } from 'vitest'
import { CHROMIUM, SKIPPED, servePage, startBrowser, storeWith, Tab } from '../support/webpage.ts'

const BRANCHED = '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'

const labels = async (tab: Tab): Promise<string> => (await tab.ask(`/sessions/${BRANCHED}/labels`)).text()

const VIEWS: Readonly<Record<string, string>> = {
  'the sessions': '/',
  'the sessions of an agent': '/?agent=codex&measure=tokens&by=project',
  'a session': `/s/${BRANCHED}`,
  'all entries of a session': `/s/${BRANCHED}?filter=all`,
  'a branch': `/s/${BRANCHED}?b=at-1d9fca05`,
  'a comparison': `/compare?r=${BRANCHED}%2Fmain&r=${BRANCHED}%2Fat-1d9fca05`,
  'changed files': `/diff?a=${BRANCHED}%2Fat-1d9fca05&b=${BRANCHED}%2Fmain`,
  'a context': `/context?r=${BRANCHED}`,
  'branches side by side': `/beside?r=${BRANCHED}%2Fmain&r=${BRANCHED}%2Fat-1d9fca05`,
  'a timeline': `/timeline/${BRANCHED}`,
  'the operations': '/ops/1',
  'a search': '/search?q=clock',
  'a search without a hit': '/search?q=zebrafish',
  'the store': '/store',
  'the swarms': '/swarms',
  'an address that leads nowhere': '/nowhere',
}

describe.skipIf(!CHROMIUM)(`the web page${SKIPPED}`, () => {
  it('has no fault of accessibility in any view, in both themes and at phone width', async () => {
    const { dir } = await storeWith()
    const served = await servePage(dir)
    const browser = await startBrowser()
    const settings = [
      { colorScheme: 'light' },
      { colorScheme: 'dark' },
      { colorScheme: 'light', viewport: { width: 390, height: 844 } },
      { forcedColors: 'active' },
    ] as const
    const found: string[] = []
    for (const setting of settings) {
      const tab = await Tab.open(browser, served, setting)
      for (const [name, address] of Object.entries(VIEWS)) {
        await tab.go(address)
        found.push(...(await tab.findings()).map((one) => `${name} ${JSON.stringify(setting)}: ${one}`))
        const width = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (width > 0) found.push(`${name} ${JSON.stringify(setting)}: ${width} pixels too wide`)
      }
      expect(tab.offences).toEqual([])
    }
    expect(found).toEqual([])
  }, 300_000)

  it('shows on the first screen where it is, what it cost and what runs', async () => {
    const { dir, ids } = await storeWith([{ role: 'user', content: 'Go' }])
    const served = await servePage(dir)
    await served.say(ids[0] as string, 'All tests pass.')
    const tab = await Tab.open(await startBrowser(), served)
    await tab.settled()
    const { page } = tab
    expect(await tab.address).toBe('/')
    await expect
      .poll(() => page.locator('.now .card').allInnerTexts())
      .toEqual([expect.stringContaining('All tests pass.')])
    await expect.poll(() => page.locator('.fig .big').first().innerText()).toMatch(/^\$\d/)
    expect(await page.locator('a.s').count()).toBe(6)
    expect(tab.offences).toEqual([])
  })

  it('keeps an address over a reload and over Back, with the place that was read', async () => {
    const talk = Array.from({ length: 60 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${i}.\n\n${'It has several lines. '.repeat(30)}`,
    }))
    const { dir, ids } = await storeWith(talk)
    const tab = await Tab.open(await startBrowser(), await servePage(dir))
    const { page } = tab
    await page.locator('a.s', { hasText: 'made 0' }).click()
    await page.getByText('Message 59.', { exact: true }).waitFor()
    const reading = page.locator('.reading')
    await reading.hover()
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -700)
    const place = (): Promise<string> =>
      page.evaluate(() => {
        const { top } = (document.querySelector('.reading') as Element).getBoundingClientRect()
        const first = [...document.querySelectorAll('[data-turn]')].find(
          (turn) => turn.getBoundingClientRect().bottom > top + 8,
        )
        const offset = (first?.getBoundingClientRect().top ?? 0) - top
        // The browser rounds where it scrolls to.
        return `${first?.textContent?.match(/Message \d+/)?.[0]} ${Math.round(offset / 4)}`
      })
    // The place is kept some moments after the last move, and turns above it are read meanwhile.
    let before = ''
    await expect
      .poll(async () => {
        const former = before
        await page.waitForTimeout(700)
        before = await place()
        return before === former
      })
      .toBe(true)
    expect(before).not.toContain('Message 59')
    await page.reload()
    await tab.settled()
    await expect.poll(place).toBe(before)
    expect(await tab.address).toBe(`/s/${ids[0]}`)
    await page.goBack()
    await page.locator('a.s').first().waitFor()
    await page.goForward()
    await tab.settled()
    await expect.poll(place).toBe(before)
    expect(tab.offences).toEqual([])
  })

  it('picks an entry onto another branch after a preview, as one operation', async () => {
    const { dir } = await storeWith()
    const tab = await Tab.open(await startBrowser(), await servePage(dir, { write: true }))
    const { page } = tab
    await tab.go(`/s/${BRANCHED}`)
    const newest = async (): Promise<unknown> => (await tab.ask('/ops?limit=1')).json()
    const before = await newest()
    await page.getByRole('button', { name: 'Pick' }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText(/^Would append 1 entry to at-1d9fca05/).waitFor()
    expect(await newest()).toEqual(before)
    await page.locator('dialog[open]').getByRole('button', { name: 'Pick' }).click()
    await page.getByText('can be undone').waitFor()
    expect(await newest()).not.toEqual(before)
    await page.getByRole('link', { name: /^Operation/ }).click()
    await page.getByText('What it moved').waitFor()
    expect(tab.offences).toEqual([])
  })

  it('merges the branch that is read into another one after a preview, and takes it back', async () => {
    const { dir } = await storeWith()
    const tab = await Tab.open(await startBrowser(), await servePage(dir, { write: true }))
    const { page } = tab
    await tab.go(`/s/${BRANCHED}`)
    const tips = async (): Promise<unknown> => (await tab.ask(`/sessions/${BRANCHED}/branches`)).json()
    const before = await tips()
    await page.getByRole('button', { name: 'Merge' }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText(/^at-1d9fca05 would be merged: it lacks \d+ entries/).waitFor()
    expect(await tips()).toEqual(before)
    expect(await tab.findings()).toEqual([])
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await dialog.getByText('can be undone').waitFor()
    await expect.poll(tips).not.toEqual(before)
    await dialog.getByRole('link', { name: /^Operation/ }).click()
    await page.getByText('What it moved').waitFor()
    await page.getByRole('button', { name: 'Show what undoing it would do' }).click()
    await page.getByRole('button', { name: /^Undo operation/ }).click()
    await expect.poll(tips).toEqual(before)
    expect(tab.offences).toEqual([])
  })

  it('checks the store, and says what it found', async () => {
    const { dir } = await storeWith()
    const tab = await Tab.open(await startBrowser(), await servePage(dir))
    const { page } = tab
    await tab.go('/store')
    await page.getByText('Not checked yet').waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Sound').waitFor()
    await page.getByRole('button', { name: 'Check again' }).waitFor()
    const finding = { code: 'corrupt', subject: 'entry <b>1</b>', message: 'its checksum is wrong' }
    await page.route('**/api/store/check', (route) =>
      route.fulfill({
        json: {
          ok: false,
          findings: [finding],
          checked: { entries: 1, sessions: 1, records: 1, operations: 1 },
        },
      }),
    )
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('1 finding').waitFor()
    await page.getByText('entry <b>1</b>').waitFor()
    expect(await tab.findings()).toEqual([])
    expect(tab.offences).toEqual([])
  })

  it('asks another tab for the token', async () => {
    const { dir } = await storeWith()
    const served = await servePage(dir)
    const tab = await Tab.open(await startBrowser(), served)
    const second = await tab.page.context().newPage()
    await second.goto(`${served.running.url}/#/store`)
    await second.getByText('distinct entries').waitFor()
    expect(await second.evaluate(() => location.hash)).toBe('#/store')
  })

  it('shows a new entry within moments, and moves nothing that is read', async () => {
    const talk = Array.from({ length: 40 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${i}. ${'More words. '.repeat(60)}`,
    }))
    const { dir, ids } = await storeWith(talk)
    const served = await servePage(dir)
    const tab = await Tab.open(await startBrowser(), served)
    const { page } = tab
    const [id] = ids as [string]
    await tab.go(`/s/${id}`)
    await page.getByText('Message 39.').last().waitFor()
    await served.say(id, 'This is new.')
    await page.getByText('This is new.').last().waitFor()
    const bottom = (): Promise<number> =>
      page.locator('.reading').evaluate((pane) => pane.scrollHeight - pane.clientHeight - pane.scrollTop)
    await expect.poll(bottom).toBeLessThan(60)
    await page.locator('.reading').hover()
    await page.mouse.wheel(0, -900)
    await page.waitForTimeout(400)
    const top = await page.locator('.reading').evaluate((pane) => pane.scrollTop)
    await served.say(id, 'This is newer.')
    await page.getByRole('button', { name: /new/ }).waitFor()
    expect(await page.locator('.reading').evaluate((pane) => pane.scrollTop)).toBe(top)
    expect(tab.offences).toEqual([])
  })

  it('does everything by keys: finds, opens, goes through the tree, labels, compares, undoes', async () => {
    const { dir } = await storeWith()
    const tab = await Tab.open(await startBrowser(), await servePage(dir, { write: true }))
    const { page } = tab
    await tab.settled()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('hour off')
    await page.getByRole('option', { name: 'Tide table one hour off tides', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('.tree').waitFor()
    await tab.settled()
    expect(await tab.address).toBe(`/s/${BRANCHED}`)

    await page.keyboard.press('i')
    const active = (): Promise<string | null> =>
      page.locator('.tree').evaluate((tree) => {
        const id = tree.getAttribute('aria-activedescendant')
        return id === null ? null : (document.getElementById(id)?.textContent ?? null)
      })
    await page.keyboard.press('Home')
    await expect.poll(active).toContain('The tide table for Saint-Malo')
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toContain('Summer time began')
    await page.keyboard.press('End')
    await expect.poll(active).toContain('Added')
    await page.keyboard.type('fix it with a')
    await expect.poll(active).toContain('Fix it with a time zone library')
    await page.keyboard.press('Enter')
    await expect.poll(() => tab.address).toContain('b=at-1d9fca05')
    await page.getByText('which one').first().waitFor()

    await page.getByRole('button', { name: 'Label', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('with luxon')
    await page.keyboard.press('Enter')
    await page.getByText('can be undone').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => labels(tab)).toContain('with luxon')

    await page.getByRole('link', { name: 'Compare' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Since they parted').waitFor()
    await page.locator('main').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    const newest = page.locator('.op').first()
    await newest.waitFor()
    await newest.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Show what undoing it would do' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Undoing it would move').waitFor()
    expect(await labels(tab)).toContain('with luxon')
    await page.getByRole('button', { name: /^Undo operation/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('undone', { exact: true }).waitFor()
    expect(await labels(tab)).not.toContain('with luxon')

    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    expect(tab.offences).toEqual([])
  }, 120_000)
})

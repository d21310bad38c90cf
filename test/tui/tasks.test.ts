import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { importVerb } from '../../src/verbs/import.ts'
import { contextOf, openStore } from '../../src/verbs/open.ts'
import { expectScreen, TestBrowser } from '../support/browser.ts'
import { newFolder } from '../support/folder.ts'

const DEMO = fileURLToPath(new URL('../demo/sessions', import.meta.url))

/** The most keys that a task takes. */
const MAX_KEYS = 12

/** Opens the browser on the sample sessions, and counts the keys that are typed. */
async function openedSamples(): Promise<{
  readonly browser: TestBrowser
  readonly type: (...keys: string[]) => void
  /** Returns how many keys were typed since it was called last. */
  readonly keys: () => number
}> {
  const home = newFolder()
  const projects = join(home, '.claude/projects')
  cpSync(join(DEMO, 'claude'), join(projects, '-home-ada-tides'), { recursive: true })
  const store = await openStore(join(home, 'store'), { create: true, cwd: home })
  for (const path of [projects, join(DEMO, 'codex'), join(DEMO, 'pi')])
    await importVerb.run(contextOf(store), { path: [path] } as never)
  await store.close()
  const browser = await TestBrowser.open(store.dir, { machine: { home, variables: {} } })
  await expectScreen(browser, /1\/5/)
  let count = 0
  return {
    browser,
    type: (...keys) => {
      count += keys.length
      browser.type(...keys)
    },
    keys: () => {
      const typed = count
      count = 0
      return typed
    },
  }
}

it('finds a session by a word, shows where its attempts part, and resumes one, in few keys each', async () => {
  const { browser, type, keys } = await openedSamples()
  type('/', 'o', 'f', 'f', 'enter', 'down')
  await expectScreen(browser, /2\/2.*Tide table one hour off .*9\/9/)
  expect(keys()).toBeLessThanOrEqual(MAX_KEYS)

  type('tab', 'space', 'up', 'up', 'up', 'up', 'up', 'd')
  await expectScreen(browser, /diff 98c5e71acd eeb9681aa7[^]*merge base/)
  expect(keys()).toBeLessThanOrEqual(MAX_KEYS)

  await browser.escape()
  type('s')
  await expectScreen(browser, /switch .*\?/)
  type('enter')
  await expectScreen(browser, /done: /)
  type('R')
  await vi.waitFor(() => expect(browser.programs).toHaveLength(1), { timeout: 20_000 })
  expect(browser.programs[0]?.slice(0, 2)).toEqual(['claude', '--resume'])
  expect(keys()).toBeLessThanOrEqual(MAX_KEYS)
})

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { append } from '../../src/verbs/append.ts'
import { branch } from '../../src/verbs/branch.ts'
import { importVerb } from '../../src/verbs/import.ts'
import { newSession } from '../../src/verbs/new.ts'
import { contextOf, openStore, type VerbContext } from '../../src/verbs/open.ts'
import { switchHead } from '../../src/verbs/switch.ts'
import { type BrowserOptions, expectScreen, TestBrowser } from '../support/browser.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'

const says = (role: string, content: string) => ({ body: { role, content } })

let made = ''
let tides = ''

/** Creates a session and returns its id. */
const sessionOf = async (call: VerbContext, title: string): Promise<string> =>
  (await newSession.run(call, { title })).session

/** A store with two sessions: one whose attempts part after the first answer, and one with hostile text. */
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'sess-browse-'))
  const store = await openStore(made, { create: true, cwd: made })
  const call = contextOf(store)
  tides = await sessionOf(call, 'tides')
  const add = (session: string, ...entry: readonly object[]) => append.run(call, { session, entry } as never)
  await add(tides, says('user', 'When is high tide?'), says('assistant', 'At noon.'))
  await branch.run(call, { session: tides, name: 'other' })
  await add(tides, says('user', 'And tomorrow at Brest?'), says('assistant', 'At one.'))
  await switchHead.run(call, { revision: 'other', session: tides, root: false })
  await add(tides, says('user', 'And in winter?'), says('assistant', 'The same.'))
  await add(await sessionOf(call, 'evil \x1b]0;x\x07'), says('user', 'wipe \x1b[2J\x1b[31mred 👨‍👩‍👧‍👦 漢字'))
  await store.close()
})

afterAll(() => rmSync(made, { recursive: true, force: true }))

/** Opens the browser on a copy of the store. */
async function opened(options: BrowserOptions = {}): Promise<TestBrowser> {
  const folder = join(newFolder(), 'store')
  cpSync(made, folder, { recursive: true })
  const browser = await TestBrowser.open(folder, options)
  await expectScreen(browser, /1\/2/)
  return browser
}

/** Returns a store with two sessions of different folders. */
async function withTwoFolders(): Promise<string> {
  const folder = newFolder()
  const store = await openStore(join(folder, 'store'), { create: true, cwd: folder })
  for (const [sessionId, content] of [
    ['reef', 'Which buoy?'],
    ['atoll', 'Which lamp?'],
  ] as const) {
    const record = { type: 'user', uuid: sessionId, parentUuid: null, sessionId, cwd: `/w/${sessionId}` }
    const message = { role: 'user', content }
    const timestamp = '2026-03-01T10:00:00.000Z'
    const file = join(folder, `${sessionId}.jsonl`)
    writeFileSync(file, `${JSON.stringify({ ...record, timestamp, message })}\n`)
    await importVerb.run(contextOf(store), { path: [file] } as never)
  }
  await store.close()
  return store.dir
}

/** Opens the tree of the session about tides. */
async function openedTree(options: BrowserOptions = {}): Promise<TestBrowser> {
  const browser = await opened(options)
  browser.type('/', 't', 'i', 'd', 'e', 's', 'enter', 'tab')
  await expectScreen(browser, /@.*The same/)
  return browser
}

describe('the browser', () => {
  it('shows the sessions, the tree of the one at the cursor, and its current entry', async () => {
    const browser = await opened()
    browser.type('down')
    const screen = await expectScreen(browser, /@.*The same/)
    expect(screen[0]).toMatch(/sessions.*2\/2.*tree.*preview/)
    expect(screen.join('\n')).toContain('When is high tide?')
    expect(screen.at(-1)).toMatch(/resume.*tree.*leave/)
  })

  it('says above the preview what the session at the cursor is', async () => {
    const browser = await opened()
    browser.type('/', 't', 'i', 'd', 'e', 's', 'enter')
    const screen = (await expectScreen(browser, /sessions: tides.*1\/1/)).join('\n')
    expect(screen).toMatch(/│ tides\b/)
    expect(screen).toMatch(/sess · .*6 entries/)
    browser.type('tab')
    const inTree = (await expectScreen(browser, /go here/)).join('\n')
    expect(inTree).not.toMatch(/6 entries/)
  })

  it('gives the words of prompts and hits the room of a narrow pane', async () => {
    const browser = await openedTree({ columns: 120, rows: 30 })
    browser.type('f')
    await expectScreen(browser, /[0-9a-f]{10} And in winter\?/)
    await browser.escape()
    browser.type('F', ...'winter', 'enter')
    await expectScreen(browser, /│ tides .*And in winter\?/)
  })

  it('leaves out hints for which a line has no room, but not how to leave', async () => {
    const browser = await opened({ columns: 60, rows: 20 })
    browser.type('tab')
    const last = (await expectScreen(browser, /go here/)).at(-1) as string
    expect(last).toMatch(/search .*keys .*leave$/)
    expect(last).not.toContain('undo')
  })

  it('shows hostile text as text', async () => {
    const browser = await opened()
    const screen = (await expectScreen(browser, /wipe/)).join('\n')
    expect(screen).toContain('\\x1b[2J')
    expect(screen).toContain('evil \\x1b]0;x\\x07')
  })

  it('finds a session by a word, and Enter says that no agent has it', async () => {
    const browser = await opened()
    browser.type('/', 't', 'i', 'd')
    const screen = await expectScreen(browser, /sessions: tid/)
    expect(screen.filter((line) => line.includes('evil'))).toEqual([])
    browser.type('enter', 'enter')
    await expectScreen(browser, /no known agent resumes/)
    expect(browser.programs).toEqual([])
  })

  it('moves to an entry as pi does: to before a prompt, with its text for the end', async () => {
    const browser = await openedTree()
    browser.type('up', 'enter')
    await expectScreen(browser, /go to .*\?/)
    browser.type('enter')
    await expectScreen(browser, /its text is printed when you leave/)
    browser.type('q')
    expect(await browser.ended).toEqual({ code: 0, output: 'And in winter?' })
  })

  it('drops a change that is not wanted', async () => {
    const browser = await openedTree()
    browser.type('B')
    await expectScreen(browser, /start a session at .*\?/)
    await browser.escape()
    await expectScreen(browser, /nothing was changed/)
    expect((await browser.screen())[0]).toMatch(/1\/1/)
  })

  it('forks, and undoes that by one key with a preview', async () => {
    const browser = await openedTree()
    browser.type('f')
    // Only prompts are offered, the newest first.
    const prompts = await expectScreen(browser, /fork before which prompt/)
    await expectScreen(browser, /And in winter/)
    expect(prompts.join('\n')).not.toMatch(/assistant/)
    browser.type('enter')
    await expectScreen(browser, /start a session before .*\?/)
    browser.type('enter')
    await expectScreen(browser, /done: session 01.* at /)
    browser.type('u')
    await expectScreen(browser, /undo the last operation\?/)
    browser.type('enter')
    await expectScreen(browser, /done: operation \d+/)
    browser.type('W')
    const screen = (await expectScreen(browser, /commands/)).join('\n')
    expect(screen).toMatch(/sess fork [0-9a-f]+/)
    expect(screen).toContain('sess undo')
  })

  it('labels an entry in its row, and an empty label removes it', async () => {
    const browser = await openedTree()
    browser.type('L', 'g', 'o', 'o', 'd', 'enter')
    await expectScreen(browser, /\[good\]/)
    browser.type('L', ...Array.from({ length: 4 }, () => 'backspace'), 'enter')
    await expectScreen(browser, /done: label good removed/)
    await expect.poll(async () => (await browser.screen()).join('\n')).not.toContain('[good]')
  })

  it('shows the diff of a mark and another entry', async () => {
    const browser = await openedTree()
    browser.type('space')
    await expectScreen(browser, /1 marked/)
    browser.type('g')
    browser.type('/', 'B', 'r', 'e', 's', 't', 'enter')
    await expectScreen(browser, /\/Brest/)
    browser.type('d')
    await expectScreen(browser, /diff [0-9a-f]{6}/)
    await browser.escape()
    await expectScreen(browser, /tree tides/)
  })

  it('refuses a change that was decided on a tip that moved meanwhile', async () => {
    const browser = await openedTree()
    browser.type('up', 's')
    await expectScreen(browser, /switch the session to .*\?/)
    await append.run(contextOf(browser.store), {
      session: tides,
      entry: [says('user', 'meanwhile')],
    })
    browser.type('enter')
    await expectScreen(browser, /moved it meanwhile/)
  })

  it('shows what another writer appends, without moving the cursor', async () => {
    const browser = await openedTree()
    browser.type('up')
    const entry = [says('assistant', 'A new answer')]
    await append.run(contextOf(browser.store), { session: tides, entry })
    const screen = await expectScreen(browser, /A new answer/)
    expect(screen.join('\n')).toMatch(/And in winter/)
  })

  it.each([
    ['l', /log tides/],
    ['v', /reader tides/],
    ['o', /operations/],
    ['C', /context at/],
    ['W', /commands/],
    ['?', / keys .*\n.*In every pane/],
  ])('opens a view with %s, and Escape goes back', async (key, title) => {
    const browser = await openedTree()
    browser.type(key)
    await expectScreen(browser, title)
    await browser.escape()
    await expectScreen(browser, /tree tides/)
  })

  it('finds text in all sessions, and Enter opens the tree at the hit', async () => {
    const browser = await opened()
    browser.type('F', 'B', 'r', 'e', 's', 't', 'enter')
    await expectScreen(browser, /hits of Brest/)
    await expectScreen(browser, /And tomorrow at Brest/)
    browser.type('enter')
    await expectScreen(browser, /tree tides/)
  })

  it('searches at once where text does so, and picks', async () => {
    const browser = await opened({ picks: 'entry' })
    browser.type('t', 'i', 'd', 'e')
    await expectScreen(browser, /sessions: tide/)
    browser.type('enter')
    const { code, output } = await browser.ended
    expect([code, output]).toEqual([0, tides])
  })

  it('picks the session of an entry, among those of a folder', async () => {
    const browser = await TestBrowser.open(await withTwoFolders(), { picks: 'session', folder: '/w/reef' })
    await expectScreen(browser, /sessions +1\/1/)
    browser.type('tab')
    await expectScreen(browser, /@.*Which buoy/)
    browser.type('enter')
    expect(await browser.ended).toEqual({ code: 0, output: 'reef' })
  })

  it('ends with 1 where nothing is picked', async () => {
    const browser = await opened({ picks: 'entry' })
    await browser.escape()
    expect(await browser.ended).toEqual({ code: 1, output: null })
  })

  it('leaves a digest of the path on wish', async () => {
    const browser = await openedTree()
    browser.type('g', 'enter')
    await expectScreen(browser, /go to .*\?/)
    browser.type('d')
    await expectScreen(browser, /done: /)
    browser.type('W')
    await expectScreen(browser, /sess navigate .* --digest/)
  })

  it('offers to import what agents have where there is no session', async () => {
    const { HOME } = process.env
    const home = newFolder()
    process.env.HOME = home
    afterTest(() => (process.env.HOME = HOME))
    mkdirSync(join(home, '.pi/agent/sessions/--work--'), { recursive: true })
    const session = fileURLToPath(new URL('../demo/sessions/pi/', import.meta.url))
    cpSync(session, join(home, '.pi/agent/sessions/--work--'), { recursive: true })
    const browser = await TestBrowser.open(join(newFolder(), 'store'))
    await expectScreen(browser, /1 pi\n?/)
    browser.type('enter')
    await expectScreen(browser, /back from sess import/)
    expect(browser.programs).toEqual([['sess', 'import']])
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('gives the terminal back after %s', async (signal) => {
    const browser = await opened()
    expect([browser.isRaw, await browser.isAlternate()]).toEqual([true, true])
    browser.signal(signal)
    await browser.ended
    expect([browser.isRaw, await browser.isAlternate()]).toEqual([false, false])
  })

  it.each([
    [1, 1],
    [10, 4],
    [40, 12],
    [80, 24],
    [200, 60],
  ])('is drawn at %i columns and %i rows', async (columns, rows) => {
    const folder = join(newFolder(), 'store')
    cpSync(made, folder, { recursive: true })
    const browser = await TestBrowser.open(folder, { columns, rows })
    browser.type('j', 'tab', 'l')
    await browser.escape()
    browser.type('q')
    expect((await browser.ended).code).toBe(0)
  })
})

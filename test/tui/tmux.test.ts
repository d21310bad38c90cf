import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { script } from '../support/built.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import { smallStore } from '../support/smallstore.ts'

const hasTmux = spawnSync('tmux', ['-V']).status === 0

/** A shell in a real terminal, in a tmux server of its own. */
class RealTerminal {
  readonly #socket = `sess-${randomUUID()}`

  constructor(columns: number, rows: number, folder: string) {
    this.#run('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, '-c', folder, 'env PS1="ready> " sh')
    afterTest(() => spawnSync('tmux', ['-L', this.#socket, 'kill-server']))
  }

  type(...keys: readonly string[]): void {
    this.#run('send-keys', ...keys)
  }

  get screen(): string {
    return this.#run('capture-pane', '-p')
  }

  /** Returns whether the alternate screen is shown, and whether the cursor is. */
  get state(): string {
    return this.#run('display', '-p', '#{alternate_on} #{cursor_flag}').trim()
  }

  #run(...words: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...words], { encoding: 'utf8' })
  }
}

/** Waits until the screen shows a match. */
const expectShown = (terminal: RealTerminal, match: RegExp): Promise<void> =>
  vi.waitFor(
    () => {
      if (!match.test(terminal.screen)) throw new Error(`${match} does not match:\n${terminal.screen}`)
    },
    { timeout: 20_000 },
  )

const sess = `${process.execPath} ${script('../../bin/sess.js')}`

/** Opens a shell whose store has some sessions. */
async function shellWithStore(columns = 80, rows = 24): Promise<RealTerminal> {
  const { dir } = await smallStore()
  const folder = newFolder()
  cpSync(dir, join(folder, 'store'), { recursive: true })
  const terminal = new RealTerminal(columns, rows, folder)
  await expectShown(terminal, /ready>/)
  terminal.type(`export SESS_STORE=${folder}/store`, 'Enter')
  return terminal
}

const SHOWN = '1 0'
const GIVEN_BACK = '0 1'

describe.skipIf(!hasTmux)('the browser in a real terminal', () => {
  it('is shown by sess alone, and gives the terminal back when it is left', async () => {
    const terminal = await shellWithStore()
    terminal.type(sess, 'Enter')
    await expectShown(terminal, /sessions +1\/\d+/)
    expect(terminal.state).toBe(SHOWN)
    terminal.type('Tab')
    await expectShown(terminal, / tree /)
    terminal.type('q')
    await expect.poll(() => terminal.state).toBe(GIVEN_BACK)
  })

  it('stops for Ctrl+Z and goes on after fg', async () => {
    const terminal = await shellWithStore()
    terminal.type(`${sess} browse`, 'Enter')
    await expectShown(terminal, /sessions +1\/\d+/)
    terminal.type('C-z')
    await expect.poll(() => terminal.state).toBe(GIVEN_BACK)
    terminal.type('fg', 'Enter')
    await expect.poll(() => terminal.state).toBe(SHOWN)
    await expectShown(terminal, /sessions +1\/\d+/)
    terminal.type('C-c')
    await expect.poll(() => terminal.state).toBe(GIVEN_BACK)
  })

  it('picks while standard output goes elsewhere', async () => {
    const terminal = await shellWithStore(100, 30)
    terminal.type(`chosen=$(${sess} pick); echo "code $? chosen $chosen"`, 'Enter')
    await expectShown(terminal, /sessions +1\/\d+/)
    terminal.type('Enter')
    await expectShown(terminal, /code 0 chosen \S+/)
    terminal.type(`${sess} pick; echo "code $?"`, 'Enter')
    await expectShown(terminal, /sessions +1\/\d+/)
    terminal.type('Escape')
    await expectShown(terminal, /code 1/)
  })
})

// The browser on a terminal of its own, which `script` of util-linux makes: frames end as synchronised output does.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../measure.mjs'

const FRAME_END = '\x1b[?2026l'
const SIZE = 'stty cols 140 rows 40'
const KEY_INTERVAL = 150

/** A browser on a terminal: its output so far, and when its last frame ended. */
class BrowserTerminal {
  #child
  output = ''
  frameAt = 0

  constructor(words, env) {
    const command = `${SIZE}; exec "$NODE_PROGRAM" ${words.map((_, i) => `"$WORD_${i}"`).join(' ')}`
    const named = Object.fromEntries(words.map((word, i) => [`WORD_${i}`, word]))
    this.#child = spawn('script', ['-qfec', command, '/dev/null'], {
      env: { ...process.env, ...env, ...named, NODE_PROGRAM: process.execPath, TERM: 'xterm-256color' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.output = (this.output + text).slice(-200_000)
      if (text.includes(FRAME_END)) this.frameAt = performance.now()
    })
  }

  type(bytes) {
    this.#child.stdin.write(bytes)
  }

  /** Waits until the terminal has shown a text. */
  async until(text) {
    const end = performance.now() + 60_000
    while (!this.output.includes(text)) {
      if (performance.now() > end) throw new Error(`the browser never showed ${JSON.stringify(text)}`)
      await pause(5)
    }
  }

  /** Returns the memory in bytes that the browser had resident at most: it is the only child of `script`. */
  peak() {
    const { pid } = this.#child
    const [browser] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${browser}/status`, 'utf8'))[1]) * 1024
  }

  async leave() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.type('q')
    await Promise.race([ended, pause(5000)])
    this.#child.kill()
  }
}

const open = ({ sess, store, session = [] }) =>
  new BrowserTerminal([sess, '--store', store, 'browse', ...session], {})

/** Returns the milliseconds from the start of the browser to its first frame with sessions. */
export async function firstFrame(input) {
  const start = performance.now()
  const terminal = open(input)
  await terminal.until('1/')
  const ms = performance.now() - start
  await terminal.leave()
  return { ms }
}

/** Returns how long keys take to their finished frames in the tree of a session, and the peak memory of the browser. */
export async function keys({ times, ...input }) {
  const terminal = open({ ...input, session: [input.session] })
  await terminal.until('@')
  // The exact counts are known then.
  await pause(4000)
  const taken = []
  for (let i = 0; i < times; i++)
    for (const key of ['k', 'k', 'j', '\x1b[5~', 'k', 'j', '\x1b[6~', 'k']) {
      const start = performance.now()
      terminal.type(key)
      await pause(KEY_INTERVAL)
      if (terminal.frameAt > start) taken.push(terminal.frameAt - start)
    }
  const peak = terminal.peak()
  await terminal.leave()
  const sorted = taken.toSorted((a, b) => a - b)
  return { middle: median(taken), slow: sorted[Math.floor(sorted.length * 0.99)], memory: peak }
}

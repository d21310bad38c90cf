// Shared by all rows: a folder of their own, the sizes, sess and git as commands, stores and files made once.
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { besideProcess, filesIn, inProcess, sizeOf, timed } from './measure.mjs'
import { peerModule, Skipped } from './peers.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SESS = join(ROOT, 'bin/sess.js')
const PEAK = fileURLToPath(new URL('work/peak.mjs', import.meta.url))
const CPU = fileURLToPath(new URL('work/cpu.mjs', import.meta.url))
const REPARSE = fileURLToPath(new URL('work/reparse.mjs', import.meta.url))
const LIBRARY = new URL('../../dist/index.js', import.meta.url).href

/**
 * The sizes: entries of sessions; sessions of a large store and the entries of each; bytes of varied transcripts and of a
 * file that grows, of Claude Code and of other formats; the factor on the runs of a median; with --quick, bytes of real
 * transcripts.
 */
const FULL = {
  entries: 100_000,
  long: 1_000_000,
  middle: 10_000,
  short: 1000,
  sessions: 10_000,
  each: 95,
  varied: 200e6,
  grown: 50e6,
  grownOthers: 10e6,
  runs: 1,
}
const QUICK = {
  entries: 3000,
  long: 10_000,
  middle: 2000,
  short: 1000,
  sessions: 200,
  each: 40,
  varied: 2e6,
  grown: 2e6,
  grownOthers: 1e6,
  transcripts: 6e6,
  runs: 0.3,
}

/** One run of the benchmarks. */
export class Bench {
  root = ROOT
  temp = mkdtempSync(join(tmpdir(), 'sess-bench-'))
  size
  quick
  #corpus
  #made = new Map()
  #env

  constructor({ quick, corpus }) {
    this.quick = quick
    this.size = quick ? QUICK : FULL
    this.#corpus = resolve(corpus)
    const own = {
      HOME: this.temp,
      XDG_DATA_HOME: this.temp,
      XDG_CONFIG_HOME: this.temp,
      GIT_CONFIG_NOSYSTEM: '1',
    }
    this.#env = { ...process.env, ...own }
    process.on('exit', () => rmSync(this.temp, { recursive: true, force: true }))
  }

  /** Returns how often a thing is measured that a whole run measures so many times: an odd number. */
  times(whole) {
    return Math.max(1, Math.ceil(whole * this.size.runs)) | 1
  }

  path(name) {
    return join(this.temp, name)
  }

  /** Returns the folder of all real transcripts. Throws `Skipped`. */
  wholeCorpus() {
    if (!existsSync(this.#corpus)) throw new Skipped(`no transcripts at ${this.#corpus}`)
    return this.#corpus
  }

  /** Returns the folder of real transcripts to measure: with --quick some of them. Throws `Skipped`. */
  corpus() {
    const whole = this.wholeCorpus()
    return this.quick ? this.once('some transcripts', () => this.#some()) : whole
  }

  #some() {
    const folder = this.path('transcripts')
    let left = this.size.transcripts
    for (const file of filesIn(this.#corpus)) {
      if (sizeOf(file) > left) continue
      left -= sizeOf(file)
      cpSync(file, join(folder, relative(this.#corpus, file)))
    }
    return folder
  }

  /** Makes something that several rows need, once. */
  once(key, make) {
    if (!this.#made.has(key)) this.#made.set(key, make())
    return this.#made.get(key)
  }

  /** Runs a command with a home of its own and gives what it prints. */
  run(command, args, { cwd = this.temp, input, ...more } = {}) {
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore']
    const env = { ...this.#env, ...more }
    return execFileSync(command, args, { cwd, env, stdio, input, maxBuffer: 1 << 30 }).toString()
  }

  /**
   * Returns the milliseconds that a command takes. Discards its output; `input` is a file for its standard input, and
   * what else is given is added to its environment.
   */
  time(command, args, { cwd = this.temp, input, ...more } = {}) {
    const stdin = input === undefined ? 'ignore' : openSync(input)
    let done
    const taken = timed(() => {
      const env = { ...this.#env, ...more }
      done = spawnSync(command, args, { cwd, env, stdio: [stdin, 'ignore', 'ignore'] })
    })
    if (input !== undefined) closeSync(stdin)
    if (done.status !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${done.status ?? done.signal}`)
    return taken
  }

  /** The program of the command line. */
  sessProgram = SESS

  /** Returns the words of a call of the command line on a store. */
  sessWords(store, ...args) {
    return [SESS, '--store', store, ...args]
  }

  sess(store, ...args) {
    return this.run(process.execPath, this.sessWords(store, ...args))
  }

  timeSess(store, ...args) {
    return this.time(process.execPath, this.sessWords(store, ...args))
  }

  /** Returns the milliseconds of CPU that a call of the command line on a store takes, of all its threads. */
  cpuOfSess(store, ...args) {
    return this.cpuOfSessReading(undefined, store, ...args)
  }

  /** Returns the same of a call that reads a file as its standard input. */
  cpuOfSessReading(input, store, ...args) {
    const CPU_FILE = this.path('cpu')
    const words = ['--import', CPU, ...this.sessWords(store, ...args)]
    this.time(process.execPath, words, { CPU_FILE, input })
    return Number(readFileSync(CPU_FILE, 'utf8'))
  }

  /** Imports a folder into a new store. Returns the milliseconds that the command takes and its peak memory. */
  timeImport(store, folder) {
    rmSync(store, { recursive: true, force: true })
    const PEAK_FILE = `${store}.peak`
    const words = ['--import', PEAK, ...this.sessWords(store, 'import', folder, '--all', '--json')]
    const ms = this.time(process.execPath, words, { PEAK_FILE })
    return { ms, peak: Number(readFileSync(PEAK_FILE, 'utf8')) }
  }

  /** Returns the memory resident at most of a call of the command line on a store. */
  peakOfSess(store, ...args) {
    const PEAK_FILE = this.path('peak')
    this.time(process.execPath, ['--import', PEAK, ...this.sessWords(store, ...args)], { PEAK_FILE })
    return Number(readFileSync(PEAK_FILE, 'utf8'))
  }

  /** Returns the milliseconds that a bare program takes to parse, serialise, compare and hash each record of a folder. */
  timeReparse(folder) {
    return this.time(process.execPath, [REPARSE, folder])
  }

  git(cwd, ...args) {
    return this.run('git', [...this.gitWords, ...args], { cwd })
  }

  timeGit(cwd, ...args) {
    return this.time('git', [...this.gitWords, ...args], { cwd })
  }

  /** Returns the milliseconds that git takes to import a stream into a fresh repository. */
  timeFastImport(repo, stream) {
    rmSync(repo, { recursive: true, force: true })
    this.git(this.temp, 'init', '-q', '--bare', repo)
    return this.time('git', ['-C', repo, 'fast-import', '--quiet'], { input: stream })
  }

  gitWords = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']

  /** Calls a function of `work/` in a process of its own, with the library and what else it asks for. */
  work(module, name, input = {}) {
    return inProcess(this.#env, module, name, { library: LIBRARY, ...input })
  }

  /** Begins to call one that does not end by itself, and gives the process. */
  begin(module, name, input = {}) {
    return besideProcess(this.#env, module, name, { library: LIBRARY, ...input })
  }

  /** Returns the URL of the module of a peer, or throws `Skipped`. */
  peer(name) {
    return this.once(`peer ${name}`, () => peerModule(name, { compile: !this.quick }))
  }

  /** Imports into stores, beside each other; gives of each its first session and the memory resident at most. */
  imports(...jobs) {
    const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`
    const commands = jobs.map(({ store, path }) => {
      const words = ['--import', PEAK, ...this.sessWords(store, 'import', path, '--json')]
      const call = [process.execPath, ...words].map(quoted).join(' ')
      return `PEAK_FILE=${quoted(`${store}.peak`)} ${call} > ${quoted(`${store}.json`)} &`
    })
    this.run('sh', ['-c', `${commands.join(' ')} wait`])
    return jobs.map(({ store }) => {
      const [first] = readFileSync(`${store}.json`, 'utf8').split('\n')
      return {
        store,
        session: JSON.parse(first).session,
        peak: Number(readFileSync(`${store}.peak`, 'utf8')),
      }
    })
  }
}

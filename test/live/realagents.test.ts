import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codexHooks } from '../../src/live/codextrust.ts'
import { newFolder } from '../support/folder.ts'
import { INSTALLED, installed } from '../support/installed.ts'
import { type ModelServer, modelServer } from '../support/modelserver.ts'

const SESS = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))

interface RealAgent {
  readonly name: string
  readonly package: string
  readonly program: string
  /** The words that ask one question. */
  readonly ask: (question: string) => readonly string[]
  readonly variables?: (url: string) => Readonly<Record<string, string>>
  /** Writes the settings by which it asks the model at an address. */
  readonly prepare?: (home: string, url: string) => void
  /** The folder with its sessions, and which files they are; undefined for a database. */
  readonly sessions: readonly [folder: string, files: RegExp]
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const REAL: readonly RealAgent[] = [
  {
    name: 'claude-code',
    package: '@anthropic-ai/claude-code@2.1.330',
    program: 'claude',
    ask: (question) => ['-p', question],
    variables: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-ant-fake',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    sessions: ['.claude/projects', /\.jsonl$/],
  },
  {
    name: 'codex',
    package: '@openai/codex@0.169.0',
    program: 'codex',
    ask: (question) => ['exec', '--skip-git-repo-check', question],
    prepare: (home, url) =>
      put(
        join(home, '.codex/config.toml'),
        `model = "fake"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nwire_api = "responses"\n`,
      ),
    sessions: ['.codex/sessions', /\.jsonl$/],
  },
  {
    name: 'gemini-cli',
    package: '@google/gemini-cli@0.61.0',
    program: 'gemini',
    ask: (question) => ['--skip-trust', '-m', 'gemini-2.5-flash', '-p', question],
    variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'fake' }),
    prepare: (home) =>
      put(
        join(home, '.gemini/settings.json'),
        '{\n  // of the test\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
      ),
    sessions: ['.gemini/tmp', /chats\/.*\.jsonl$/],
  },
  {
    name: 'pi',
    package: '@mariozechner/pi-coding-agent@0.73.1',
    program: 'pi',
    ask: (question) => ['--provider', 'fake', '--model', 'm', '-p', question],
    prepare: (home, url) => {
      const model = {
        id: 'm',
        name: 'm',
        reasoning: false,
        input: ['text'],
        contextWindow: 9000,
        maxTokens: 900,
      }
      const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const fake = {
        baseUrl: `${url}/v1`,
        api: 'openai-completions',
        apiKey: 'k',
        models: [{ ...model, cost: free }],
      }
      put(join(home, '.pi/agent/models.json'), JSON.stringify({ providers: { fake } }))
    },
    sessions: ['.pi/agent/sessions', /\.jsonl$/],
  },
  {
    name: 'opencode',
    package: 'opencode-ai@1.18.33',
    program: 'opencode',
    ask: (question) => ['run', question],
    prepare: (home, url) => {
      const options = { baseURL: `${url}/v1`, apiKey: 'k' }
      const fake = { npm: '@ai-sdk/openai-compatible', name: 'fake', options, models: { m: { name: 'm' } } }
      const $schema = 'https://opencode.ai/config.json'
      const settings = { $schema, provider: { fake }, model: 'fake/m', autoupdate: false, share: 'disabled' }
      put(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings))
    },
    sessions: ['.local/share/opencode', /nothing/],
  },
]

/** How long the store may take to have everything after an agent has ended, in milliseconds. */
const MAX_DELAY = 3000

describe.skipIf(INSTALLED === undefined)('a real agent that is set up', { timeout: 600_000 }, () => {
  let model: ModelServer
  beforeAll(async () => {
    model = await modelServer('High tide is at noon.')
  })
  afterAll(() => model.close())

  it.each(REAL)('$name has its session in the store when it has ended', async (agent) => {
    const program = installed(agent.package, `.bin/${agent.program}`)
    const { home, cwd, variables } = machineFor(agent, model.url)
    const sess = (...words: readonly string[]): string => sessWith(cwd, variables, ...words)
    const settings = snapshot(home)
    sess('setup', agent.name)
    expect(sess('setup', '--check', '--json')).toContain(`"agent":"${agent.name}","title":`)
    const { stdout, code } = await asked([program, ...agent.ask('When is high tide?')], cwd, variables)
    expect([code, stdout]).toEqual([0, expect.stringContaining('High tide is at noon.')])
    expect(model.asked.length).toBeGreaterThan(0)

    const ended = Date.now()
    const files = sessionFiles(home, agent.sessions)
    const listed = (): string => sess('ls', '--json', '--agent', agent.name)
    const hasAll = (): boolean => {
      const sessions = listed()
        .split('\n')
        .filter((line) => line !== '')
      if (files.length === 0) return sessions.some((line) => line.includes('"entries":2'))
      return files.every((path) =>
        sessions.some((line) => {
          const { id, source } = JSON.parse(line) as { readonly id: string; readonly source: string }
          return source === path && sess('export', id) === readFileSync(path, 'latin1')
        }),
      )
    }
    await expect.poll(hasAll, { timeout: 30_000 }).toBe(true)
    const seen = Date.now() - ended
    expect(listed()).toContain('When is high tide?')
    // When each file was imported last, or when it was seen here: a database changes once more where nothing is new.
    const times = snapshot(join(home, '.local/share/sess-live/saved')).map(
      ([, text]) => (JSON.parse(text) as { readonly time: number }).time,
    )
    const delay = Math.min(seen, Math.max(...times) - ended)
    console.log(`${agent.name}: in the store ${delay} ms after the agent had ended`)
    expect(delay).toBeLessThan(MAX_DELAY)

    const lock = join(home, '.local/share/sess-live/settler.lock')
    await expect.poll(() => existsSync(lock), { timeout: 15_000 }).toBe(false)
    expect(existsSync(join(home, '.local/share/sess-live/faults.jsonl'))).toBe(false)
    sess('setup', '--uninstall')
    for (const [path, text] of settings)
      if (!AGENTS_OWN.test(path)) expect([path, readFileSync(path, 'utf8')]).toEqual([path, text])
  })

  it.each(REAL)('$name that is run once tells by its hooks which session is its own', async (agent) => {
    const program = installed(agent.package, `.bin/${agent.program}`)
    const { home, cwd, variables } = machineFor(agent, model.url)
    const path = `${dirname(program)}:${variables.PATH}`
    const [question = '', ...words] = [...agent.ask('When is high tide?')].reverse()
    // The words of the agent that are no way to ask: these `sess run` knows.
    const more = words.reverse().filter((word) => !['-p', 'exec', 'run'].includes(word))
    const { stdout, stderr, code } = await asked(
      [
        process.execPath,
        SESS,
        'run',
        agent.program,
        '-p',
        '--prompt',
        question,
        '--title',
        'Tides',
        '--',
        ...more,
      ],
      cwd,
      { ...variables, PATH: path },
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('High tide is at noon.')])
    expect(stderr).toMatch(/has \d+ new entries, \d+ in all/)
    expect(sessWith(cwd, variables, 'ls')).toContain('Tides')
    // It is made by the first hook, and empty once the run has read what they told. Gemini CLI takes none for one run.
    const runs = join(home, '.local/share/sess-live/runs')
    if (agent.name === 'gemini-cli') expect(existsSync(runs)).toBe(false)
    else expect(readdirSync(runs)).toEqual([])
    await expect
      .poll(() => existsSync(join(home, '.local/share/sess-live/settler.lock')), { timeout: 15_000 })
      .toBe(false)
  })

  it('codex runs the hooks that are trusted by the hash that is computed here', async () => {
    const agent = REAL.find(({ name }) => name === 'codex') as RealAgent
    const program = installed(agent.package, `.bin/${agent.program}`)
    const { home, cwd, variables } = machineFor(agent, model.url)
    sessWith(cwd, variables, 'setup', 'codex')
    const [hooks, settings] = [join(home, '.codex/hooks.json'), join(home, '.codex/config.toml')]
    const launcher = join(home, '.local/share/sess-live/sess')
    const named = codexHooks(hooks, readFileSync(hooks, 'utf8'), `'${launcher}' hook codex`)
    const state = named.map(({ key, hash }) => `[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`)
    // Without notify only hooks can tell of the session.
    const own = readFileSync(settings, 'utf8').replace(/^notify = .*\n/m, '')
    writeFileSync(settings, `${own}\n${state.join('')}`)
    expect(sessWith(cwd, variables, 'setup', '--check')).not.toMatch(/trusted yet|not the one/)
    const { code } = await asked([program, ...agent.ask('When is high tide?')], cwd, variables)
    expect(code).toBe(0)
    await expect
      .poll(() => sessWith(cwd, variables, 'ls', '--json'), { timeout: 20_000 })
      .toContain('When is high tide?')
  })
})

/** Returns the home of a user of an agent, its settings, and a folder to work in. */
function machineFor(agent: RealAgent, url: string) {
  const home = newFolder()
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  agent.prepare?.(home, url)
  const variables: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ...agent.variables?.(url),
  }
  return { home, cwd, variables }
}

/** Runs a command of sess; returns what it printed. */
const sessWith = (cwd: string, env: Readonly<Record<string, string>>, ...words: readonly string[]): string =>
  spawnSync(process.execPath, [SESS, ...words], { cwd, env, maxBuffer: 1 << 28 }).stdout.toString('latin1')

/** Settings that agents rewrite themselves when they run. */
const AGENTS_OWN = /\.claude\.json$|state\.json$|installation_id$/

/** Returns the files below a folder, by their paths. */
function snapshot(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, 'utf8')])
}

const sessionFiles = (home: string, [folder, files]: RealAgent['sessions']): string[] =>
  existsSync(join(home, folder))
    ? readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => files.test(name))
        .map((name) => join(home, folder, name))
    : []

/** Runs a program without input; returns what it printed. */
function asked(
  [program = '', ...words]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }> {
  return new Promise((done, reject) => {
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.on('error', reject)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('close', (code) => {
      if (code !== 0) appendFileSync(join(cwd, 'stderr'), stderr)
      done({ stdout: stdout + (code === 0 ? '' : stderr), stderr, code })
    })
  })
}

import { appendFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noteRun } from '../../src/live/runnotes.ts'
import { Shell } from '../support/shell.ts'

const ID = '019e0000-0000-7000-8000-000000000001'
const FILE = `.pi/agent/sessions/--home-ada--/2026-05-01T12-00-00-000Z_${ID}.jsonl`

const NO_NOTE = { agent: 'pi', path: null, session: null, subagent: null, cwd: null, store: null, time: 0 }
const EXTENSION = '.local/share/sess-live/extensions/pi.js'

/** An agent that writes a session of pi when it is run, and notes how it was called. */
function agentIn(shell: Shell, code = 0) {
  const calls: {
    words: readonly string[]
    store: string | undefined
    hooks: string | undefined
    terminal: boolean
  }[] = []
  const line = (value: object): string =>
    `${JSON.stringify({ timestamp: '2026-05-01T12:00:00.000Z', ...value })}\n`
  const edit = (
    words: readonly string[],
    variables: Readonly<Record<string, string | undefined>>,
    _cwd?: string,
    terminal = false,
  ): Promise<number> => {
    calls.push({ words, store: variables.SESS_STORE, hooks: variables.SESS_HOOKS, terminal })
    const path = shell.path(FILE)
    mkdirSync(dirname(path), { recursive: true })
    if (calls.length === 1) writeFileSync(path, line({ type: 'session', version: 3, id: ID, cwd: shell.dir }))
    const n = calls.length
    appendFileSync(
      path,
      line({
        type: 'message',
        id: `u${n}`,
        parentId: n === 1 ? null : `a${n - 1}`,
        message: { role: 'user', content: `ask ${n}`, timestamp: n },
      }) +
        line({
          type: 'message',
          id: `a${n}`,
          parentId: `u${n}`,
          message: { role: 'assistant', content: [{ type: 'text', text: `answer ${n}` }], timestamp: n },
        }),
    )
    return Promise.resolve(code)
  }
  return { calls, edit }
}

describe('sess run', () => {
  it('keeps the session of an agent, and says what was added and how to go on', async () => {
    const shell = new Shell()
    const { calls, edit } = agentIn(shell)
    const { code, stderr, stdout } = await shell.run("sess run pi --title Ebb -- --model 'a b'", { edit })
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain(`${ID} has 2 new entries, 2 in all\n`)
    expect(stderr).toContain(`go on with: sess resume ${ID} --run\n`)
    expect(calls).toEqual([
      {
        words: ['pi', '-e', shell.path(EXTENSION), '--model', 'a b'],
        store: shell.path('.local/share/sess'),
        hooks: undefined,
        terminal: false,
      },
    ])
    expect((await shell.run('sess ls')).stdout).toContain('Ebb')
    expect((await shell.run(`sess export ${ID}`)).stdout).toBe(
      shell.read(FILE).replaceAll(shell.dir, '/home/ada'),
    )
  })

  it('continues the latest session of the folder, and shows what was said last', async () => {
    const shell = new Shell()
    const { calls, edit } = agentIn(shell)
    await shell.run('sess run pi', { edit })
    const { stderr } = await shell.run('sess run pi -c', { edit })
    expect(calls[1]?.words).toEqual(['pi', '-e', shell.path(EXTENSION), '--session', shell.path(FILE)])
    expect(stderr).toContain('user: ask 1\n')
    expect(stderr).toContain('assistant: answer 1\n')
    expect(stderr).toContain(`${ID} has 2 new entries, 4 in all`)
    const other = await shell.run('sess run claude -c', { edit })
    expect(other.stderr).toContain('no session belongs to the folder')
  })

  it('makes no fork for an agent that is not installed', async () => {
    const shell = new Shell()
    const { calls, edit } = agentIn(shell)
    await shell.run('sess run pi', { edit })
    const variables = { PATH: shell.path('bin') }
    mkdirSync(shell.path('bin'))
    const refused = await shell.run(`sess run pi --fork ${ID}~1`, { edit, variables })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("'pi' could not be started")])
    expect(refused.stderr).toContain('hint: install pi')
    expect((await shell.run('sess ls --json')).stdout.trim().split('\n')).toHaveLength(1)
    writeFileSync(shell.path('bin/pi'), '', { mode: 0o700 })
    await shell.run(`sess run pi --fork ${ID}~1`, { edit, variables })
    expect(calls).toHaveLength(2)
  })

  it('gives the agent a prompt from standard input, and the terminal', async () => {
    const shell = new Shell()
    const { calls, edit } = agentIn(shell)
    await shell.run('sess run pi --parent 3b1f', { edit, stdin: ['# Go on\nwith it\n'] })
    expect(calls[0]).toMatchObject({
      words: ['pi', '-e', shell.path(EXTENSION), '# Go on\nwith it'],
      terminal: true,
    })
    for (const command of ['set', 'show', 'read'])
      expect([command, (await shell.run(`sess ${command} ${ID}`)).stdout]).toEqual([
        command,
        expect.stringMatching(/parent +3b1f|parent=3b1f|from 3b1f/),
      ])
  })

  it.each([
    ['claude', ['claude', '-p', 'hi']],
    ['codex', ['codex', 'exec', 'hi']],
    ['gemini', ['gemini', '-p', 'hi']],
    ['pi', ['pi', '-p', 'hi']],
    ['opencode', ['opencode', 'run', 'hi']],
  ])('answers a prompt without a terminal: %s', async (agent, words) => {
    const { stdout } = await new Shell().run(`sess run ${agent} -p -n --json`, { stdin: ['hi'] })
    expect(JSON.parse(stdout)).toMatchObject({ command: words, sessions: [] })
  })

  it('keeps nothing with --no-session, neither here nor at the agent', async () => {
    const shell = new Shell()
    const { calls, edit } = agentIn(shell)
    const { code } = await shell.run('sess run pi --no-session', { edit })
    expect([code, calls[0]?.words, calls[0]?.hooks]).toEqual([0, ['pi', '--no-session'], 'off'])
    expect((await shell.run('sess ls')).code).not.toBe(0)
    for (const line of [
      'sess run gemini -p --no-session',
      'sess run claude --no-session',
      'sess run pi -c --no-session',
    ])
      expect([line, (await shell.run(line, { edit, stdin: ['hi'] })).code]).toEqual([line, 2])
    expect(calls).toHaveLength(1)
  })

  it('forks from an entry, and has the agent continue the copy', async () => {
    const shell = new Shell()
    cpSync(shell.path('sessions/pi'), shell.path('.pi/agent/sessions/--home-ada--'), { recursive: true })
    await shell.run('sess import sessions')
    const { stdout, code } = await shell.run('sess run pi --fork 019d4e07~2 --json', {
      edit: () => Promise.resolve(0),
    })
    expect(code).toBe(0)
    const { command } = JSON.parse(stdout) as { command: readonly string[] }
    expect(command[3]).toBe('--session')
    expect(shell.read((command[4] ?? '').replace('/home/ada/', '').replace(`${shell.dir}/`, ''))).toContain(
      '"parentId"',
    )
  })

  it('counts only what its hooks told of, where another run writes in the same folder', async () => {
    const shell = new Shell()
    const { edit } = agentIn(shell)
    const other = FILE.replaceAll('0001', '0002')
    const { stderr } = await shell.run('sess run pi --title Mine', {
      edit: async (words, variables, ...rest) => {
        const code = await edit(words, variables, ...rest)
        writeFileSync(
          shell.path(other),
          shell.read(FILE).replaceAll('0001', '0002').replaceAll('ask', 'other'),
        )
        const note = { path: shell.path(FILE), session: null }
        noteRun(shell.path('.local/share/sess-live'), variables, { ...NO_NOTE, ...note })
        return code
      },
    })
    expect(stderr).toContain(`${ID} has 2 new entries`)
    expect(stderr).not.toContain('0002')
    expect((await shell.run('sess ls')).stdout).toMatch(/Mine[^]*other 1|other 1[^]*Mine/)
    expect(readdirSync(shell.path('.local/share/sess-live/runs'))).toEqual([])
  })

  it('leaves to undo what its user asked for, and nothing that the agent wrote', async () => {
    const shell = new Shell()
    await shell.run('sess import sessions')
    const { edit } = agentIn(shell)
    await shell.run('sess run pi --title Ebb --parent 3b1f', { edit })
    expect((await shell.run('sess undo')).stdout).toContain('set')
    expect((await shell.run(`sess set ${ID}`)).stdout).not.toContain('parent')
    await shell.run('sess undo')
    const { stdout } = await shell.run('sess ls')
    expect(stdout).not.toContain('Ebb')
    expect(stdout).toContain('ask 1')
  })

  it.each([
    ['claude', /^claude --settings \{"hooks":\{"SessionStart".* hi$/],
    ['codex', /^codex -c notify=\["[^"]*sess-live\/sess","hook","codex","--notify"\] exec hi$/],
    ['pi', /^pi -e \S+extensions\/pi.js -p hi$/],
  ])('gives the agent hooks for this run: %s', async (agent, line) => {
    const shell = new Shell()
    const lines: string[] = []
    const edit = (words: readonly string[]): Promise<number> => {
      lines.push(words.join(' '))
      return Promise.resolve(0)
    }
    await shell.run(`sess run ${agent} -p`, { edit, stdin: ['hi'] })
    expect(lines).toEqual([expect.stringMatching(line)])
    await shell.run(`sess setup ${agent}`)
    await shell.run(`sess run ${agent} -p`, { edit, stdin: ['hi'] })
    expect(lines[1]).not.toContain('sess-live')
  })

  it('calls the program that Codex notifies already', async () => {
    const shell = new Shell()
    mkdirSync(shell.path('.codex'))
    writeFileSync(shell.path('.codex/config.toml'), 'notify = ["bell", "-q"]\n')
    let words: readonly string[] = []
    const edit = (given: readonly string[]): Promise<number> => {
      words = given
      return Promise.resolve(0)
    }
    await shell.run('sess run codex', { edit })
    expect(words[2]).toMatch(/"--notify","bell","-q"\]$/)
  })

  it('ends with the exit code of the agent, and keeps its session', async () => {
    const shell = new Shell()
    const { edit } = agentIn(shell, 7)
    expect((await shell.run('sess run pi', { edit })).code).toBe(7)
    expect((await shell.run('sess ls')).stdout).toContain('ask 1')
  })

  it.each([
    ['sess run nobody', 'nobody'],
    ['sess run pi -p', 'there is no prompt'],
    ['sess run opencode -p -c --prompt hi', 'no session belongs to the folder'],
  ])('refuses %s', async (line, words) => {
    const { code, stderr } = await new Shell().run(line, { edit: () => Promise.resolve(0) })
    expect(code).not.toBe(0)
    expect(stderr).toContain(words)
  })

  it('says how to get an agent that is not there', async () => {
    expect((await new Shell().run('sess run pi')).stderr).toContain('install pi')
  })
})

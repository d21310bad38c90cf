import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const ID = '019e0000-0000-7000-8000-000000000001'
const FILE = `.pi/agent/sessions/--home-ada--/2026-05-01T12-00-00-000Z_${ID}.jsonl`

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
        words: ['pi', '--model', 'a b'],
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
    expect(calls[1]?.words).toEqual(['pi', '--session', shell.path(FILE)])
    expect(stderr).toContain('user: ask 1\n')
    expect(stderr).toContain('assistant: answer 1\n')
    expect(stderr).toContain(`${ID} has 2 new entries, 4 in all`)
    const other = await shell.run('sess run claude -c', { edit })
    expect(other.stderr).toContain('no session belongs to the folder')
  })

  it('gives the agent a prompt from standard input, and the terminal', async () => {
    const shell = new Shell()
    const { calls, edit } = agentIn(shell)
    await shell.run('sess run pi --parent 3b1f', { edit, stdin: ['# Go on\nwith it\n'] })
    expect(calls[0]).toMatchObject({ words: ['pi', '# Go on\nwith it'], terminal: true })
    expect((await shell.run(`sess set ${ID}`)).stdout).toContain('parent')
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
    expect(command.slice(0, 2)).toEqual(['pi', '--session'])
    expect(shell.read((command[2] ?? '').replace('/home/ada/', '').replace(`${shell.dir}/`, ''))).toContain(
      '"parentId"',
    )
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

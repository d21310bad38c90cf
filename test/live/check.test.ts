import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AgentCheck, checkSetup } from '../../src/live/check.ts'
import { type SetupPlace, setUp } from '../../src/live/setup.ts'
import { newFolder } from '../support/folder.ts'

function newPlace(): { place: SetupPlace; program: { node: string; script: string } } {
  const home = newFolder()
  const script = join(home, 'sess.js')
  writeFileSync(script, '')
  return {
    place: { home, variables: {}, cwd: join(home, 'w'), folder: join(home, 'data/sess-live') },
    program: { node: process.execPath, script },
  }
}

function ready(...agents: readonly string[]) {
  const { place, program } = newPlace()
  setUp(place, program, { agents, statusline: false, dryRun: false })
  const check = (): ReturnType<typeof checkSetup> => checkSetup(place, program, Date.now())
  const of = (name: string): AgentCheck => check().agents.find(({ agent }) => agent === name) as AgentCheck
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(place.home, name)), { recursive: true })
    writeFileSync(join(place.home, name), text)
  }
  return {
    place,
    program,
    check,
    of,
    put,
    read: (name: string) => readFileSync(join(place.home, name), 'utf8'),
  }
}

describe('a check', () => {
  it('says which agents are set up, in part or not at all', () => {
    const { check, of, place } = ready('claude', 'codex')
    expect(check().agents.map(({ agent, state }) => [agent, state])).toEqual([
      ['claude-code', 'live'],
      ['codex', 'live'],
      ['gemini-cli', 'absent'],
      ['pi', 'absent'],
      ['opencode', 'absent'],
    ])
    expect(of('claude-code')).toMatchObject({ installed: true, problems: [] })
    rmSync(join(place.home, '.codex/hooks.json'))
    expect(of('codex')).toMatchObject({
      state: 'partly',
      problems: [`its part of '${place.home}/.codex/hooks.json' is missing`],
    })
  })

  it.each([
    ['.claude/settings.local.json', 'disableAllHooks'],
    ['w/.claude/settings.json', 'disableAllHooks'],
    ['w/.claude/settings.local.json', 'allowManagedHooksOnly'],
  ])('says that %s turns hooks of Claude Code off by %s', (name, key) => {
    const { of, put, place } = ready('claude')
    put(name, JSON.stringify({ [key]: true }))
    expect(of('claude-code').problems).toEqual([expect.stringMatching(`'${place.home}/${name}'.*${key}`)])
  })

  it('says that Gemini CLI has its hooks turned off', () => {
    const { of, put, read } = ready('gemini')
    const settings = JSON.parse(read('.gemini/settings.json')) as object
    put('.gemini/settings.json', JSON.stringify({ ...settings, hooksConfig: { enabled: false } }))
    expect(of('gemini-cli').problems).toEqual([expect.stringContaining('hooksConfig.enabled')])
    put('.gemini/settings.json', JSON.stringify({ ...settings, hooksConfig: { disabled: ['sess'] } }))
    expect(of('gemini-cli').problems).toEqual([expect.stringContaining('hooksConfig.disabled')])
  })

  it('says what is wrong with the launcher', () => {
    const { check, place, program } = ready('pi')
    expect(check().problems).toEqual([])
    rmSync(program.script)
    writeFileSync(
      join(place.folder, 'sess'),
      readFileSync(join(place.folder, 'sess'), 'utf8').replace('sess.js', 'x.js'),
    )
    expect(check().problems).toEqual([expect.stringContaining('a sess that is not there any more')])
    rmSync(join(place.folder, 'sess'))
    expect(check().problems).toEqual([expect.stringContaining('is missing')])
  })

  it('survives settings that cannot be read', () => {
    const { of, put } = ready('claude')
    put('.claude/settings.json', '{')
    expect(of('claude-code')).toMatchObject({
      state: 'absent',
      problems: [expect.stringContaining('cannot be read')],
    })
  })
})

describe('the trust of Codex', () => {
  const HOOKS = '.codex/hooks.json'
  const CONFIG = '.codex/config.toml'

  /** Hashes that Codex 0.169.0 printed for a hook with this command. */
  const COMMAND = "'/a b/sess-live/sess' hook codex"
  const HASHES = {
    stop: 'sha256:fca026463459d86d04ac0125e49dbed67b1cc2c28c648f2c1cbc1c79a7fd2142',
    session_end: 'sha256:a80d8b3916f34f3a72d3a2d1526983ab17d07237b5dd4b9a59c8328a611da058',
  }

  it('is asked of each hook, by the hash that Codex gives it', async () => {
    const { codexTrust } = await import('../../src/live/codextrust.ts')
    const hook = (timeout: number) => [{ hooks: [{ type: 'command', command: COMMAND, timeout }] }]
    const other = { hooks: [{ type: 'command', command: 'beep' }] }
    const text = JSON.stringify({
      hooks: { Stop: [other, ...hook(5)], SessionEnd: hook(3), SubagentStop: hook(5) },
    })
    const path = '/h/hooks.json'
    const trust = (settings: string) =>
      Object.fromEntries(
        codexTrust(path, text, { command: COMMAND, settings }).map((one) => [one.event, one.trust]),
      )
    expect(trust('')).toEqual({ Stop: 'untrusted', SessionEnd: 'untrusted', SubagentStop: 'untrusted' })
    const state = (key: string, hash: string, more = '') =>
      `[hooks.state."${path}:${key}"]\ntrusted_hash = "${hash}"\n${more}\n`
    expect(
      trust(
        state('stop:1:0', HASHES.stop) +
          state('session_end:0:0', HASHES.session_end, 'enabled = false') +
          state('subagent_stop:0:0', HASHES.stop),
      ),
    ).toEqual({ Stop: 'trusted', SessionEnd: 'disabled', SubagentStop: 'changed' })
    expect(trust(state('stop:0:0', HASHES.stop))).toMatchObject({ Stop: 'untrusted' })
  })

  it('is reported by a check, with what to do', () => {
    const { of, put, read } = ready('codex')
    expect(of('codex').problems).toEqual([
      expect.stringMatching(/^Stop: .*\/hooks/),
      expect.stringMatching(/^SubagentStop: /),
      expect.stringMatching(/^PostCompact: /),
      expect.stringMatching(/^SessionEnd: /),
    ])
    put(CONFIG, `${read(CONFIG)}[features]\nhooks = false\n`)
    expect(of('codex').problems[0]).toContain('features.hooks')
  })

  it('does not end with a new version: the hooks stay as they are', () => {
    const { place, read } = ready('codex')
    const before = [read(HOOKS), read(CONFIG)]
    setUp(
      place,
      { node: '/new/node', script: '/new/sess.js' },
      { agents: ['codex'], statusline: false, dryRun: false },
    )
    expect([read(HOOKS), read(CONFIG)]).toEqual(before)
    expect(readFileSync(join(place.folder, 'sess'), 'utf8')).toContain("sess='/new/sess.js'")
  })
})

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { discover, type Machine, namingFacts, sessionFolders } from '../../src/sources/sessionfolders.ts'
import { newFolder } from '../support/folder.ts'

/** Makes files of a few bytes in a folder, and gives how the machine with that home looks. */
function machine(files: readonly string[], variables: Machine['variables'] = {}): Machine {
  const home = newFolder()
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), file.endsWith('settings.json') ? '{"sessionDir":"~/elsewhere"}' : 'x')
  }
  return { home, variables, cwd: join(home, 'work') }
}

/** Returns what is found, agent and path from home. */
const foundIn = (at: Machine): string[] =>
  discover(sessionFolders(at)).flatMap(({ agent, files }) =>
    files.map(({ path }) => `${agent} ${path.slice(at.home.length + 1)}`),
  )

it('finds the sessions of each agent in its default folder, and nothing else', () => {
  const files = [
    ['claude-code', '.claude/projects/-work/5b0c.jsonl'],
    ['claude-code', '.claude/projects/-work/5b0c/subagents/agent-1.jsonl'],
    ['codex', '.codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019d.jsonl'],
    ['codex', '.codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019e.jsonl.zst'],
    ['codex', '.codex/archived_sessions/rollout-2025-04-01T10-00-00-0190.jsonl'],
    ['pi', '.pi/agent/sessions/--work--/2026_019d.jsonl'],
    ['oh-my-pi', '.omp/agent/sessions/-work/2026_019d.jsonl'],
    ['oh-my-pi', '.omp/profiles/night/agent/sessions/-work/2026_019e.jsonl'],
    ['oh-my-pi', '.local/share/omp/profiles/day/sessions/-work/2026_019f.jsonl'],
    ['opencode', '.local/share/opencode/opencode.db'],
    ['opencode', '.local/share/opencode/storage/session/p/ses_1.json'],
    ['opencode', '.local/share/opencode/opencode-beta.db'],
    ['opencode', '.local/share/opencode/unknown.sqlite'],
    ['kilo', '.local/share/kilo/kilo.db'],
    ['gemini-cli', '.gemini/tmp/work/chats/session-2026-04-01T10-00-019d.jsonl'],
    ['copilot-cli', '.copilot/session-state/019d/events.jsonl'],
    ['cline', '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json'],
    ['roo', '.vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/ui_messages.json'],
    ['cline', '.cline/data/tasks/1/api_conversation_history.json'],
    ['cline-cli', '.cline/data/sessions/1_a/1_a.messages.json'],
    ['crush', 'work/.crush/crush.db'],
    ['cursor', '.cursor/projects/work/agent-transcripts/1/1.jsonl'],
    ['cursor', '.cursor/chats/5d41/1/store.db'],
    ['aider', 'work/.aider.chat.history.md'],
    ['goose', '.local/share/goose/sessions/sessions.db'],
    ['amp', '.local/share/amp/threads/T-1.json'],
    ['qwen', '.qwen/projects/-work/chats/1.jsonl'],
    ['kimi', '.kimi/sessions/5d41/1/context.jsonl'],
    ['kimi', '.kimi-code/sessions/wd_work_1/session_1/agents/main/wire.jsonl'],
    ['droid', '.factory/sessions/-work/1.jsonl'],
    ['openclaw', '.openclaw/agents/main/sessions/1.jsonl'],
    ['openclaw', '.clawdbot/agents/main/sessions/1.jsonl'],
    ['continue', '.continue/sessions/1.json'],
    ['grok', '.grok/sessions/work/1/chat_history.jsonl'],
    ['vibe', '.vibe/logs/session/session_2026_1/messages.jsonl'],
    ['windsurf', '.windsurf/transcripts/1.jsonl'],
    ['antigravity', '.gemini/antigravity-cli/brain/1/transcript.jsonl'],
    ['dash', 'work/.godel/sessions/2026_sess_1.jsonl'],
    ['rollouts', '.rollouts/sessions/2026/messages.jsonl'],
  ] as const
  const others = [
    '.claude/history.jsonl',
    '.claude/projects/-work/5b0c/subagents/agent-1.meta.json',
    '.codex/history.jsonl',
    '.codex/auth.json',
    '.local/share/opencode/auth.json',
    '.gemini/tmp/work/logs.json',
    '.copilot/session-state/019d/workspace.yaml',
    'work/deep/.aider.chat.history.md',
    '.continue/sessions/sessions.json',
    '.cline/data/sessions/1_a/session.json',
    '.omp/profiles/night/agent/history.jsonl',
    '.vibe/logs/session/session_2026_1/meta.json',
  ]
  const found = foundIn(machine([...files.map(([, path]) => path), ...others]))
  expect(found.sort()).toEqual(files.map((file) => file.join(' ')).sort())
})

it('follows the environment and settings', () => {
  const moved = (name: string, value: string, ...files: string[]): string[] =>
    foundIn(machine(files, { [name]: value }))
  expect(moved('CLAUDE_CONFIG_DIR', '~/c', 'c/projects/p/1.jsonl', '.claude/projects/p/2.jsonl')).toEqual([
    'claude-code c/projects/p/1.jsonl',
  ])
  expect(moved('CODEX_HOME', '../x', 'x/sessions/rollout-1.jsonl')).toEqual([
    'codex x/sessions/rollout-1.jsonl',
  ])
  expect(moved('PI_CODING_AGENT_DIR', '~/p', 'p/sessions/p/1.jsonl')).toEqual(['pi p/sessions/p/1.jsonl'])
  expect(
    moved('PI_CODING_AGENT_SESSION_DIR', '~/s', 's/1.jsonl', '.pi/agent/settings.json', 'elsewhere/2.jsonl'),
  ).toEqual(['pi s/1.jsonl'])
  expect(moved('NONE', '', '.pi/agent/settings.json', 'elsewhere/2.jsonl')).toEqual(['pi elsewhere/2.jsonl'])
  expect(moved('COPILOT_HOME', '~/g', 'g/session-state/1/events.jsonl')).toEqual([
    'copilot-cli g/session-state/1/events.jsonl',
  ])
  expect(
    moved('GEMINI_CLI_HOME', '../g', 'g/.gemini/tmp/p/chats/1.jsonl', '.gemini/tmp/p/chats/2.jsonl'),
  ).toEqual(['gemini-cli g/.gemini/tmp/p/chats/1.jsonl'])
  expect(moved('QWEN_HOME', '~/q', 'q/projects/p/chats/1.jsonl')).toEqual(['qwen q/projects/p/chats/1.jsonl'])
  expect(moved('QWEN_RUNTIME_DIR', '~/q', 'q/projects/p/chats/1.jsonl')).toEqual([
    'qwen q/projects/p/chats/1.jsonl',
  ])
  expect(moved('KIMI_SHARE_DIR', '~/k', 'k/sessions/p/1/context.jsonl')).toEqual([
    'kimi k/sessions/p/1/context.jsonl',
  ])
  expect(moved('KIMI_CODE_HOME', '~/k', 'k/sessions/p/1/agents/main/wire.jsonl')).toEqual([
    'kimi k/sessions/p/1/agents/main/wire.jsonl',
  ])
  expect(moved('OPENCLAW_STATE_DIR', '~/o', 'o/agents/main/sessions/1.jsonl')).toEqual([
    'openclaw o/agents/main/sessions/1.jsonl',
  ])
  expect(moved('CONTINUE_GLOBAL_DIR', '~/c', 'c/sessions/1.json')).toEqual(['continue c/sessions/1.json'])
  expect(moved('VIBE_HOME', '~/v', 'v/logs/session/session_1/messages.jsonl')).toEqual([
    'vibe v/logs/session/session_1/messages.jsonl',
  ])
  expect(moved('XDG_DATA_HOME', '~/d', 'd/amp/threads/T-1.json')).toEqual(['amp d/amp/threads/T-1.json'])
  expect(moved('XDG_DATA_HOME', '~/d', 'd/kilo/kilo.db')).toEqual(['kilo d/kilo/kilo.db'])
  expect(moved('OPENCODE_DB', '../../../x/o.db', 'x/o.db', 'x/p.db')).toEqual(['opencode x/o.db'])
  expect(moved('OPENCODE_DB', 'o.db', '.local/share/opencode/o.db')).toEqual([
    'opencode .local/share/opencode/o.db',
  ])
  expect(moved('KILO_DB', ':memory:', '.local/share/kilo/kilo.db')).toEqual([
    'kilo .local/share/kilo/kilo.db',
  ])
  expect(moved('GOOSE_PATH_ROOT', '~/g', 'g/data/sessions/sessions.db')).toEqual([
    'goose g/data/sessions/sessions.db',
  ])
})

it('follows the profiles and folders of oh-my-pi, first the one that it writes to', () => {
  const files = [
    '.omp/agent/sessions/a/1.jsonl',
    '.omp/profiles/night/agent/sessions/a/2.jsonl',
    'data/omp/sessions/a/3.jsonl',
    'data/omp/profiles/day/sessions/a/4.jsonl',
    'other/sessions/a/5.jsonl',
    '.elsewhere/agent/sessions/a/6.jsonl',
  ]
  const at = machine(files)
  const data = join(at.home, 'data')
  const found = (variables: Machine['variables']): string[] =>
    foundIn({ ...at, variables }).map((line) => line.replace(/^(?:oh-my-pi|pi) .*(\d)\.jsonl$/, '$1'))
  expect(found({})).toEqual(['1', '2'])
  expect(found({ OMP_PROFILE: 'night' })).toEqual(['2'])
  expect(found({ OMP_PROFILE: '', PI_PROFILE: 'night' })).toEqual(['1', '2'])
  expect(found({ XDG_DATA_HOME: data })).toEqual(['3', '2', '4'])
  expect(found({ XDG_DATA_HOME: data, OMP_PROFILE: 'day' })).toEqual(['4', '2'])
  expect(found({ XDG_DATA_HOME: data, PI_PROFILE: 'night' })).toEqual(['2', '4'])
  expect(found({ PI_CODING_AGENT_DIR: '../other' })).toEqual(['5', '2'])
  expect(found({ PI_CONFIG_DIR: '.elsewhere' })).toEqual(['6'])
})

it('finds the name that Gemini CLI registered for a project, if it is a valid folder name', () => {
  const at = machine(['g/.gemini/tmp/x'], { GEMINI_CLI_HOME: '../g' })
  const registry = join(at.home, 'g', '.gemini', 'projects.json')
  const named = (folder: string): string | undefined => namingFacts(at).geminiProject(folder)
  expect(named('/tides')).toBe(undefined)
  writeFileSync(registry, '{"projects":{"/tides":"tides-1","/up":"../up","/no":1}}')
  mkdirSync(join(at.home, 'tides'))
  expect(named('/tides')).toBe('tides-1')
  for (const folder of ['/up', '/no', '/else', 'toString']) expect(named(folder)).toBe(undefined)
  writeFileSync(registry, JSON.stringify({ projects: { [join(realpathSync(at.home), 'tides')]: 'real' } }))
  symlinkSync(join(at.home, 'tides'), join(at.home, 'link'))
  expect(named(join(at.home, 'link'))).toBe('real')
})

it('returns a file once although two agents match it, and ignores malformed settings', () => {
  const at = machine(['both/1.jsonl'], { PI_CODING_AGENT_SESSION_DIR: '~/both' })
  mkdirSync(join(at.home, '.pi/agent'), { recursive: true })
  writeFileSync(join(at.home, '.pi/agent/settings.json'), '{"sessionDir":')
  expect(foundIn({ ...at, variables: { ...at.variables, CLAUDE_CONFIG_DIR: '~/both' } })).toEqual([
    'pi both/1.jsonl',
  ])
  expect(foundIn({ ...at, variables: {} })).toEqual([])
})

it('prefers settings of the project to those of the user for pi', () => {
  const at = machine(['.pi/agent/settings.json', 'elsewhere/1.jsonl', 'work/mine/2.jsonl', 'work/.pi/x'])
  expect(foundIn(at)).toEqual(['pi elsewhere/1.jsonl'])
  writeFileSync(join(at.cwd, '.pi/settings.json'), '{"sessionDir":"mine"}')
  expect(foundIn(at)).toEqual(['pi work/mine/2.jsonl'])
})

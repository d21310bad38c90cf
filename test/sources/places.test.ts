import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { discover, type Machine, placesOf } from '../../src/sources/places.ts'
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

/** Gives what is found, agent and path from home. */
const foundIn = (at: Machine): string[] =>
  discover(placesOf(at)).flatMap(({ agent, files }) =>
    files.map(({ path }) => `${agent} ${path.slice(at.home.length + 1)}`),
  )

it('finds what each agent keeps at its usual place, and nothing beside it', () => {
  const files = [
    ['claude-code', '.claude/projects/-work/5b0c.jsonl'],
    ['claude-code', '.claude/projects/-work/5b0c/subagents/agent-1.jsonl'],
    ['codex', '.codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019d.jsonl'],
    ['codex', '.codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019e.jsonl.zst'],
    ['codex', '.codex/archived_sessions/rollout-2025-04-01T10-00-00-0190.jsonl'],
    ['pi', '.pi/agent/sessions/--work--/2026_019d.jsonl'],
    ['oh-my-pi', '.omp/agent/sessions/-work/2026_019d.jsonl'],
    ['opencode', '.local/share/opencode/opencode.db'],
    ['opencode', '.local/share/opencode/storage/session/p/ses_1.json'],
    ['gemini-cli', '.gemini/tmp/work/chats/session-2026-04-01T10-00-019d.jsonl'],
    ['copilot-cli', '.copilot/session-state/019d/events.jsonl'],
    ['cline', '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json'],
    ['crush', 'work/.crush/crush.db'],
    ['cursor', '.cursor/projects/work/agent-transcripts/1/1.jsonl'],
    ['cursor', '.cursor/chats/5d41/1/store.db'],
    ['aider', 'work/.aider.chat.history.md'],
    ['goose', '.local/share/goose/sessions/sessions.db'],
    ['amp', '.local/share/amp/threads/T-1.json'],
    ['qwen', '.qwen/projects/-work/chats/1.jsonl'],
    ['kimi', '.kimi/sessions/5d41/1/context.jsonl'],
    ['droid', '.factory/sessions/-work/1.jsonl'],
    ['openclaw', '.openclaw/agents/main/sessions/1.jsonl'],
    ['continue', '.continue/sessions/1.json'],
    ['grok', '.grok/sessions/work/1/chat_history.jsonl'],
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
  ]
  const found = foundIn(machine([...files.map(([, path]) => path), ...others]))
  expect(found.sort()).toEqual(files.map((file) => file.join(' ')).sort())
})

it('goes where the environment and settings say', () => {
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
  expect(moved('XDG_DATA_HOME', '~/d', 'd/amp/threads/T-1.json')).toEqual(['amp d/amp/threads/T-1.json'])
  expect(moved('GOOSE_PATH_ROOT', '~/g', 'g/data/sessions/sessions.db')).toEqual([
    'goose g/data/sessions/sessions.db',
  ])
})

it('takes a file once though two agents may have it, and settings that are broken for none', () => {
  const at = machine(['both/1.jsonl'], { PI_CODING_AGENT_SESSION_DIR: '~/both' })
  mkdirSync(join(at.home, '.pi/agent'), { recursive: true })
  writeFileSync(join(at.home, '.pi/agent/settings.json'), '{"sessionDir":')
  expect(foundIn({ ...at, variables: { ...at.variables, CLAUDE_CONFIG_DIR: '~/both' } })).toEqual([
    'pi both/1.jsonl',
  ])
  expect(foundIn({ ...at, variables: {} })).toEqual([])
})

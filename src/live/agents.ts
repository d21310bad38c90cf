import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { JsonObject } from '../model/json.ts'
import { folderIn, type Variables } from '../model/variables.ts'
import { isFolder } from '../sources/files.ts'
import { sessionFolders } from '../sources/sessionfolders.ts'
import { openCodePlugin, piExtension } from './extensions.ts'
import { shellQuoted } from './launcher.ts'
import {
  type HookEvent,
  hooksPart,
  notifyPart,
  type SettingsPart,
  statuslinePart,
  wholeFile,
} from './parts.ts'

/** The user's home and environment, by which agents find their settings. */
export interface AgentHome {
  readonly home: string
  readonly variables: Variables
  readonly cwd: string
}

/** The options of a set-up that its files depend on. */
export interface Wanted {
  /** The path of the launcher. */
  readonly launcher: string
  readonly statusline: boolean
}

/** A file of an agent's settings, and the parts in it that belong to sess. */
export interface AgentFile {
  readonly path: string
  readonly parts: readonly SettingsPart[]
}

/** An agent that can be set up. */
export interface LiveAgent {
  /** The name of its format. */
  readonly name: string
  readonly title: string
  /** The name of its program. */
  readonly program: string
  /** The folder with its settings. */
  readonly folder: (at: AgentHome) => string
  readonly files: (at: AgentHome, wanted: Wanted) => readonly AgentFile[]
}

/** The seconds that an agent waits for a hook at most. */
const TIMEOUT = 5

const named = ({ cwd, variables }: AgentHome, variable: string, usual: string): string =>
  resolve(cwd, variables[variable] || usual)

const commandOf = (launcher: string, agent: string): string => `${shellQuoted(launcher)} hook ${agent}`

const hooksOf = (events: readonly string[], handler: (event: string) => JsonObject): HookEvent[] =>
  events.map((event) => ({ event, handler: handler(event) }))

const CLAUDE: LiveAgent = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  folder: (at) => named(at, 'CLAUDE_CONFIG_DIR', join(at.home, '.claude')),
  files: (at, { launcher, statusline }) => {
    const command = commandOf(launcher, 'claude-code')
    const events = ['SessionStart', 'Stop', 'SubagentStop', 'PreCompact', 'PostCompact', 'SessionEnd']
    const hooks = hooksPart(hooksOf(events, () => ({ type: 'command', command, timeout: TIMEOUT })))
    const parts = statusline ? [hooks, statuslinePart(launcher)] : [hooks]
    return [{ path: join(CLAUDE.folder(at), 'settings.json'), parts }]
  },
}

/** Codex gives the hooks of the end of a session three seconds at most, and warns at each start of more. */
const CODEX_END = 3

const CODEX: LiveAgent = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  folder: (at) => named(at, 'CODEX_HOME', join(at.home, '.codex')),
  files: (at, { launcher }) => {
    const command = commandOf(launcher, 'codex')
    const events = ['Stop', 'SubagentStop', 'PostCompact', 'SessionEnd']
    const hooks = hooksOf(events, (event) => ({
      type: 'command',
      command,
      timeout: event === 'SessionEnd' ? CODEX_END : TIMEOUT,
    }))
    const folder = CODEX.folder(at)
    return [
      { path: join(folder, 'hooks.json'), parts: [hooksPart(hooks)] },
      { path: join(folder, 'config.toml'), parts: [notifyPart(launcher)] },
    ]
  },
}

const GEMINI: LiveAgent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  program: 'gemini',
  folder: (at) => join(named(at, 'GEMINI_CLI_HOME', at.home), '.gemini'),
  files: (at, { launcher }) => {
    const command = commandOf(launcher, 'gemini-cli')
    const events = ['SessionStart', 'AfterAgent', 'PreCompress', 'SessionEnd']
    // Gemini CLI counts milliseconds.
    const handler = (): JsonObject => ({ type: 'command', name: 'sess', command, timeout: 1000 * TIMEOUT })
    return [{ path: join(GEMINI.folder(at), 'settings.json'), parts: [hooksPart(hooksOf(events, handler))] }]
  },
}

const PI: LiveAgent = {
  name: 'pi',
  title: 'pi',
  program: 'pi',
  folder: (at) => named(at, 'PI_CODING_AGENT_DIR', join(at.home, '.pi', 'agent')),
  files: (at, { launcher }) => {
    const path = join(PI.folder(at), 'extensions', 'sess.js')
    return [{ path, parts: [wholeFile(path, piExtension(launcher))] }]
  },
}

const OPENCODE: LiveAgent = {
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  folder: ({ home, variables }) =>
    join(folderIn(variables, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'opencode'),
  files: (at, { launcher }) => {
    const path = join(OPENCODE.folder(at), 'plugins', 'sess.js')
    return [{ path, parts: [wholeFile(path, openCodePlugin(launcher))] }]
  },
}

/** The agents that can be set up, in the order in which they are shown. */
export const LIVE_AGENTS: readonly LiveAgent[] = [CLAUDE, CODEX, GEMINI, PI, OPENCODE]

/** Returns whether an agent is on this machine: it has settings, or its program is on the path. */
export const isInstalled = (agent: LiveAgent, at: AgentHome): boolean =>
  existsSync(agent.folder(at)) ||
  (at.variables.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder.startsWith('/') && existsSync(join(folder, agent.program)))

/** Returns the names of other agents that keep sessions here: there is nothing to set up for them. */
export function otherAgents(at: AgentHome): string[] {
  const known = new Set(LIVE_AGENTS.map(({ name }) => name))
  const others = sessionFolders(at).filter(
    ({ agent, flat, folder }) => !flat && !known.has(agent) && isFolder(folder),
  )
  return [...new Set(others.map(({ agent }) => agent))]
}

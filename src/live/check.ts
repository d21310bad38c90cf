import { join } from 'node:path'
import { readSettings, valueOf } from '../sources/agentsettings.ts'
import { type AgentHome, isInstalled, LIVE_AGENTS, type LiveAgent } from './agents.ts'
import { codexTrust } from './codextrust.ts'
import { type Fault, faultsOf } from './faults.ts'
import { waitingNotes } from './hook.ts'
import { isThere, launcherText, type Program, shellQuoted } from './launcher.ts'
import { isSettling, textOf } from './livefolder.ts'
import { launcherOf, type SetupPlace } from './setup.ts'

/** Whether an agent keeps its sessions in the store by itself, and what hinders it. */
export interface AgentCheck {
  readonly agent: string
  readonly title: string
  readonly installed: boolean
  /** Whether all of its settings are there, some, or none. */
  readonly state: 'live' | 'partly' | 'absent'
  readonly problems: readonly string[]
}

/** The findings of a check. */
export interface SetupCheck {
  readonly agents: readonly AgentCheck[]
  /** The faults of the launcher; none where no agent is set up. */
  readonly problems: readonly string[]
  /** The number of notes that are not settled. */
  readonly waiting: number
  readonly settling: boolean
  /** The faults of settlers, newest first. */
  readonly faults: readonly Fault[]
}

/** Returns for each agent whether it is set up, and which hooks do not run and why. Changes nothing. */
export function checkSetup(place: SetupPlace, program: Program, now: number): SetupCheck {
  const { folder } = place
  const launcher = launcherOf(folder)
  const agents = LIVE_AGENTS.map((agent) => checkAgent(agent, place, launcher))
  const isUsed = agents.some(({ state }) => state !== 'absent')
  return {
    agents,
    problems: isUsed ? launcherProblems(launcher, folder, program) : [],
    waiting: waitingNotes(folder),
    settling: isSettling(folder, now),
    faults: faultsOf(folder),
  }
}

function launcherProblems(launcher: string, folder: string, program: Program): string[] {
  const text = textOf(launcher)
  if (text === undefined) return [`'${launcher}' is missing, which all hooks call`]
  if (text === launcherText(program, folder)) return []
  const [, node = ''] = /^node='(.*)'$/m.exec(text) ?? []
  const [, script = ''] = /^sess='(.*)'$/m.exec(text) ?? []
  if (isThere({ node, script })) return []
  return [`'${launcher}' starts a sess that is not there any more: '${script}'`]
}

function checkAgent(agent: LiveAgent, place: SetupPlace, launcher: string): AgentCheck {
  const files = agent.files(place, { launcher, statusline: false })
  const problems: string[] = []
  const there = files.map(({ path, parts }) => {
    const text = textOf(path, Number.POSITIVE_INFINITY)
    try {
      return text !== undefined && parts.every((part) => part.isIn(text))
    } catch {
      problems.push(`'${path}' cannot be read`)
      return false
    }
  })
  const state = there.every(Boolean) ? 'live' : there.some(Boolean) ? 'partly' : 'absent'
  if (state === 'partly')
    for (const [i, { path }] of files.entries())
      if (!there[i]) problems.push(`its part of '${path}' is missing`)
  if (state !== 'absent') problems.push(...(HINDRANCES[agent.name]?.(agent, place, launcher) ?? []))
  return {
    agent: agent.name,
    title: agent.title,
    installed: isInstalled(agent, place),
    state,
    problems,
  }
}

type Hindrances = (agent: LiveAgent, at: AgentHome, launcher: string) => string[]

/** Where the administrator of a machine keeps settings of Claude Code. */
const MANAGED = [
  '/etc/claude-code/managed-settings.json',
  '/Library/Application Support/ClaudeCode/managed-settings.json',
]

/** Functions that find what keeps hooks from running, by agent. */
const HINDRANCES: Readonly<Record<string, Hindrances>> = {
  'claude-code': (agent, at) => {
    const own = ['settings.json', 'settings.local.json'].flatMap((name) => [
      join(agent.folder(at), name),
      join(at.cwd, '.claude', name),
    ])
    return [...new Set([...own, ...MANAGED])].flatMap((path) => [
      ...isSet(path, 'disableAllHooks', `'${path}' turns all hooks off: disableAllHooks`),
      ...isSet(path, 'allowManagedHooksOnly', `'${path}' allows no hooks of users: allowManagedHooksOnly`),
    ])
  },
  codex: (agent, at, launcher) => {
    const [hooks = ''] = agent.files(at, { launcher, statusline: false }).map(({ path }) => path)
    const settings = textOf(join(agent.folder(at), 'config.toml'), Number.POSITIVE_INFINITY) ?? ''
    const command = `${shellQuoted(launcher)} hook codex`
    const off = /^[ \t]*\[features\][^[]*^[ \t]*(?:codex_)?hooks[ \t]*=[ \t]*false/m.test(settings)
    return [
      ...(off ? ["'config.toml' turns all hooks off: features.hooks"] : []),
      ...codexTrust(hooks, textOf(hooks) ?? '{}', { command, settings }).flatMap(({ event, trust }) =>
        trust === 'trusted' ? [] : [`${event}: ${CODEX_WORDS[trust]}`],
      ),
    ]
  },
  'gemini-cli': (agent, at) =>
    [join(agent.folder(at), 'settings.json'), join(at.cwd, '.gemini', 'settings.json')].flatMap((path) => {
      const config = valueOf(readSettings(path), 'hooksConfig')
      const disabled = valueOf(config, 'disabled')
      return [
        ...(valueOf(config, 'enabled') === false
          ? [`'${path}' turns all hooks off: hooksConfig.enabled`]
          : []),
        ...(Array.isArray(disabled) && disabled.includes('sess')
          ? [`'${path}' turns the hook off: hooksConfig.disabled`]
          : []),
      ]
    }),
}

const CODEX_WORDS = {
  untrusted:
    "the hook is not trusted yet: type /hooks in Codex and trust it; until then 'notify' tells of turns",
  changed: 'the hook is not the one that was trusted: type /hooks in Codex and trust it again',
  disabled: 'the hook is disabled: type /hooks in Codex to enable it',
} as const

const isSet = (path: string, key: string, problem: string): string[] =>
  valueOf(readSettings(path), key) === true ? [problem] : []

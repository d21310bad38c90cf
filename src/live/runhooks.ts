import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Variables } from '../model/variables.ts'
import { type AgentHome, LIVE_AGENTS, type LiveAgent } from './agents.ts'
import { thisProgram } from './launcher.ts'
import { LIVE, putFile, textOf } from './livefolder.ts'
import { launcherOf, writeLauncher } from './setup.ts'
import { topWords } from './tomltext.ts'

/** The words and variables with which an agent has hooks for one run, and no settings change. */
export interface RunHooks {
  readonly words: readonly string[]
  readonly variables: Variables
}

const NONE: RunHooks = { words: [], variables: {} }

/** Where an agent is run: the machine, the launcher that hooks call, and the files that settings would have. */
interface RunPlace extends AgentHome {
  readonly folder: string
  readonly launcher: string
}

/** Returns how an agent gets hooks for one run. */
type Way = (agent: LiveAgent, place: RunPlace) => RunHooks

/** The content that a file of settings would have if it had nothing else. */
const settingsAlone = (agent: LiveAgent, place: RunPlace, name: string): string => {
  const file = agent
    .files(place, { launcher: place.launcher, statusline: false })
    .find(({ path }) => path.endsWith(name))
  return file?.parts.reduce<string | null>((text, part) => part.add(text), null) ?? ''
}

/** Writes an extension to the folder of what is set up; returns its path. */
function extensionFile(agent: LiveAgent, place: RunPlace): string {
  const folder = join(place.folder, LIVE.extensions)
  const name = `${agent.name}.js`
  const text = settingsAlone(agent, place, 'sess.js')
  if (textOf(join(folder, name)) !== text) putFile(folder, name, text)
  return join(folder, name)
}

/** The variable by which OpenCode is given settings. */
const OPENCODE_SETTINGS = 'OPENCODE_CONFIG_CONTENT'

/** Gemini CLI is none of them: besides its settings it reads only files that belong to root. */
const WAYS: Readonly<Record<string, Way>> = {
  'claude-code': (agent, place) => ({
    words: ['--settings', JSON.stringify(JSON.parse(settingsAlone(agent, place, 'settings.json')))],
    variables: {},
  }),
  codex: (agent, place) => {
    const settings = textOf(join(agent.folder(place), 'config.toml'), Number.POSITIVE_INFINITY) ?? ''
    // There is one program that is told of turns: that of the user is called by the hook.
    const former = topWords(settings, 'notify')?.words ?? []
    const words = [place.launcher, 'hook', 'codex', '--notify', ...former]
    return { words: ['-c', `notify=${JSON.stringify(words)}`], variables: {} }
  },
  pi: (agent, place) => ({ words: ['-e', extensionFile(agent, place)], variables: {} }),
  opencode: (agent, place) => {
    if (place.variables[OPENCODE_SETTINGS]) return NONE
    const plugin = [pathToFileURL(extensionFile(agent, place)).href]
    return { words: [], variables: { [OPENCODE_SETTINGS]: JSON.stringify({ plugin }) } }
  },
}

/** Returns whether an agent has hooks by its settings already. */
function isSetUp(agent: LiveAgent, place: RunPlace): boolean {
  const { launcher } = place
  return agent.files(place, { launcher, statusline: false }).every(({ path, parts }) => {
    const text = textOf(path, Number.POSITIVE_INFINITY)
    return text !== undefined && parts.every((part) => part.isIn(text))
  })
}

/**
 * Returns how an agent gets hooks for one run; nothing where it has them by its settings, or where these cannot be read.
 * Writes what hooks call to the folder of what is set up.
 */
export function runHooks(name: string, at: AgentHome, folder: string): RunHooks {
  const agent = LIVE_AGENTS.find((one) => one.name === name)
  const way = WAYS[name]
  // Hooks call a script of a shell.
  if (!agent || !way || process.platform === 'win32') return NONE
  const place = { ...at, folder, launcher: launcherOf(folder) }
  try {
    if (isSetUp(agent, place)) return NONE
    writeLauncher(folder, thisProgram())
    return way(agent, place)
  } catch {
    // The agent is followed without hooks, whatever is wrong with its settings or the folder.
    return NONE
  }
}

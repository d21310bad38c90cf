import { readFileSync, realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import { type FoundFile, filesBelow, kindOf } from './files.ts'

/** What says where agents keep their sessions. */
export interface Machine {
  /** The user's home. */
  readonly home: string
  readonly variables: { readonly [name: string]: string | undefined }
  /** The folder of work: some agents keep sessions in the project. */
  readonly cwd: string
  /** The folder of the session that is asked for: that of work unless said. */
  readonly project?: string
}

/** Gives what this process knows of its machine. */
export const thisMachine = (): Omit<Machine, 'cwd'> => ({
  home: process.env.HOME || homedir(),
  variables: process.env,
})

/** A folder in which an agent keeps sessions, and which files below it are some. */
export interface SessionFolder {
  /** The name of the agent's format, or of the agent where its format has none of its own. */
  readonly agent: string
  /** Absolute. */
  readonly folder: string
  /** Holds for the paths of its sessions from there, with `/`. */
  readonly files: Pick<RegExp, 'test'>
  /** Whether they lie in the folder itself: what is below it, a whole project, is not looked at. */
  readonly flat?: boolean
  /** Whether the sessions of all projects lie side by side. */
  readonly together?: boolean
}

/** What was found in one place. */
export interface DiscoveredFiles {
  readonly agent: string
  readonly folder: string
  readonly files: readonly FoundFile[]
}

const JSONL = /\.jsonl$/
const TASK = /^tasks\/[^/]+\/(?:api_conversation_history|ui_messages)\.json$/
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']
/** In a home on another machine, in which an editor works. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server']
const EXTENSIONS = [
  ['cline', 'saoudrizwan.claude-dev'],
  ['roo', 'rooveterinaryinc.roo-cline'],
  ['kilo', 'kilocode.kilo-code'],
] as const

/** Gives the documented places of all agents that are known, as the environment and their settings say. */
export function sessionFolders({ home, variables, cwd, project = cwd }: Machine): SessionFolder[] {
  const below = (...names: string[]): string => join(home, ...names)
  const expanded = (path: string): string =>
    resolve(
      cwd,
      path.replace(/^~(?=$|[/\\])/, () => home),
    )
  const named = (variable: string, usual: string): string => expanded(variables[variable] || usual)
  const data = named('XDG_DATA_HOME', below('.local', 'share'))
  const config = named('XDG_CONFIG_HOME', below('.config'))
  const codex = named('CODEX_HOME', below('.codex'))
  const pi = named('PI_CODING_AGENT_DIR', below('.pi', 'agent'))
  const piSetting = [join(cwd, '.pi'), pi].map((of) => settingOf(join(of, 'settings.json'), 'sessionDir'))
  const piSessions = variables.PI_CODING_AGENT_SESSION_DIR || piSetting.find(Boolean) || ''
  const gemini = geminiIn({ home, variables, cwd })
  const copilot = named('COPILOT_HOME', below('.copilot'))
  const qwen = named('QWEN_HOME', below('.qwen'))
  const qwenOutput =
    variables.QWEN_RUNTIME_DIR || settingOf(join(qwen, 'settings.json'), 'advanced', 'runtimeOutputDir')
  const goose = variables.GOOSE_PATH_ROOT
  const editors = [config, below('Library', 'Application Support'), variables.APPDATA ?? ''].flatMap(
    (folder) => (folder === '' ? [] : EDITORS.map((editor) => join(folder, editor))),
  )
  const at = (agent: string, folder: string, files: RegExp): SessionFolder => ({ agent, folder, files })
  return [
    at('claude-code', join(named('CLAUDE_CONFIG_DIR', below('.claude')), 'projects'), JSONL),
    at('codex', join(codex, 'sessions'), /\/?rollout-[^/]*\.jsonl?(?:\.zst)?$/),
    at('codex', join(codex, 'archived_sessions'), /\/?rollout-[^/]*\.jsonl?(?:\.zst)?$/),
    piSessions
      ? { ...at('pi', expanded(piSessions), JSONL), together: true }
      : at('pi', join(pi, 'sessions'), JSONL),
    ...ohMyPiFolders({ home, variables, cwd }, data).map(([folder, files]) => at('oh-my-pi', folder, files)),
    at('opencode', join(data, 'opencode'), /^(?:opencode[\w.-]*\.db|storage\/session\/.+\.json)$/),
    at('gemini-cli', join(gemini, 'tmp'), /^[^/]+\/chats\/.+\.jsonl?$/),
    at('copilot-cli', join(copilot, 'session-state'), /^[^/]+\/events\.jsonl$/),
    at('copilot-cli', join(copilot, 'history-session-state'), /\.json$/),
    ...[...editors, ...SERVERS.map((server) => below(server, 'data'))].flatMap((editor) =>
      EXTENSIONS.map(([agent, name]) => at(agent, join(editor, 'User', 'globalStorage', name), TASK)),
    ),
    at('cline', below('.cline', 'data'), TASK),
    at('cline-cli', below('.cline', 'data', 'sessions'), /^[^/]+\/[^/]+\.messages\.json$/),
    { agent: 'crush', folder: join(project, '.crush'), files: /^crush\.db$/, flat: true },
    at('cursor', below('.cursor', 'projects'), /\/agent-transcripts\/.+\.jsonl$/),
    at('cursor', below('.cursor', 'chats'), /^[^/]+\/[^/]+\/store\.db$/),
    { agent: 'aider', folder: project, files: /^\.aider\.chat\.history\.md$/, flat: true },
    at('goose', goose ? join(expanded(goose), 'data', 'sessions') : join(data, 'goose', 'sessions'), GOOSE),
    at('amp', join(data, 'amp', 'threads'), /^T-[^/]+\.json$/),
    at('qwen', join(qwenOutput ? expanded(qwenOutput) : qwen, 'projects'), /^[^/]+\/chats\/.+\.jsonl$/),
    at(
      'kimi',
      join(named('KIMI_SHARE_DIR', below('.kimi')), 'sessions'),
      /\/(?:context(?:_\d+)?|wire)\.jsonl$/,
    ),
    at('kimi', join(named('KIMI_CODE_HOME', below('.kimi-code')), 'sessions'), /\/wire\.jsonl$/),
    at('droid', below('.factory', 'sessions'), JSONL),
    at('openclaw', join(named('OPENCLAW_STATE_DIR', below('.openclaw')), 'agents'), OPENCLAW),
    at('openclaw', below('.clawdbot', 'agents'), OPENCLAW),
    at(
      'continue',
      join(named('CONTINUE_GLOBAL_DIR', below('.continue')), 'sessions'),
      /^(?!sessions\.json$)[^/]+\.json$/,
    ),
    at('kiro', below('.kiro'), /\.jsonl?$/),
    at('grok', below('.grok', 'sessions'), /\/(?:chat_history|updates)\.jsonl$/),
    at('vibe', join(named('VIBE_HOME', below('.vibe')), 'logs', 'session'), /\/messages\.jsonl$/),
    at('windsurf', below('.windsurf', 'transcripts'), JSONL),
    at('antigravity', join(gemini, 'antigravity'), JSONL),
    at('antigravity', join(gemini, 'antigravity-cli'), JSONL),
    at('dash', join(project, '.godel', 'sessions'), JSONL),
    at('rollouts', below('.rollouts', 'sessions'), JSONL),
  ]
}

/** The folder of Gemini CLI, as `packages/core/src/utils/paths.ts` there has it. */
const geminiIn = ({ home, variables, cwd }: Machine): string =>
  join(resolve(cwd, variables.GEMINI_CLI_HOME || home), '.gemini')

/**
 * Gives the folders in which oh-my-pi keeps sessions, and which files in them are some: first the one that it looks in,
 * then those of its profiles. As `packages/utils/src/dirs.ts` of its version 18 has it.
 */
function ohMyPiFolders({ home, variables, cwd }: Machine, data: string): (readonly [string, RegExp])[] {
  const root = join(home, variables.PI_CONFIG_DIR || '.omp')
  const name = (variables.OMP_PROFILE ?? variables.PI_PROFILE ?? '').trim()
  const profile = name === '' || name === 'default' ? [] : ['profiles', name]
  const usual = join(root, ...profile, 'agent')
  const agent = profile.length > 0 ? usual : resolve(cwd, variables.PI_CODING_AGENT_DIR || usual)
  const moved = join(data, 'omp', ...profile)
  const isMoved = agent === usual && variables.XDG_DATA_HOME && kindOf(moved) === 'folder'
  return [
    [join(isMoved ? moved : agent, 'sessions'), JSONL],
    [join(root, 'profiles'), /^[^/]+\/agent\/sessions\/.+\.jsonl$/],
    [join(data, 'omp', 'profiles'), /^[^/]+\/sessions\/.+\.jsonl$/],
  ]
}

/**
 * Gives where to look for what is named: a folder with all below it, or a file, which need not be there yet. Throws
 * `no-path` where its folder is not.
 */
export function sessionFolderAt(path: string): SessionFolder {
  if (kindOf(path) === 'folder') return { agent: '', folder: path, files: /^/ }
  if (kindOf(dirname(path)) !== 'folder') throw new SessError('no-path', path)
  const name = basename(path)
  return { agent: '', folder: dirname(path), files: { test: (file) => file === name }, flat: true }
}

/**
 * Gives the path at which an agent looks for a session that its format's writer places so; undefined where it is not
 * known where that agent looks.
 */
export function sessionPath(machine: Machine, agent: string, place: readonly string[]): string | undefined {
  const { folder, together } = sessionFolders(machine).find((known) => known.agent === agent) ?? {}
  return folder === undefined ? undefined : join(folder, ...place.slice(together ? -1 : 1))
}

/** Gives what of a machine the names of agents' folders tell. */
export const namingFacts = ({
  home,
  variables,
  cwd,
}: Machine): {
  readonly home: string
  readonly temporary: string
  readonly real: (path: string) => string
  readonly geminiProject: (folder: string) => string | undefined
} => ({
  home: realPath(home),
  temporary: realPath(variables.TMPDIR || tmpdir()),
  real: realPath,
  geminiProject: (folder) => {
    const file = join(geminiIn({ home, variables, cwd }), 'projects.json')
    const name = settingOf(file, 'projects', realPath(folder))
    return name !== undefined && /^[a-z0-9-]+$/.test(name) ? name : undefined
  },
})

/** Gives a path without links; one that is not there, or says not from where, as it is. */
const realPath = (path: string): string =>
  isAbsolute(path) && kindOf(path) !== 'missing' ? realpathSync(path) : path

const OPENCLAW = /^[^/]+\/sessions\/[^/]+\.jsonl(?:\.deleted\.[^/]*\.zst)?$/
const GOOSE = /^(?:sessions\.db|[^/]+\.jsonl)$/

/** Gives a text from an agent's settings by its keys; undefined where there is no such file, or it is no JSON, or says nothing. */
function settingOf(path: string, ...keys: readonly string[]): string | undefined {
  if (kindOf(path) !== 'file') return undefined
  try {
    let value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
      value = Reflect.get(value, key)
    }
    return typeof value === 'string' ? value : undefined
  } catch (error) {
    // An agent that cannot read its settings has none.
    if (error instanceof SyntaxError || (error instanceof Error && 'syscall' in error)) return undefined
    throw error
  }
}

/** Gives what lies in each of some places that exist, each file once; folders that cannot be read are among the files. */
export function discover(places: readonly SessionFolder[]): DiscoveredFiles[] {
  const seen = new Set<string>()
  const found: DiscoveredFiles[] = []
  for (const { agent, folder, files: isSession, flat = false } of places) {
    if (kindOf(folder) !== 'folder') continue
    const start = join(folder, 'x').length - 1
    const files: FoundFile[] = []
    for (const file of filesBelow(folder, { flat })) {
      const { path, error } = file
      if (seen.has(path) || !(error || isSession.test(path.slice(start).replaceAll('\\', '/')))) continue
      seen.add(path)
      files.push(file)
    }
    if (files.length > 0) found.push({ agent, folder, files })
  }
  return found
}

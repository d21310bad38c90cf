import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import { folderIn, type Variables } from '../model/variables.ts'
import { settingOf } from './agentsettings.ts'
import { crushProjects } from './crushprojects.ts'
import { type FoundFile, filesBelow, kindOf, linkLoop } from './files.ts'
import { FollowedLinks } from './links.ts'
import { mayHoldSessions, type UnreadFiles, type UnreadForm, unreadFiles } from './unreadfiles.ts'

/** The facts about this machine that determine where agents keep their sessions. */
export interface Machine {
  /** The user's home. */
  readonly home: string
  readonly variables: Variables
  /** The working folder: some agents keep sessions in the project. */
  readonly cwd: string
  /** The project folder of a session. Default: the working folder. */
  readonly project?: string
}

/** A folder in which an agent keeps sessions, and a test for the files that are sessions. */
export interface SessionFolder {
  /** The name of the agent's format, or of the agent if it has no format of its own. */
  readonly agent: string
  /** Absolute. */
  readonly folder: string
  /** Matches the paths of sessions relative to the folder, with `/`. */
  readonly files: Pick<RegExp, 'test'>
  /** Whether only the folder itself is searched, because its subfolders are a whole project. */
  readonly flat?: boolean
  /** Whether the sessions of all projects are in one folder. */
  readonly sharedFolder?: boolean
  /** The project of all its sessions, where neither these nor their path tell it. */
  readonly project?: string
  /**
   * Matches the paths at which only sessions are expected: whatever else looks like a transcript or a database there is
   * reported as not read. All paths by default.
   */
  readonly expects?: Pick<RegExp, 'test'>
  /** Sessions in forms that are known and not read. */
  readonly unread?: readonly UnreadForm[]
}

/** The files that were found in one folder, and those that look like sessions and are not read. */
export interface DiscoveredFiles {
  readonly agent: string
  readonly folder: string
  readonly files: readonly FoundFile[]
  readonly unread: readonly UnreadFiles[]
  /** The symbolic links that were not followed. */
  readonly links: readonly string[]
}

const JSONL = /\.jsonl$/
const NOWHERE = /(?!)/
const TASK = /^tasks\/[^/]+\/(?:api_conversation_history|ui_messages)\.json$/
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']
/** The folders of remote editors, in the home on the remote machine. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server']
const EXTENSIONS = [
  ['cline', 'saoudrizwan.claude-dev'],
  ['roo', 'rooveterinaryinc.roo-cline'],
  ['kilo', 'kilocode.kilo-code'],
] as const

/** Returns the documented session folders of all known agents, according to the environment and the agents' settings. */
export function sessionFolders({ home, variables, cwd, project = cwd }: Machine): SessionFolder[] {
  const below = (...names: string[]): string => join(home, ...names)
  const inHome = (path: string): string => path.replace(/^~(?=$|[/\\])/, () => home)
  const expanded = (path: string): string => resolve(cwd, inHome(path))
  const named = (variable: string, usual: string): string => expanded(variables[variable] || usual)
  const xdg = (variable: string, usual: string): string =>
    folderIn({ [variable]: inHome(variables[variable] ?? '') }, variable) ?? usual
  const data = xdg('XDG_DATA_HOME', below('.local', 'share'))
  const config = xdg('XDG_CONFIG_HOME', below('.config'))
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
  const at = (
    agent: string,
    folder: string,
    files: RegExp,
    more: Pick<SessionFolder, 'expects' | 'unread' | 'flat'> = {},
  ): SessionFolder => ({ agent, folder, files, ...more })
  const applications = below('Library', 'Application Support')
  const desktops = [config, applications, variables.APPDATA ?? ''].filter((folder) => folder !== '')
  const editors = desktops.flatMap((folder) => EDITORS.map((editor) => join(folder, editor)))
  return [
    at('claude-code', join(named('CLAUDE_CONFIG_DIR', below('.claude')), 'projects'), JSONL),
    ...desktops.map((folder) =>
      at('claude-desktop', join(folder, 'Claude', 'local-agent-mode-sessions'), DESKTOP, DESKTOP_UNREAD),
    ),
    at('codex', join(codex, 'sessions'), /\/?rollout-[^/]*\.jsonl?(?:\.zst)?$/),
    at('codex', join(codex, 'archived_sessions'), /\/?rollout-[^/]*\.jsonl?(?:\.zst)?$/),
    piSessions
      ? { ...at('pi', expanded(piSessions), JSONL), sharedFolder: true }
      : at('pi', join(pi, 'sessions'), JSONL),
    ...ohMyPiFolders({ home, variables, cwd }, data).map(([folder, files, expects]) =>
      at('oh-my-pi', folder, files, { expects }),
    ),
    at('opencode', join(data, 'opencode'), OPENCODE, IN_OPENCODE),
    ...databaseNamed('opencode', variables.OPENCODE_DB, join(data, 'opencode')),
    at('kilo', join(data, 'kilo'), OPENCODE, IN_OPENCODE),
    ...databaseNamed('kilo', variables.KILO_DB, join(data, 'kilo')),
    at('gemini-cli', join(gemini, 'tmp'), /^[^/]+\/chats\/.+\.jsonl?$/, { expects: /^[^/]+\/chats\// }),
    at('copilot-cli', join(copilot, 'session-state'), /^[^/]+\/events\.jsonl$/, {
      expects: /^[^/]+\/[^/]+\.jsonl$/,
    }),
    at('copilot-cli', join(copilot, 'history-session-state'), /\.json$/),
    ...[...editors, ...SERVERS.map((server) => below(server, 'data'))].flatMap((editor) =>
      EXTENSIONS.map(([agent, name]) =>
        at(agent, join(editor, 'User', 'globalStorage', name), TASK, IN_TASKS),
      ),
    ),
    at('cline', below('.cline', 'data'), TASK, IN_TASKS),
    at('cline-cli', below('.cline', 'data', 'sessions'), /^[^/]+\/[^/]+\.messages\.json$/),
    at('crush', join(project, '.crush'), DATABASE, { flat: true }),
    ...crushProjects({ home, variables, cwd }, data).map((known) => ({
      ...at('crush', '', CRUSH, LISTED),
      ...known,
    })),
    at('cursor', below('.cursor', 'projects'), /\/agent-transcripts\/.+\.jsonl$/, {
      expects: /\/agent-transcripts\//,
    }),
    at('cursor', below('.cursor', 'chats'), /^[^/]+\/[^/]+\/[^/]+\.(?:db|sqlite3?)$/),
    at('aider', project, /^\.aider\.chat\.history\.md$/, { flat: true, expects: NOWHERE }),
    at('goose', goose ? join(expanded(goose), 'data', 'sessions') : join(data, 'goose', 'sessions'), GOOSE),
    at('amp', join(data, 'amp', 'threads'), /^T-[^/]+\.json$/),
    at('qwen', join(qwenOutput ? expanded(qwenOutput) : qwen, 'projects'), /^[^/]+\/chats\/.+\.jsonl$/, {
      expects: /^[^/]+\/chats\//,
    }),
    at(
      'kimi',
      join(named('KIMI_SHARE_DIR', below('.kimi')), 'sessions'),
      /\/(?:context(?:_\d+)?|wire)\.jsonl$/,
    ),
    at('kimi', join(named('KIMI_CODE_HOME', below('.kimi-code')), 'sessions'), /\/wire\.jsonl$/),
    at('droid', below('.factory', 'sessions'), JSONL),
    ...[named('OPENCLAW_STATE_DIR', below('.openclaw')), below('.clawdbot')].map((folder) =>
      at('openclaw', join(folder, 'agents'), OPENCLAW, { expects: /^[^/]+\/(?:sessions|agent)\// }),
    ),
    at(
      'continue',
      join(named('CONTINUE_GLOBAL_DIR', below('.continue')), 'sessions'),
      /^(?!sessions\.json$)[^/]+\.json$/,
    ),
    at('kiro', named('KIRO_HOME', below('.kiro')), /\.jsonl?$/, { expects: /^sessions\// }),
    ...[data, applications, variables.LOCALAPPDATA ?? ''].flatMap((folder) =>
      folder === '' ? [] : [at('kiro', join(folder, 'kiro-cli'), /^[^/]+\.(?:db|sqlite3?)$/)],
    ),
    at('grok', join(named('GROK_HOME', below('.grok')), 'sessions'), GROK, { expects: NOT_GROKS_OWN }),
    at('vibe', join(named('VIBE_HOME', below('.vibe')), 'logs', 'session'), /\/messages\.jsonl$/),
    at('windsurf', below('.windsurf', 'transcripts'), JSONL),
    ...['antigravity', 'antigravity-cli'].map((folder) =>
      at('antigravity', join(gemini, folder), JSONL, {
        expects: /^(?:brain|conversations)\//,
        unread: ANTIGRAVITY_UNREAD,
      }),
    ),
    at('dash', join(project, '.godel', 'sessions'), JSONL),
    at('rollouts', below('.rollouts', 'sessions'), JSONL),
  ]
}

/** Returns the folder of Gemini CLI as its module of paths does. */
const geminiIn = ({ home, variables, cwd }: Machine): string =>
  join(resolve(cwd, variables.GEMINI_CLI_HOME || home), '.gemini')

/**
 * Returns the folders in which oh-my-pi keeps sessions, with a pattern for the files: first the folder of the current
 * profile, then those of all profiles. Follows its module of folders, version 18.
 */
function ohMyPiFolders(
  { home, variables, cwd }: Machine,
  data: string,
): (readonly [folder: string, files: RegExp, expects: RegExp])[] {
  const root = join(home, variables.PI_CONFIG_DIR || '.omp')
  const name = (variables.OMP_PROFILE ?? variables.PI_PROFILE ?? '').trim()
  const profile = name === '' || name === 'default' ? [] : ['profiles', name]
  const usual = join(root, ...profile, 'agent')
  const agent = profile.length > 0 ? usual : resolve(cwd, variables.PI_CODING_AGENT_DIR || usual)
  const moved = join(data, 'omp', ...profile)
  const isMoved = agent === usual && folderIn(variables, 'XDG_DATA_HOME') && kindOf(moved) === 'folder'
  return [
    [join(isMoved ? moved : agent, 'sessions'), JSONL, /^/],
    [join(root, 'profiles'), /^[^/]+\/agent\/sessions\/.+\.jsonl$/, /^[^/]+\/agent\/sessions\//],
    [join(data, 'omp', 'profiles'), /^[^/]+\/sessions\/.+\.jsonl$/, /^[^/]+\/sessions\//],
  ]
}

/** Returns the folder to search for a path: a folder itself, or that of a file, which need not exist. Throws `no-path`. */
export function sessionFolderAt(path: string): SessionFolder {
  const kind = kindOf(path)
  if (kind === 'folder') return { agent: '', folder: path, files: /^/ }
  if (kind === 'loop') throw linkLoop(path)
  if (kindOf(dirname(path)) !== 'folder') throw new SessError('no-path', path)
  const name = basename(path)
  return { agent: '', folder: dirname(path), files: { test: (file) => file === name }, flat: true }
}

/**
 * Returns the path at which an agent looks for a session. `steps` is the path that the writer of the format chose. Returns
 * undefined for an agent without a known folder.
 */
export function sessionPath(machine: Machine, agent: string, steps: readonly string[]): string | undefined {
  const { folder, sharedFolder } = sessionFolders(machine).find((known) => known.agent === agent) ?? {}
  return folder === undefined ? undefined : join(folder, ...steps.slice(sharedFolder ? -1 : 1))
}

/** Returns the facts about a machine from which agents derive the names of their folders. */
export const namingFacts = ({
  home,
  variables,
  cwd,
}: Machine): {
  readonly home: string
  readonly temporary: string
  readonly real: (path: string) => string
  readonly geminiProject: (folder: string) => string | undefined
  readonly claudeProject?: string
} => ({
  ...claudeProjectIn(variables),
  home: realPath(home),
  temporary: realPath(variables.TMPDIR || tmpdir()),
  real: realPath,
  geminiProject: (folder) => {
    const file = join(geminiIn({ home, variables, cwd }), 'projects.json')
    const name = settingOf(file, 'projects', realPath(folder))
    return name !== undefined && /^[a-z0-9-]+$/.test(name) ? name : undefined
  },
})

/** Returns the name that Claude Code gives the folder of every project, where its user chose one beside its own folder. */
function claudeProjectIn(variables: Machine['variables']): { readonly claudeProject?: string } {
  const name = variables.CLAUDE_CONFIG_DIR ? variables.CLAUDE_CODE_PROJECT_DIR_NAME : undefined
  return name !== undefined && /^[\w-]{1,64}$/.test(name) ? { claudeProject: name } : {}
}

/** Resolves links in an absolute path that exists; returns any other path as it is. */
const realPath = (path: string): string =>
  isAbsolute(path) && kindOf(path) !== 'missing' ? realpathSync(path) : path

const OPENCLAW =
  /^[^/]+\/(?:sessions\/[^/]+\.jsonl(?:\.(?:deleted|reset)\.[^/]+)?|agent\/[^/]+\.(?:db|sqlite3?))$/
const CRUSH = /^crush\.db$/
/** A folder from a list may be anything: only the database is looked for. */
const LISTED = { flat: true, expects: NOWHERE }
const IN_TASKS = { expects: /^tasks\// }
const GROK = /\/(?:chat_history|updates)\.jsonl$/
/** All but Grok's index and the logs that it keeps beside a conversation. */
const NOT_GROKS_OWN =
  /^(?!session_search\.sqlite$)(?!.*\/(?:events|prompt_history|hunk_records|rewind_points)\.jsonl$)/
/** Claude Desktop keeps a folder `.claude` for each session of its agent mode. */
const DESKTOP = /(?:^|\/)projects\/.+\.jsonl$/
const DESKTOP_UNREAD = {
  expects: /(?:^|\/)projects\//,
  unread: [{ files: /(?:^|\/)(local_[^/]+)\/audit\.jsonl$/, name: 'audit logs of sessions' }],
}
const ANTIGRAVITY_UNREAD: readonly UnreadForm[] = [
  { files: /^conversations\/([^/]+)\.pb$/, name: 'encrypted conversations' },
  { files: /^conversations\/([^/]+)\.db$/, name: 'conversations in a database of protocol buffers' },
]
const GOOSE = /^[^/]+\.(?:db|sqlite3?|jsonl)$/
/** Also databases of unknown names: what they hold is read, or reported. */
const DATABASE = /^[^/]+\.(?:db|sqlite3?)$/i
const OPENCODE = /^(?:[^/]+\.(?:db|sqlite3?)|storage\/session\/.+\.json)$/
const IN_OPENCODE = { expects: /^[^/]+$|^storage\/session\// }

/** Returns the folder of a database that a variable names, relative to the agent's folder; none if that has it anyway. */
function databaseNamed(agent: string, name: string | undefined, usual: string): SessionFolder[] {
  if (!name || name === ':memory:') return []
  const path = resolve(usual, name)
  const [folder, file] = [dirname(path), basename(path)]
  return folder === usual ? [] : [{ agent, folder, files: { test: (found) => found === file }, flat: true }]
}

/** A folder of sessions that was searched. */
interface SearchedFolder {
  readonly place: SessionFolder
  readonly files: readonly FoundFile[]
  /** The names of other files that may hold sessions, relative to the folder. */
  readonly others: readonly string[]
  readonly links: readonly string[]
}

/**
 * Returns the sessions in some folders, each file once, and what looks like sessions there and is not read. Folders that
 * cannot be read are returned as files with an error. Symbolic links are followed below `home` alone.
 */
export function discover(folders: readonly SessionFolder[], home?: string): DiscoveredFiles[] {
  const seen = new Set<string>()
  const searched: SearchedFolder[] = []
  for (const place of folders) {
    const { folder, flat = false } = place
    if (kindOf(folder) !== 'folder') continue
    const links: string[] = []
    const below = filesBelow(folder, { flat, onLink: (link) => links.push(link) })
    const found = sessionsAmong(place, below, seen)
    searched.push({ place, ...found, links: flat || home === undefined ? [] : links })
  }
  const hasLinks = searched.some(({ links }) => links.length > 0)
  const places = home !== undefined && hasLinks ? followed(searched, home, seen) : searched
  return places
    .map(discovered)
    .filter(({ files, unread, links }) => files.length + unread.length + links.length > 0)
}

/** Returns those of some files at a place that are sessions, and the names of others that may hold some. */
function sessionsAmong(
  { folder, files: isSession, project }: SessionFolder,
  found: Iterable<FoundFile>,
  seen: Set<string>,
): Pick<SearchedFolder, 'files' | 'others'> {
  const files: FoundFile[] = []
  const others: string[] = []
  for (const file of found) {
    const { path, error } = file
    if (seen.has(path)) continue
    const name = nameBelow(folder, path)
    if (error || isSession.test(name)) {
      seen.add(path)
      files.push(project === undefined ? file : { ...file, project })
    } else if (mayHoldSessions(name)) others.push(name)
  }
  return { files, others }
}

/** Adds the files behind symbolic links to those that were found. The links that are left are not followed. */
function followed(
  searched: readonly SearchedFolder[],
  home: string,
  seen: Set<string>,
): readonly SearchedFolder[] {
  const found = searched.map(({ place: { folder }, files }) => ({ folder, files }))
  const follower = new FollowedLinks(home, found)
  const behind = new Map<string, readonly FoundFile[] | undefined>()
  for (const link of searched.flatMap(({ links }) => links))
    if (!behind.has(link)) behind.set(link, follower.follow(link))
  const reported = new Set<string>()
  return searched.map(({ place, files, others, links }) => {
    const linked = links.flatMap((link) => behind.get(link) ?? [])
    const more = sessionsAmong(place, linked, seen)
    const left = links.filter(
      (link) => behind.get(link) === undefined && !reported.has(link) && mayHold(place, link),
    )
    for (const link of left) reported.add(link)
    return { place, files: [...files, ...more.files], others: [...others, ...more.others], links: left }
  })
}

/** Returns whether sessions may be behind a symbolic link: it leads to a folder or nowhere, or has the name of a session. */
function mayHold({ folder, files }: SessionFolder, link: string): boolean {
  const name = nameBelow(folder, link)
  return kindOf(link) !== 'file' || mayHoldSessions(name) || files.test(name)
}

function discovered({ place, files, others, links }: SearchedFolder): DiscoveredFiles {
  const { agent, folder } = place
  const sessions = (): string[] => files.map(({ path }) => nameBelow(folder, path))
  return {
    agent,
    folder,
    files,
    unread: others.length === 0 ? [] : unreadFiles(place, others, sessions),
    links,
  }
}

/** Returns a path below a folder relative to it, with `/`. */
const nameBelow = (folder: string, path: string): string =>
  path.slice(join(folder, 'x').length - 1).replaceAll('\\', '/')

import { readFileSync, realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import { isWithin } from '../model/paths.ts'
import { type FoundFile, filesBelow, kindOf, linkLoop } from './files.ts'
import { FollowedLinks } from './links.ts'

/** The facts about this machine that determine where agents keep their sessions. */
export interface Machine {
  /** The user's home. */
  readonly home: string
  readonly variables: { readonly [name: string]: string | undefined }
  /** The working folder: some agents keep sessions in the project. */
  readonly cwd: string
  /** The project folder of a session. Default: the working folder. */
  readonly project?: string
}

/** Returns the home folder and the environment variables of this process. */
export const thisMachine = (): Omit<Machine, 'cwd'> => ({
  home: process.env.HOME || homedir(),
  variables: process.env,
})

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
}

/** The files that were found in one folder. */
export interface DiscoveredFiles {
  readonly agent: string
  readonly folder: string
  readonly files: readonly FoundFile[]
  /** The symbolic links that were not followed. */
  readonly links?: readonly string[]
  /** The files that no pattern matches and whose names are those of sessions. */
  readonly others?: readonly FoundFile[]
}

const JSONL = /\.jsonl$/
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
      ? { ...at('pi', expanded(piSessions), JSONL), sharedFolder: true }
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

/** Returns the folder of Gemini CLI as its `packages/core/src/utils/paths.ts` does. */
const geminiIn = ({ home, variables, cwd }: Machine): string =>
  join(resolve(cwd, variables.GEMINI_CLI_HOME || home), '.gemini')

/**
 * Returns the folders in which oh-my-pi keeps sessions, with a pattern for the files: first the folder of the current
 * profile, then those of all profiles. Follows `packages/utils/src/dirs.ts` of its version 18.
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

/** Resolves links in an absolute path that exists; returns any other path as it is. */
const realPath = (path: string): string =>
  isAbsolute(path) && kindOf(path) !== 'missing' ? realpathSync(path) : path

const OPENCLAW = /^[^/]+\/sessions\/[^/]+\.jsonl(?:\.deleted\.[^/]*\.zst)?$/
const GOOSE = /^(?:sessions\.db|[^/]+\.jsonl)$/

/** Returns a string from an agent's settings by its keys; undefined where it or the file is missing, or it is not JSON. */
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

/** A file of JSON lines, also with another ending after that; no copy that a program made of it. */
const LIKE_SESSION = /\.(?:jsonl|ndjson)(?:\.[\w.:-]+)?$/i
const COPY = /(?:\.(?:bak|tmp|lock|swp|orig)|~)$/i

/** Returns the sessions in some folders, each file once. Symbolic links are followed below `home` alone. */
export function discover(folders: readonly SessionFolder[], home?: string): DiscoveredFiles[] {
  const seen = new Set<string>()
  const others = new Map<string, FoundFile>()
  const found: DiscoveredFiles[] = []
  const links = new Map<string, readonly string[]>()
  for (const place of folders) {
    if (kindOf(place.folder) !== 'folder') continue
    const linked: string[] = []
    const files = matching(
      place,
      filesBelow(place.folder, { flat: place.flat ?? false, onLink: (link) => linked.push(link) }),
      others,
    )
    const fresh = files.filter(({ path }) => !seen.has(path))
    for (const { path } of fresh) seen.add(path)
    found.push({ agent: place.agent, folder: place.folder, files: fresh })
    if (!place.flat) links.set(place.folder, [...new Set([...(links.get(place.folder) ?? []), ...linked])])
  }
  const followed = home !== undefined && [...links.values()].some((all) => all.length > 0)
  const places = followed ? withLinks(folders, found, links, new FollowedLinks(home, found)) : found
  return places
    .map((place) => ({ ...place, ...othersIn(place, places, others) }))
    .filter(({ files, links: left = [], others: more = [] }) => files.length + left.length + more.length > 0)
}

/** Returns the files that a place's pattern matches, and puts others that look like sessions with those. */
function matching(
  { folder, files: isSession, flat = false }: SessionFolder,
  below: Iterable<FoundFile>,
  others: Map<string, FoundFile>,
): FoundFile[] {
  const start = join(folder, 'x').length - 1
  const files: FoundFile[] = []
  for (const file of below) {
    const { path, error } = file
    if (error || isSession.test(path.slice(start).replaceAll('\\', '/'))) files.push(file)
    else if (!flat && LIKE_SESSION.test(path) && !COPY.test(path)) others.set(path, file)
  }
  return files
}

/** Adds the files behind symbolic links to those that were found, and the links that are not followed. */
function withLinks(
  folders: readonly SessionFolder[],
  found: readonly DiscoveredFiles[],
  links: ReadonlyMap<string, readonly string[]>,
  followed: FollowedLinks,
): DiscoveredFiles[] {
  const behind = new Map<string, ReturnType<FollowedLinks['follow']>>()
  for (const link of [...links.values()].flat())
    if (!behind.has(link)) behind.set(link, followed.follow(link))
  const reported = new Set<string>()
  return found.map((place) => {
    const own = links.get(place.folder) ?? []
    const pattern = folders.find(({ agent, folder }) => agent === place.agent && folder === place.folder)
    const files = pattern
      ? matching(
          pattern,
          own.flatMap((link) => behind.get(link) ?? []),
          new Map(),
        )
      : []
    const left = own.filter(
      (link) => behind.get(link) === undefined && !reported.has(link) && (!pattern || mayHold(pattern, link)),
    )
    for (const link of left) reported.add(link)
    return { ...place, files: [...place.files, ...files], links: left }
  })
}

/** Returns whether sessions may be behind a symbolic link: it leads to a folder or nowhere, or has the name of a session. */
const mayHold = ({ folder, files }: SessionFolder, link: string): boolean =>
  kindOf(link) !== 'file' ||
  LIKE_SESSION.test(link) ||
  files.test(link.slice(folder.length + 1).replaceAll('\\', '/'))

/** Returns the files of a place that look like sessions and that no place matches. */
function othersIn(
  { folder }: DiscoveredFiles,
  places: readonly DiscoveredFiles[],
  others: Map<string, FoundFile>,
): Pick<DiscoveredFiles, 'others'> {
  if (others.size === 0) return {}
  for (const { files } of places) for (const { path } of files) others.delete(path)
  const own = [...others.values()].filter(({ path }) => isWithin(path, folder))
  for (const { path } of own) others.delete(path)
  return own.length > 0 ? { others: own } : {}
}

import { unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolderSync, replaceFile } from '../files/replacefile.ts'
import { SessError } from '../model/errors.ts'
import { folderIn } from '../model/variables.ts'
import type { AgentHome } from './agents.ts'
import type { Program } from './launcher.ts'
import { textOf } from './livefolder.ts'
import { MARK } from './parts.ts'

/** A service of the user that watches all agents: its file, and the commands that start and stop it. */
export interface Service {
  readonly kind: 'systemd' | 'launchd'
  readonly path: string
  readonly text: string
  readonly start: readonly (readonly string[])[]
  readonly stop: readonly (readonly string[])[]
}

/** The name of the service. */
const NAME = 'sess-watch'
const LABEL = 'sess.watch'

/** How a service runs. */
interface ServiceOptions {
  readonly platform: string
  readonly uid: number
  readonly program: Program
  /** The store that is named; undefined for the usual one. */
  readonly store: string | undefined
}

/** Returns the service for a system; undefined for one without a known manager of services. */
export function serviceFor(at: AgentHome, options: ServiceOptions): Service | undefined {
  if (options.platform === 'linux') return systemd(at, options)
  return options.platform === 'darwin' ? launchd(at, options) : undefined
}

const wordsOf = ({ program: { node, script }, store }: ServiceOptions): string[] => [
  node,
  script,
  ...(store === undefined ? [] : ['--store', store]),
  'watch',
]

function systemd({ home, variables }: AgentHome, options: ServiceOptions): Service {
  const folder = folderIn(variables, 'XDG_CONFIG_HOME') ?? join(home, '.config')
  const unit = `${NAME}.service`
  return {
    kind: 'systemd',
    path: join(folder, 'systemd', 'user', unit),
    text: `# ${MARK}
[Unit]
Description=Keeps the sessions of agents in the store of sess

[Service]
ExecStart=${wordsOf(options).map(systemdWord).join(' ')}
WorkingDirectory=${home.replaceAll('%', '%%')}
Restart=on-failure
RestartSec=30
UMask=0077
Nice=10

[Install]
WantedBy=default.target
`,
    start: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', '--now', unit],
    ],
    stop: [['systemctl', '--user', 'disable', '--now', unit]],
  }
}

/** Quotes a word of a command of a unit, in which `%` and `$` mean something. */
const systemdWord = (word: string): string =>
  `"${word.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

function launchd({ home }: AgentHome, options: ServiceOptions): Service {
  const path = join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`)
  const words = wordsOf(options).map((word) => `    <string>${xmlText(word)}</string>`)
  return {
    kind: 'launchd',
    path,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>WorkingDirectory</key>
  <string>${xmlText(home)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`,
    start: [['launchctl', 'bootstrap', `gui/${options.uid}`, path]],
    stop: [['launchctl', 'bootout', `gui/${options.uid}/${LABEL}`]],
  }
}

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A service that was written or removed. */
export interface ChangedService extends Pick<Service, 'kind' | 'path'> {
  readonly change: 'create' | 'change' | 'remove' | 'none'
  /** Its text; null where it was removed. */
  readonly text: string | null
  /** The commands that start it, or that stop it before it is removed. */
  readonly commands: readonly (readonly string[])[]
}

/**
 * Writes the service for this system, or removes it. Starting and stopping is the user's: the manager of services may not
 * run here. Throws `exists` where a file of somebody else has its name, and `bad-usage` where there is no such service.
 */
export function setService(
  at: AgentHome,
  {
    remove,
    dryRun,
    ...options
  }: Pick<ServiceOptions, 'program' | 'store'> & { readonly remove: boolean; readonly dryRun: boolean },
): ChangedService {
  const service = serviceFor(at, {
    ...options,
    platform: process.platform,
    uid: process.getuid?.() ?? 0,
  })
  if (!service)
    throw new SessError('bad-usage', `there is no service for ${process.platform}`, {
      hint: 'have your system start what watches the agents',
    })
  const { kind, path, text, start, stop } = service
  const before = textOf(path)
  if (before !== undefined && !before.includes(MARK)) throw new SessError('exists', path)
  if (remove) {
    if (before !== undefined && !dryRun) unlinkSync(path)
    return { kind, path, change: before === undefined ? 'none' : 'remove', text: null, commands: stop }
  }
  const change = before === undefined ? 'create' : before === text ? 'none' : 'change'
  if (change !== 'none' && !dryRun) {
    makeFolderSync(dirname(path))
    replaceFile(path, text)
  }
  return { kind, path, change, text, commands: start }
}

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { view } from '../../formats/rollouts/fields.ts'
import type { Json } from '../../model/json.ts'
import { fromValue } from '../../model/value.ts'
import { readHeader } from '../core/files.ts'
import { appendLine, frozen, lineOf, linesOf, type SessionsFolder, timeNow } from './storage.ts'
import type { RolloutsMessage, RolloutsSession, RolloutsSessionHeader, RolloutsSessionInfo } from './types.ts'

/** The number of characters of the first prompt in a list. */
const SHOWN = 60

/** The functions on sessions in files, one file each. They are synchronous and return frozen values. */
export interface FileSessions {
  /** Returns the folder of the sessions of a working directory. */
  readonly getSessionsDir: (workingDir: string) => string
  readonly createSession: (workingDir: string, provider: string, model: string) => RolloutsSession
  /** Returns the session whose file was changed last, or null. */
  readonly findLatestSession: (workingDir: string) => RolloutsSession | null
  /** Throws where there is no such file, or where it is no session. */
  readonly loadSession: (filePath: string) => RolloutsSession
  /** Returns the sessions of a folder, the one that was changed last first; other files are passed over. */
  readonly listSessions: (workingDir: string) => readonly RolloutsSession[]
  readonly getSessionInfo: (session: RolloutsSession) => RolloutsSessionInfo
  readonly listSessionsWithInfo: (workingDir: string) => readonly RolloutsSessionInfo[]
  readonly appendMessage: (session: RolloutsSession, message: RolloutsMessage) => void
  readonly appendConfigChange: (session: RolloutsSession, endpoint: object, environmentType: string) => void
  /** Returns the messages in order. Throws where a line is no JSON. */
  readonly loadMessages: (session: RolloutsSession) => readonly RolloutsMessage[]
  readonly loadHeader: (session: RolloutsSession) => RolloutsSessionHeader
  /** Makes a session of the messages up to one, that included, counted from 0. Throws where there is none. */
  readonly branchSession: (
    source: RolloutsSession,
    branchAfterIdx: number,
    workingDir: string,
    provider: string,
    model: string,
  ) => RolloutsSession
  /** Creates a session of a summary and the last messages; returns the source where there is nothing to summarize. */
  readonly compactSession: (
    source: RolloutsSession,
    summarizeFn: (messages: readonly RolloutsMessage[]) => string,
    keepLastN: number,
    workingDir: string,
    provider: string,
    model: string,
  ) => RolloutsSession
  readonly deleteSession: (session: RolloutsSession) => void
  /** Deletes the sessions of a folder and returns their number. */
  readonly clearAllSessions: (workingDir: string) => number
}

/** Returns the functions over sessions in files. */
export function fileSessions(place: SessionsFolder): FileSessions {
  const getSessionsDir = (workingDir: string): string =>
    join(place.root(), `--${resolve(workingDir).replace(/^\//, '').replaceAll('/', '-')}--`)

  const write = (
    workingDir: string,
    header: RolloutsSessionHeader,
    messages: readonly RolloutsMessage[],
  ): RolloutsSession => {
    const dir = getSessionsDir(workingDir)
    mkdirSync(dir, { recursive: true })
    const file_path = join(dir, `${header.timestamp.slice(0, 19).replaceAll(':', '-')}_${header.id}.jsonl`)
    const lines = [header, ...messages.map((message) => recordOf(message))]
    writeFileSync(file_path, lines.map(lineOf).join(''), { flag: 'wx' })
    place.wrote(file_path)
    return Object.freeze({ file_path, session_id: header.id })
  }

  const begin = (
    workingDir: string,
    { provider, model }: { readonly provider: string; readonly model: string },
    messages: readonly RolloutsMessage[] = [],
  ): RolloutsSession => {
    const cwd = resolve(workingDir)
    const header = {
      type: 'session',
      id: randomUUID(),
      timestamp: timeNow(place),
      cwd,
      provider,
      model,
    } as const
    return write(workingDir, header, messages)
  }

  const recordOf = (message: RolloutsMessage): object => ({
    type: 'message',
    timestamp: timeNow(place),
    message,
  })

  const append = ({ file_path }: RolloutsSession, record: object): void => {
    appendLine(file_path, record)
    place.wrote(file_path)
  }

  const headerIn = (path: string): RolloutsSessionHeader | undefined =>
    readHeader(path) as RolloutsSessionHeader | undefined

  const loadHeader = ({ file_path }: RolloutsSession): RolloutsSessionHeader => {
    const header = headerIn(file_path)
    if (!header) throw new Error(`${file_path} does not begin with the header of a session`)
    return frozen(header)
  }

  const loadMessages = ({ file_path }: RolloutsSession): readonly RolloutsMessage[] =>
    Object.freeze(
      linesOf(file_path).flatMap((line) =>
        'type' in line && line.type === 'message' && 'message' in line
          ? [line.message as RolloutsMessage]
          : [],
      ),
    )

  const loadSession = (filePath: string): RolloutsSession => {
    if (!existsSync(filePath)) throw new Error(`Session file not found: ${filePath}`)
    const { id } = loadHeader({ file_path: filePath, session_id: '' })
    return Object.freeze({ file_path: filePath, session_id: id })
  }

  const listSessions = (workingDir: string): readonly RolloutsSession[] => {
    const dir = getSessionsDir(workingDir)
    if (!existsSync(dir)) return []
    const files = readdirSync(dir)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => ({ path: join(dir, name), time: statSync(join(dir, name)).mtimeMs }))
    files.sort((a, b) => b.time - a.time || (a.path < b.path ? 1 : -1))
    const sessions = files.flatMap(({ path }) => {
      const header = headerIn(path)
      return header ? [Object.freeze({ file_path: path, session_id: header.id })] : []
    })
    return Object.freeze(sessions)
  }

  const getSessionInfo = (session: RolloutsSession): RolloutsSessionInfo => {
    const messages = loadMessages(session)
    return frozen({
      session,
      header: loadHeader(session),
      message_count: messages.length,
      first_user_message: shown(messages.find(({ role }) => role === 'user')),
      modified: statSync(session.file_path).mtime.toISOString(),
    })
  }

  const deleteSession = ({ file_path }: RolloutsSession): void => rmSync(file_path, { force: true })

  return {
    getSessionsDir,
    createSession: (workingDir, provider, model) => begin(workingDir, { provider, model }),
    findLatestSession: (workingDir) => listSessions(workingDir)[0] ?? null,
    loadSession,
    listSessions,
    getSessionInfo,
    listSessionsWithInfo: (workingDir) => Object.freeze(listSessions(workingDir).map(getSessionInfo)),
    appendMessage: (session, message) => append(session, recordOf(message)),
    appendConfigChange: (session, endpoint, environment_type) =>
      append(session, { type: 'config_change', timestamp: timeNow(place), endpoint, environment_type }),
    loadMessages,
    loadHeader,
    branchSession: (source, branchAfterIdx, workingDir, provider, model) => {
      const messages = loadMessages(source)
      if (messages[branchAfterIdx] === undefined)
        throw new Error(`no message ${branchAfterIdx} in ${source.file_path}, which has ${messages.length}`)
      return begin(workingDir, { provider, model }, messages.slice(0, branchAfterIdx + 1))
    },
    compactSession: (source, summarizeFn, keepLastN, workingDir, provider, model) => {
      const messages = loadMessages(source)
      const end = messages.length - keepLastN
      if (end <= 0) return source
      const content = `[Previous conversation summary]\n${summarizeFn(messages.slice(0, end))}`
      return begin(workingDir, { provider, model }, [{ role: 'user', content }, ...messages.slice(end)])
    },
    deleteSession,
    clearAllSessions: (workingDir) => {
      const all = listSessions(workingDir)
      for (const session of all) deleteSession(session)
      return all.length
    },
  }
}

/** Returns the beginning of the text of a message, or null where there is none. */
function shown(message: RolloutsMessage | undefined): string | null {
  if (!message) return null
  const { blocks } = view(fromValue(message) as Json)
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const text = texts.join('\n')
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text
}

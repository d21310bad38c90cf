/** A message as rollouts keeps it; what it has besides is kept too. */
export interface RolloutsMessage {
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly content: unknown
  readonly provider?: string | null
  readonly api?: string | null
  readonly model?: string | null
  readonly tool_call_id?: string | null
  readonly details?: unknown
  readonly timestamp?: string
}

/** A session in a file: its path and its id. */
export interface RolloutsSession {
  readonly file_path: string
  readonly session_id: string
}

/** The first line of a session's file. */
export interface RolloutsSessionHeader {
  readonly type: 'session'
  readonly id: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly cwd: string
  readonly provider: string
  readonly model: string
}

/** A session in a list. */
export interface RolloutsSessionInfo {
  readonly session: RolloutsSession
  readonly header: RolloutsSessionHeader
  readonly message_count: number
  /** At most 60 characters, then `...`; null where no user spoke. */
  readonly first_user_message: string | null
  /** When its file was changed, ISO 8601. */
  readonly modified: string
}

export type Status = 'pending' | 'completed' | 'truncated' | 'aborted'

/** The content of `session.json` of a session in a folder. */
export interface SessionConfig {
  readonly session_id: string
  readonly parent_id: string | null
  /** The number of messages that it shares with its parent. */
  readonly branch_point: number | null
  /** Without secrets. */
  readonly endpoint: { readonly [key: string]: unknown }
  readonly environment: { readonly type: string; readonly config: { readonly [key: string]: unknown } }
  readonly environment_state: { readonly [key: string]: unknown } | null
  readonly status: Status
  readonly reward: number | { readonly [key: string]: unknown } | null
  readonly tags: { readonly [key: string]: string }
  readonly created_at: string
  readonly updated_at: string
}

/** A session in a folder, with its messages. */
export interface AgentSession extends SessionConfig {
  readonly messages: readonly RolloutsMessage[]
}

/** The result of a call: its value, or the reason why there is none. */
export type RolloutsOutcome<T> = readonly [value: T, error: null] | readonly [value: null, error: string]

/** A session as its agent has it: the id that it has there, and its file. */
export interface Resumable {
  readonly id: string
  readonly path: string
}

/** The program whose sessions a format holds. */
export interface Agent {
  /** What people call it. */
  readonly title: string
  /** Returns the command with which it takes a session from its file, where it does not look for files. */
  readonly take?: (session: Resumable) => readonly string[]
  /**
   * Returns the command that goes on with a session, as a list of arguments; it is run in the session's folder. Empty where
   * it has none.
   */
  resume(session: Resumable): readonly string[]
  /** Says what is to be done where it has no command for that. */
  readonly opens?: (session: Resumable) => string
  /** Whether it takes a file wherever that lies. */
  readonly anywhere?: boolean
  /** Whether it looks only at sessions of the folder that it is started in. */
  readonly perFolder?: boolean
}

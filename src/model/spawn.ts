/** How a sub-agent was started: by which sub-agent, by which call, and what it is. */
export type Spawn = {
  /** The native id of the sub-agent that called it; absent where the session did that has the file. */
  readonly caller?: string
  /** The id of the tool call. */
  readonly call?: string
  readonly type?: string
  readonly description?: string
  /** Whether it began with the conversation of its caller. */
  readonly fork?: true
  /** How many sub-agents are above it, and one more. */
  readonly depth?: number
}

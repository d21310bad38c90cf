import type { Oid } from './encoding/oid.ts'
import type { Json } from './json.ts'
import type { UsageTotals } from './usage.ts'
import type { Effect } from './view.ts'

/** A sub-agent that an entry started. */
export type Subagent = {
  /** The native id of its session. */
  readonly id: string
  /** The id of its session; null if the store does not have it. */
  readonly session: string | null
  /** The kind of sub-agent, and its task in a few words; null if unknown. */
  readonly type: string | null
  readonly description: string | null
  /** The numbers of its own entries and tool calls, and its tokens; null if it has no session, or does not record them. */
  readonly entries: number | null
  readonly calls: number | null
  readonly tokens: number | null
  /** The sub-agents that it started itself. */
  readonly agents: readonly Subagent[]
}

/** The speaker of a turn; null for what nobody says, such as a compaction. */
export type Speaker = 'user' | 'assistant' | 'system' | null

/** The result of a tool call. */
export interface Answer {
  readonly oid: Oid
  readonly error: boolean
  /** Its first line, or with whole results all of it. */
  readonly text: string
  /** The number of its lines. */
  readonly lines: number
}

/** A tool call with its result; without a name and an input a result whose call is not on the path. */
export interface ToolPart {
  readonly kind: 'tool'
  readonly oid: Oid
  readonly name: string | null
  readonly input: Json
  readonly result: Answer | null
  readonly agents: readonly Subagent[]
}

/** The effect of an entry on the conversation, besides its words. */
export type Mark = Effect['kind'] | 'setting'

/** A piece of a turn, and the entry that it is from. */
export type TurnPart =
  | ToolPart
  /** `aside`: the agent says it, in the user's name or as the system. */
  | { readonly kind: 'text' | 'thinking' | 'aside'; readonly oid: Oid; readonly text: string }
  | { readonly kind: 'image'; readonly oid: Oid; readonly mediaType: string; readonly bytes: number }
  | { readonly kind: 'mark'; readonly oid: Oid; readonly does: Mark; readonly text: string }

/** A turn of a conversation: what one speaker says before another one speaks. */
export interface Turn {
  readonly session: string | null
  /** The first of its entries. */
  readonly oid: Oid
  readonly who: Speaker
  /** Whether it goes on with the turn before it: long turns are read in pieces. */
  readonly continues: boolean
  /** ISO 8601 in UTC; null where it is unknown. */
  readonly time: string | null
  readonly model: string | null
  readonly parts: readonly TurnPart[]
  /** The usage of its model calls, each counted once, if that was asked for. */
  readonly usage?: UsageTotals
}

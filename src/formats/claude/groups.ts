import type { JsonObject } from '../../model/json.ts'
import type { RecordIndex } from '../format.ts'
import type { EntryKind } from './body.ts'
import { idAt, listAt, textAt } from './look.ts'

/** The blocks of one assistant message and the results that answer them: one chain in file order. */
export interface Group {
  /** Its last member so far, on which the next member and all that continues any member follow. */
  tail: RecordIndex | null
}

interface Call {
  readonly group: Group
  /** The entry that holds it. */
  readonly caller: RecordIndex
  /** The entry that holds its result and nothing else. */
  answer?: RecordIndex
}

/** The groups of one thread of conversation, by the ids that their members share. */
export class Groups {
  readonly #messages = new Map<string, Group>()
  readonly #calls = new Map<string, Call>()

  /** Gives the group that an entry belongs to, undefined where it stands for itself. */
  of(record: JsonObject, kind: EntryKind, entry: RecordIndex): Group | undefined {
    if (kind === 'assistant') {
      const message = idAt(record, 'message', 'id')
      return message === undefined ? undefined : this.#ofMessage(message, record, entry)
    }
    if (kind !== 'user') return undefined
    const blocks = listAt(record, 'message', 'content')
    const result = blocks.find((block) => textAt(block, 'type') === 'tool_result')
    const call = this.#calls.get(textAt(result, 'tool_use_id') ?? '')
    if (call && blocks.length === 1) call.answer = entry
    return call?.group
  }

  /** Gives the entry that holds the result of a tool call, where it holds nothing else. */
  answer(call: string): RecordIndex | undefined {
    return this.#calls.get(call)?.answer
  }

  /** Gives the entry that holds a tool call. */
  caller(call: string): RecordIndex | undefined {
    return this.#calls.get(call)?.caller
  }

  #ofMessage(message: string, record: JsonObject, caller: RecordIndex): Group {
    let group = this.#messages.get(message)
    if (!group) {
      group = { tail: null }
      this.#messages.set(message, group)
    }
    for (const block of listAt(record, 'message', 'content')) {
      const call = textAt(block, 'type') === 'tool_use' ? idAt(block, 'id') : undefined
      if (call !== undefined) this.#calls.set(call, { group, caller })
    }
    return group
  }
}

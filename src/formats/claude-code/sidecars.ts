import { asString, items, type Json, type JsonObject } from '../../model/json.ts'
import type { Spawn } from '../../model/spawn.ts'
import type { Facts, OutputPlace, RecordIndex, SidecarFiles } from '../core/format.ts'
import { folderNamedLike } from '../core/sidecar.ts'
import { at, idAt, listAt, opened, textAt } from './fields.ts'

/** The files of sub-agents are sessions of their own. */
const AGENT = /(?:^|\/)agent-[^/]*\.jsonl$/

/** The file that says how a sub-agent was started. */
const AGENT_META = /(?:^|\/)subagents\/(?:.*\/)?(agent-[^/]+)\.meta\.json$/

/** The folder with the outputs of tools that were too large for the transcript. */
const OUTPUTS = 'tool-results'

/** The longest description that is kept, in UTF-16 units. */
const MAX_DESCRIPTION = 200

/** Returns the id of a sub-agent's session from the id of the sub-agent. */
export const agentSession = (agent: string): string => (agent.startsWith('agent-') ? agent : `agent-${agent}`)

function spawnIn(value: Json): Spawn {
  const [caller, call, type] = ['parentAgentId', 'toolUseId', 'agentType'].map((key) => idAt(value, key))
  const description = idAt(value, 'description')?.slice(0, MAX_DESCRIPTION)
  const depth = at(value, 'spawnDepth')
  return {
    ...(caller !== undefined && { caller: agentSession(caller) }),
    ...(call !== undefined && { call }),
    ...(type !== undefined && { type: type.slice(0, MAX_DESCRIPTION) }),
    ...(description !== undefined && { description }),
    ...(at(value, 'isFork') === true && { fork: true }),
    ...(typeof depth === 'number' && Number.isInteger(depth) && { depth }),
  }
}

/** Returns the facts in a file beside a session: how a sub-agent was started. */
function factsIn(path: string, value: Json): Facts {
  const agent = AGENT_META.exec(path)?.[1]
  return agent === undefined ? {} : { spawns: new Map([[agent, spawnIn(value)]]) }
}

export const sidecars: SidecarFiles = {
  folder: folderNamedLike,
  holds: (path) => !AGENT.test(path),
  isOutput: (path) => PATH.test(path),
  facts: factsIn,
}

/** How a result begins whose whole text is in a file: with a preview of the text, or without. */
const PREVIEW = /^(?:<persisted-output>|Error: result \()/

/** The name of that file in such a text: the last three steps of its path. */
const SAVED = /saved to:? (?:[^\n]*[\\/])?([^\\/\n]+)[\\/]tool-results[\\/]([^\\/\s]+?)\.?(?=\s|$)/

/** The path of such a file, whatever the system. */
const PATH = /([^\\/]+)[\\/]tool-results[\\/]([^\\/]+)$/

/** The number of characters of a result in which the name of its file is looked for. */
const WITHIN = 2000

/** An output whose file is named: the session in whose folder it is, the file's name there, and its place. */
interface NamedOutput extends OutputPlace {
  readonly folder: string | undefined
  readonly name: string
}

/** A session that may have outputs: the name of its file without the ending, its id, and the session that started it. */
interface OutputOwner {
  readonly stem: string
  readonly id: string | undefined
  readonly caller: string | undefined
}

/** Collects the results whose whole text is in a file in the folder of the session. */
export class ClaudeOutputs {
  private readonly found: NamedOutput[] = []

  /** Takes a record, and the entry that it carries, if any. `answerTo` returns the entry with the result of a call. */
  add(
    record: JsonObject,
    entry: RecordIndex | undefined,
    answerTo: (call: string) => RecordIndex | undefined,
  ): void {
    const type = record.type
    if (type === 'content-replacement') this.#addReplaced(record, answerTo)
    else if (type === 'user' && entry !== undefined) this.#addResults(record, entry)
  }

  #addResults(record: JsonObject, entry: RecordIndex): void {
    const path = idAt(at(record, 'toolUseResult'), 'persistedOutputPath')
    const blocks = items(at(record, 'message', 'content'))
    const isOne = path !== undefined && blocks.filter(isResult).length === 1
    for (const item of blocks) {
      const block = opened(item)
      const text = previewIn(block)
      if (path === undefined && (text === undefined || !PREVIEW.test(text))) continue
      const call = isResult(block) ? idAt(block, 'tool_use_id') : undefined
      if (call === undefined) continue
      const named = isOne ? PATH.exec(path) : undefined
      if (named) this.#push(named, { record: entry, call })
      else this.#addPreview(text, { record: entry, call })
    }
  }

  /** Takes the texts by which the model saw results replaced later. */
  #addReplaced(record: JsonObject, answerTo: (call: string) => RecordIndex | undefined): void {
    for (const one of listAt(record, 'replacements')) {
      const call = idAt(one, 'toolUseId')
      const entry = call === undefined ? undefined : answerTo(call)
      if (call !== undefined && entry !== undefined)
        this.#addPreview(textAt(one, 'replacement'), { record: entry, call })
    }
  }

  #addPreview(text: string | undefined, place: OutputPlace): void {
    if (text === undefined || !PREVIEW.test(text)) return
    const named = SAVED.exec(text.slice(0, WITHIN))
    if (named) this.#push(named, place)
    else if (isFileName(place.call))
      this.found.push({ ...place, folder: undefined, name: `${place.call}.txt` })
  }

  #push([, folder, name]: readonly (string | undefined)[], place: OutputPlace): void {
    if (name !== undefined && isFileName(name)) this.found.push({ ...place, folder, name })
  }

  /**
   * Returns the results by the names of their files. Those of a session are in the folder that is named like its file;
   * those of a sub-agent in the folder of the session that started it. Files elsewhere are left out.
   */
  outputs({ stem, id, caller }: OutputOwner): ReadonlyMap<string, OutputPlace> {
    const found = new Map<string, OutputPlace>()
    for (const { folder, name, record, call } of this.found) {
      const isOwn = caller === undefined && (folder === undefined || folder === id || folder === stem)
      const isCallers = caller !== undefined && (folder === undefined || folder === caller)
      if (isOwn) found.set(`${stem}/${OUTPUTS}/${name}`, { record, call })
      else if (isCallers) found.set(`${caller}/${OUTPUTS}/${name}`, { record, call, session: caller })
    }
    return found
  }
}

/** Returns whether a name is that of a file, which leads nowhere else. */
const isFileName = (name: string): boolean => /^[^\\/\0]+$/.test(name) && !/^\.{1,2}$/.test(name)

const isResult = (block: Json | undefined): boolean => textAt(block, 'type') === 'tool_result'

/** Returns the text of a result, or the first of its texts. */
function previewIn(block: Json | undefined): string | undefined {
  const content = at(block, 'content')
  return asString(content) ?? textAt(listAt(content)[0], 'text')
}

import { field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { ReportedCost } from '../../model/logtotals.ts'
import { NewestVersion } from '../../model/version.ts'
import { bodyOf } from '../core/define.ts'
import { FactHistory, PlaceHistory } from '../core/facthistory.ts'
import type { Base, Facts, Reading, RecordIndex } from '../core/format.ts'
import { factsOf } from '../core/values.ts'
import { at, idAt, kindOf, listAt, textAt, timeOf } from './fields.ts'
import { projectFolderName } from './projectfolder.ts'
import { agentSession } from './sidecars.ts'
import { ENTRIES } from './view.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const AGENT = /^agent-[\w-]*[0-9a-f]{6}$/i

/**
 * Returns the base of a sub-agent that was forked: its file begins with a record that names the last record of its caller
 * that it has seen.
 */
export function baseOf(first: Json): Base | undefined {
  if (!isObject(first) || textAt(first, 'type') !== 'fork-context-ref') return undefined
  const [session, native] = [idAt(first, 'parentSessionId'), idAt(first, 'parentLastUuid')]
  return session === undefined || native === undefined ? undefined : { session, native }
}

/**
 * Collects the facts of a session from its records. Of the folders that it worked in the one counts for which the folder of
 * its file is named, because its agent looks there; the last one where that is none of them.
 */
export class SessionFacts {
  /** The name of the file, without its ending. */
  readonly stem: string
  /** The name of the folder that holds the file. */
  readonly #folder: string | undefined
  private session: string | undefined
  private agent: string | undefined
  private first = true
  /** Whether anything is said in a sidechain, and outside of one. */
  private hasSidechain = false
  private hasMain = false
  /** The session that this one was forked from. */
  private source: string | undefined
  private readonly place = new PlaceHistory()
  /** The folder in which the worktree was entered that it works in. */
  private outside: string | undefined
  private readonly pullRequests = new FactHistory()
  private created: number | undefined
  private readonly version = new NewestVersion()
  /** The session in which it goes on. */
  private continuedIn: string | undefined
  private customTitle: string | undefined
  private aiTitle: string | undefined
  /** The name of a session that runs in the background. */
  private agentName: string | undefined
  /** The last report of the agent counts: it adds to it when the session is resumed. */
  private reported: ReportedCost | undefined
  private readonly summaries: { readonly text: string; readonly leaf: string | undefined }[] = []

  /** Begins with the names of the file, which agents name by the session, and of its folder. */
  constructor(name: string, folder?: string) {
    this.#folder = folder
    this.stem = name.replace(/\.jsonl?(\.\w+)?$/, '')
  }

  add(record: JsonObject, time: number | undefined): void {
    this.session ??= idAt(record, 'sessionId')
    this.source ??= idAt(record, 'forkedFrom', 'sessionId')
    this.place.folders.add(record.cwd)
    this.place.git.addBranch(record.gitBranch)
    this.created ??= time
    this.version.add(record.version)
    if (this.first && idAt(record, 'uuid') !== undefined) {
      this.first = false
      if (record.isSidechain === true) this.agent = idAt(record, 'agentId')
    }
    switch (textAt(record, 'type') ?? '') {
      case 'user':
      case 'assistant':
        this.#noteSaid(record.isSidechain === true)
        break
      case 'continued-in':
        this.continuedIn = idAt(record, 'continuedInSessionId')
        break
      case 'custom-title':
        this.customTitle = idAt(record, 'customTitle') ?? this.customTitle
        break
      case 'ai-title':
        this.aiTitle = idAt(record, 'aiTitle') ?? this.aiTitle
        break
      case 'agent-name':
        this.agentName = idAt(record, 'agentName') ?? this.agentName
        break
      case 'summary':
        this.#addSummary(record)
        break
      case 'cost-state':
        this.reported = reportedIn(record) ?? this.reported
        break
      case 'relocated':
        this.place.folders.add(idAt(record, 'relocatedCwd'))
        break
      case 'worktree-state':
        this.#addWorktree(at(record, 'worktreeSession'))
        break
      case 'pr-link':
        this.pullRequests.add(pullRequestIn(record))
        break
    }
  }

  /** Whether the file is a sub-agent's own. */
  get isAgent(): boolean {
    return this.#agentId() !== undefined
  }

  /** Returns the facts. `isHere` returns whether the file has a record with an id. */
  facts(isHere: (id: string) => boolean): Facts {
    const id = UUID.test(this.stem) ? this.stem : (this.#agentId() ?? this.session)
    const source = this.isAgent ? this.session : this.source
    // The transcript of a sub-agent that does not name it has the id of its caller.
    const subagent = this.hasSidechain && !this.hasMain && id === this.session
    const parent = subagent ? id : source === id ? undefined : source
    const own = this.summaries.findLast(({ leaf }) => leaf !== undefined && isHere(leaf))
    const summary = (own ?? this.summaries.at(-1))?.text
    const title = this.customTitle ?? this.aiTitle ?? summary ?? this.agentName
    const place = { ...this.place.facts(), cwd: this.#cwd }
    return factsOf({
      id,
      title,
      parent,
      ...place,
      pullRequests: this.pullRequests.all,
      created: this.created,
      version: this.version.newest,
      reported: this.reported,
      subagent: subagent || undefined,
      continuedIn: this.continuedIn === id ? undefined : this.continuedIn,
    })
  }

  /** The folder in which the agent finds the file, where the session worked in it; else its last one. */
  get #cwd(): string | undefined {
    const isOfFile = (folder: string): boolean => projectFolderName(folder) === this.#folder
    const { last } = this.place.folders
    return last === undefined || isOfFile(last) ? last : (this.place.folders.findLast(isOfFile) ?? last)
  }

  /** Adds the worktree that was entered; without one, the session went back to where it was. */
  #addWorktree(worktree: Json | undefined): void {
    const path = idAt(worktree, 'worktreePath')
    this.place.folders.add(path ?? this.outside)
    this.outside = path === undefined ? undefined : idAt(worktree, 'originalCwd')
    if (path === undefined) return
    this.place.git.add({
      branch: idAt(worktree, 'worktreeBranch'),
      commit: idAt(worktree, 'originalHeadCommit'),
    })
  }

  /** The id of the session that started it, of a sub-agent's file. */
  get caller(): string | undefined {
    return this.isAgent ? this.session : undefined
  }

  #agentId(): string | undefined {
    if (AGENT.test(this.stem)) return this.stem
    return this.agent === undefined ? undefined : `agent-${this.agent}`
  }

  #noteSaid(inSidechain: boolean): void {
    if (inSidechain) this.hasSidechain = true
    else this.hasMain = true
    // A session in which somebody speaks again does not go on elsewhere.
    if (!inSidechain) this.continuedIn = undefined
  }

  #addSummary(record: JsonObject): void {
    const text = idAt(record, 'summary')
    if (text !== undefined) this.summaries.push({ text, leaf: idAt(record, 'leafUuid') })
  }
}

/** The longest list of models in a report that is kept. */
const MOST_MODELS = 64

/** Returns the cost of the session that its agent reports in a record. */
function reportedIn(record: JsonObject): ReportedCost | undefined {
  const usage = at(record, 'modelUsage')
  const models = Object.entries(isObject(usage) ? usage : {}).flatMap(([name, one]) => {
    const part = name === '__proto__' ? undefined : dollarsIn(at(one, 'costUSD'))
    return part === undefined ? [] : [[name.slice(0, MOST_NAME).toWellFormed(), part] as const]
  })
  const parts = models.slice(0, MOST_MODELS)
  const cost = dollarsIn(record.totalCostUSD) ?? parts.reduce((sum, [, part]) => sum + part, 0)
  if (cost === 0 && parts.length === 0 && record.totalCostUSD !== 0) return undefined
  const { startTime } = record
  return {
    cost,
    ...(parts.length > 0 && { models: Object.fromEntries(parts) }),
    ...(typeof startTime === 'number' && { tally: String(startTime) }),
  }
}

/** The longest name of a model that is kept, in UTF-16 units. */
const MOST_NAME = 120

/** More than any session costs. */
const MOST_DOLLARS = 1e9

const dollarsIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MOST_DOLLARS ? value : undefined

/** Collects the sub-agents that a session started, and the entries with the calls. */
export class ClaudeSubagents {
  /** By the id of the sub-agent's own session. */
  readonly found = new Map<string, RecordIndex>()
  /** The calls that started workflows, by the names of the runs. */
  readonly runs = new Map<string, RecordIndex>()

  /**
   * Takes a record. Progress of a sub-agent and the result of its call name the sub-agent. `callerOf` returns the
   * entry that holds a call; if it is unknown, the entry of the result is used.
   */
  add(record: JsonObject, callerOf: (call: string) => RecordIndex | undefined, entry?: RecordIndex): void {
    const isProgress = textAt(record, 'type') === 'progress'
    const result = isProgress ? undefined : at(record, 'toolUseResult')
    const agent = isProgress ? idAt(record, 'data', 'agentId') : idAt(result, 'agentId')
    const run = idAt(result, 'runId')
    if (agent === undefined && run === undefined) return
    const call = isProgress ? idAt(record, 'parentToolUseID') : resultIn(record)
    const caller = (call === undefined ? undefined : callerOf(call)) ?? entry
    if (caller === undefined) return
    if (agent !== undefined && !this.found.has(agentSession(agent)))
      this.found.set(agentSession(agent), caller)
    if (run !== undefined && !this.runs.has(run)) this.runs.set(run, caller)
  }
}

/** Returns the address of the pull request that a record names, else its repository and number. */
function pullRequestIn(record: JsonObject): string | undefined {
  const [address, repository] = [idAt(record, 'prUrl'), idAt(record, 'prRepository')]
  const number = at(record, 'prNumber')
  return address ?? (typeof number === 'number' ? `${repository ?? ''}#${number}` : undefined)
}

const resultIn = (record: JsonObject): string | undefined =>
  listAt(record, 'message', 'content')
    .map((block) => idAt(block, 'tool_use_id'))
    .find((id) => id !== undefined)

/** The path to the message of a sub-agent in a record of its progress. */
const AT = ['data', 'message'] as const

/**
 * The conversations of sub-agents, as far as records of their progress hold them: one for each sub-agent, in the
 * order of the file, as in the file of its own that later releases keep. A repeated message is a record.
 */
export class SubagentProgress {
  /** The newest entry of each, by the id of its own session. */
  readonly tips = new Map<string, RecordIndex>()
  private readonly seen = new Set<string>()

  /** Returns the reading of a record that holds a message of a sub-agent; undefined for any other record. */
  add(record: JsonObject, handle: RecordIndex): Reading | undefined {
    if (textAt(record, 'type') !== 'progress' || textAt(record, 'data', 'type') !== 'agent_progress')
      return undefined
    const message = field(record.data, 'message')
    const [agent, native] = [idAt(record, 'data', 'agentId'), idAt(message, 'uuid')]
    const kind = isObject(message) ? kindOf(message) : undefined
    if (!isObject(message) || agent === undefined || native === undefined) return undefined
    if ((kind !== 'user' && kind !== 'assistant') || this.seen.has(`${agent} ${native}`)) return undefined
    this.seen.add(`${agent} ${native}`)
    const id = `agent-${agent}`
    const parent = this.tips.get(id) ?? null
    this.tips.set(id, handle)
    const time = timeOf(message)
    return {
      entry: { type: `claude/${kind}`, body: bodyOf(ENTRIES, kind, message), bodyPath: AT, parent },
      native,
      ...(time !== undefined && { time }),
    }
  }
}

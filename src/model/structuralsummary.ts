import { asString, field, isObject, items, type Json, jsonText } from './json.ts'
import { Latest } from './latest.ts'
import { cut, flat, inlineCode, quotation } from './markdown.ts'
import { promptIn } from './prompt.ts'
import { commandOf, type FileDeed, filesOf, todosIn } from './toolinput.ts'
import { type Block, textOf, type View } from './view.ts'

/** The facts of an entry that a digest uses. */
export interface StructuralEntry {
  readonly view: View
  /** The details of a summary or a compaction. */
  readonly details?: Json
}

/** A summary that was made before. */
export interface Earlier {
  readonly summary: string
  /** The details of its entry; undefined if there are none or a hook wrote them. */
  readonly details?: Json
}

/** A command and how it ended: `says` is the last line that it printed where it failed. */
interface Ran {
  readonly command: string
  readonly failed: boolean
  readonly says?: string
}

type ToolCallBlock = Block & { readonly kind: 'toolCall' }

/** A command for the agent program itself. */
const BARE_COMMAND = /^\/\S*$/

/** How many items of each kind a digest lists: the newest ones, and the first request. */
const MAX_ITEMS = { asked: 24, commands: 24, errors: 12, files: 100, returns: 4, todos: 40 } as const

/** The number of paths of each kind that are carried forward. */
const MOST_CARRIED = 2000

/** The longest texts in a digest, in UTF-16 units. */
const LONGEST = { goal: 2000, asked: 400, line: 200, answer: 2000, earlier: 8000 } as const

/**
 * Gathers what a path comes to without a model: the goal, what the user asked, the files that agents read and changed,
 * the commands that they ran and how these ended, errors, and where it stopped. It takes entry after entry, in bounded
 * memory but for calls that are not answered, and equal paths give equal texts of a bounded size.
 */
export class StructuralSummary {
  #goal: string | undefined
  readonly #asked = new Latest<string>(MAX_ITEMS.asked)
  readonly #read = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #commands = new Latest<Ran>(MAX_ITEMS.commands)
  #failed = 0
  readonly #errors = new Latest<string>(MAX_ITEMS.errors)
  readonly #returns = new Latest<string>(MAX_ITEMS.returns)
  #earlier: string | undefined
  #lastAnswer: string | undefined
  #todos: readonly string[] = []
  /** The calls that are not answered yet, by id. */
  readonly #open = new Map<string, ToolCallBlock>()

  /** Begins a digest that goes on from a summary. */
  constructor(previous?: Earlier) {
    if (previous) this.#takeEarlier(previous)
  }

  /** Takes the next entry. */
  add({ view, details }: StructuralEntry): void {
    const { effect } = view
    if (effect?.kind === 'compaction') {
      // The digest has the entries that it summarizes, unless the path begins with it.
      if (this.#asked.count > 0) this.#takeFiles(details)
      else this.#takeEarlier({ summary: effect.summary ?? '', ...(details !== undefined && { details }) })
    } else if (effect?.kind === 'summary') {
      this.#returns.add(effect.text)
      this.#takeFiles(details)
    }
    if (view.role === 'user') this.#takePrompt(view)
    if (view.role === 'assistant') this.#lastAnswer = textOf(view)?.trim() || this.#lastAnswer
    for (const block of view.blocks)
      if (block.kind === 'toolCall') this.#call(block)
      else if (block.kind === 'toolResult') this.#answer(block)
  }

  #takePrompt(view: View): void {
    const text = promptIn(view, LONGEST.goal)
    if (text === undefined || BARE_COMMAND.test(text)) return
    this.#goal ??= text
    this.#asked.add(cut(text, LONGEST.asked))
    // Earlier answers and plans belong to an earlier prompt.
    this.#lastAnswer = undefined
    this.#open.clear()
  }

  #call(block: ToolCallBlock): void {
    for (const { path, does } of filesOf(block)) this.#file(path, does)
    this.#todos = todosIn(block.name, block.input) ?? this.#todos
    this.#open.set(block.id, block)
  }

  #answer({ id, text, error }: Block & { readonly kind: 'toolResult' }): void {
    const call = this.#open.get(id)
    if (call === undefined) return
    this.#open.delete(id)
    const command = commandOf(call)
    const says = lastLine(text)
    if (command !== undefined) {
      this.#commands.add({
        command: lineOf(command),
        failed: error,
        ...(error && says !== '' && { says }),
      })
      if (error) this.#failed++
    } else if (error) this.#errors.add(`${brief(call)}: ${says || 'failed'}`)
  }

  #takeEarlier({ summary, details }: Earlier): void {
    this.#takeFiles(details)
    const asked = field(details, 'asked')
    if (!isObject(asked)) {
      if (summary.trim() !== '') this.#earlier = summary
      return
    }
    this.#goal ??= asString(field(details, 'goal'))
    this.#earlier ??= asString(field(details, 'earlier'))
    this.#asked.take(asked, asString)
    const commands = field(details, 'commands')
    this.#commands.take(commands, ranIn)
    this.#failed += numberIn(commands, 'failed')
    this.#errors.take(field(details, 'errors'), asString)
    this.#returns.take(field(details, 'returns'), asString)
  }

  #takeFiles(details: Json | undefined): void {
    for (const path of texts(field(details, 'modifiedFiles'))) this.#file(path, 'change')
    for (const path of texts(field(details, 'readFiles'))) this.#file(path, 'read')
  }

  #file(path: string, does: FileDeed['does']): void {
    const name = flat(path)
    if (does === 'change') {
      this.#read.delete(name)
      keep(this.#changed, name)
    } else if (!this.#changed.has(name)) keep(this.#read, name)
  }

  /** Returns the files as pi keeps them with a summary, sorted; a changed file is not listed as read. */
  files(): { readonly readFiles: readonly string[]; readonly modifiedFiles: readonly string[] } {
    return { readFiles: [...this.#read].sort(), modifiedFiles: [...this.#changed].sort() }
  }

  /** Returns what the digest of a continued path needs: the files, as `files` returns them, and the rest. */
  details(): Json {
    return {
      ...this.files(),
      ...(this.#goal !== undefined && { goal: this.#goal }),
      ...(this.#earlier !== undefined && { earlier: cut(this.#earlier, LONGEST.earlier) }),
      asked: this.#asked.json((text) => text),
      commands: { ...this.#commands.json((ran) => ({ ...ran })), failed: this.#failed },
      errors: this.#errors.json((text) => text),
      returns: this.#returns.json((text) => cut(text, LONGEST.answer)),
    }
  }

  /** Returns the digest as markdown. */
  text(): string {
    const { readFiles, modifiedFiles } = this.files()
    const commands = `Commands (${this.#commands.count}${this.#failed > 0 ? `, ${this.#failed} failed` : ''})`
    const sections = [
      section('Goal', this.#goal === undefined ? [] : [this.#goal]),
      section(
        'Summary of what came before',
        this.#earlier ? [quotation(this.#earlier, LONGEST.earlier)] : [],
      ),
      section(
        `What the user asked (${this.#asked.count})`,
        this.#asked.lines((text, at) => `${at}. ${text}`),
      ),
      section(`Files changed (${modifiedFiles.length})`, listed(modifiedFiles)),
      section(`Files only read (${readFiles.length})`, listed(readFiles)),
      section(commands, this.#commands.lines(ranLine)),
      section(
        `Other errors (${this.#errors.count})`,
        this.#errors.lines((text) => `- ${text}`),
      ),
      section(
        `Tried on other branches (${this.#returns.count})`,
        this.#returns.lines((text) => `${quotation(text, LONGEST.answer)}\n`),
      ),
      section('To do', this.#todos.slice(0, MAX_ITEMS.todos)),
      section('Where it stood', this.#stopped()),
    ]
    return sections.filter((text) => text !== '').join('\n\n') || 'Nothing was said.'
  }

  #stopped(): string[] {
    const open = [...this.#open.values()]
    return [
      ...(this.#lastAnswer === undefined
        ? []
        : ['The agent said last:', '', quotation(this.#lastAnswer, LONGEST.answer)]),
      ...(open.length === 0 ? [] : [...(this.#lastAnswer === undefined ? [] : ['']), 'Without an answer:']),
      ...open.slice(0, MAX_ITEMS.errors).map((call) => `- ${brief(call)}`),
      ...more(open.length - MAX_ITEMS.errors),
    ]
  }
}

/** Adds a path to those that are known, unless these are too many. */
function keep(paths: Set<string>, path: string): void {
  if (paths.size < MOST_CARRIED) paths.add(path)
}

const texts = (list: Json | undefined): string[] => items(list).flatMap((item) => asString(item) ?? [])

function numberIn(value: Json | undefined, key: string): number {
  const number = field(value, key)
  return typeof number === 'number' && Number.isSafeInteger(number) ? Math.max(0, number) : 0
}

function ranIn(value: Json): Ran | undefined {
  const command = asString(field(value, 'command'))
  if (command === undefined) return undefined
  const failed = field(value, 'failed') === true
  const says = asString(field(value, 'says'))
  return { command: lineOf(command), failed, ...(says !== undefined && { says: lineOf(says) }) }
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n${lines.join('\n').trimEnd()}`

const listed = (paths: readonly string[]): string[] => [
  ...paths.slice(0, MAX_ITEMS.files).map((path) => `- ${path}`),
  ...more(paths.length - MAX_ITEMS.files),
]

const more = (count: number): string[] => (count > 0 ? [`- and ${count} more`] : [])

const ranLine = ({ command, failed, says }: Ran): string =>
  `- ${inlineCode(command)}: ${failed ? `failed${says ? `: ${says}` : ''}` : 'ok'}`

const lineOf = (text: string): string => cut(flat(text), LONGEST.line)

/** A line that agents add to the output of a failed command: how it ended, not why. */
const STATUS = /^(?:\(?exit code|(?:command|process) exited with code)\b.*$/i

/** Returns the last line of a text that is not blank, preferably one that is more than a status. */
function lastLine(text: string): string {
  const lines = text
    .slice(-4000)
    .split('\n')
    .map(lineOf)
    .filter((line) => line !== '')
  return lines.findLast((line) => !STATUS.test(line)) ?? lines.at(-1) ?? ''
}

/** Returns a short description of a call: its tool, and the command or file. */
function brief(call: ToolCallBlock): string {
  const { name, input } = call
  const about = commandOf(call) ?? filesOf(call)[0]?.path ?? asString(input) ?? jsonText(input)
  return `${lineOf(name)} ${inlineCode(lineOf(about))}`
}

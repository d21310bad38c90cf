import { asString, field, isObject, items, type Json, jsonText, plain } from './json.ts'
import { cut, flat } from './markdown.ts'
import type { Block } from './view.ts'

/** A file that a tool call names, and what it does to it. */
export interface FileDeed {
  readonly path: string
  readonly does: 'read' | 'change'
}

/** The arguments that name a file, in the words of the agents. */
const PATHS = [
  'path',
  'file_path',
  'filePath',
  'filepath',
  'absolute_path',
  'notebook_path',
  'target_file',
  'TargetFile',
  'filename',
] as const

const CHANGES = /write|edit|replace|create|patch|insert|delete/i
const READS = /^(?:read|view|open|cat)(?:_?files?|_?many_?files|_?image)?$|notebook_?read/i
/** Plans and lists of what is to do are no files. */
const PLANS = /todo|task|plan/i

const PATCH_BEGIN = '*** Begin Patch'

/** How codex and others say within a patch which files it is for. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/**
 * Returns the files that a tool call reads or changes, by the name and arguments of the tool: tools that read and edit
 * files; patches, also in a shell; and shell commands that only print files (`cat`, `head`, `tail`, `nl`, `sed -n`) or
 * write a here-document (`cat > FILE <<`). Other commands are unknown.
 */
export function filesOf(call: Extract<Block, { kind: 'toolCall' }>): FileDeed[] {
  const { name, input } = call
  const value = plain(input)
  const patched = textsIn(value).flatMap((text) =>
    text.includes(PATCH_BEGIN) ? [...text.matchAll(PATCHED)].map(([, path = '']) => path.trim()) : [],
  )
  if (patched.length > 0) return patched.map((path) => ({ path, does: 'change' }))
  const command = commandOf(call)
  if (command !== undefined) return byCommand(command)
  const reads = READS.test(name) || (isObject(value) && value.command === 'view')
  const does = reads ? 'read' : CHANGES.test(name) && !PLANS.test(name) ? 'change' : undefined
  return does === undefined ? [] : pathsIn(value).map((path) => ({ path, does }))
}

/** Returns the patch in the form of Codex that a tool call applies, also in a shell; undefined without one. */
export function patchIn({ input }: Extract<Block, { kind: 'toolCall' }>): string | undefined {
  const text = textsIn(plain(input)).find((one) => one.includes(PATCH_BEGIN))
  if (text === undefined) return undefined
  const from = text.indexOf(PATCH_BEGIN) + PATCH_BEGIN.length
  const to = text.indexOf('*** End Patch', from)
  return text.slice(from, to < 0 ? undefined : to).trim()
}

/** A change of a file that a tool call requests, as far as the call contains it. */
export interface FileEdit {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** How agents call the text that is replaced and the text that replaces it; of a new file there is only the latter. */
const REPLACED = ['old_string', 'old_str', 'oldText', 'oldString'] as const
const REPLACING = ['new_string', 'new_str', 'newText', 'newString', 'content', 'file_text'] as const

/** Returns the changes of files that a tool call asks for: replacements, lists of them, and whole files. */
export function editsOf(call: Extract<Block, { kind: 'toolCall' }>): FileEdit[] {
  const value = plain(call.input)
  const [named] = filesOf(call)
  if (named?.does !== 'change' || !isObject(value)) return []
  const listed = Array.isArray(value.edits) ? (value.edits as readonly Json[]) : [value]
  return listed.flatMap((one) => {
    const after = textAt(one, REPLACING)
    return after === undefined ? [] : [{ path: named.path, before: textAt(one, REPLACED) ?? '', after }]
  })
}

function textAt(value: Json, keys: readonly string[]): string | undefined {
  const texts = keys.map((key) => (isObject(value) ? value[key] : undefined))
  return texts.find((text): text is string => typeof text === 'string')
}

/** Returns the paths among arguments: a single one, and those in lists of paths or of objects with a path. */
function pathsIn(value: Json): string[] {
  if (!isObject(value)) return []
  const path = PATHS.map((key) => value[key]).find((text) => typeof text === 'string' && text !== '')
  const listed = [value.paths, value.files].flatMap((list) =>
    Array.isArray(list)
      ? (list as readonly Json[]).flatMap((item) => (typeof item === 'string' ? [item] : pathsIn(item)))
      : [],
  )
  return typeof path === 'string' ? [path.replace(/^"(.+)"$/, '$1'), ...listed] : listed
}

/** Commands that print files, in plain words: without expansion, input from elsewhere or redirection. */
const SHOWS =
  /(?:^|&&|;|\n)[ \t]*(?:cat|nl|head|tail|sed[ \t]+-n)((?:[ \t]+(?:'[^'\n]*'|"[^"$`\n]*"|[\w./@+,:-]+))+)[ \t]*(?=$|&&|;|\||\n)/g
const WRITES = /(?:^|&&|;|\n)[ \t]*cat[ \t]*>>?[ \t]*([\w./@+-]+)[ \t]*<</g

/** A word that is a path: it has a dot or a slash, no option begins it, and it is no range of lines. */
const isPath = (word: string): boolean =>
  !word.startsWith('-') && /[./]/.test(word) && /[^\d.,;$/]/.test(word) && !/\s/.test(word)

/** Longer commands are scripts, and a pattern for words exhausts the engine's stack in them. */
const LONGEST_COMMAND = 64 << 10

function byCommand(command: string): FileDeed[] {
  const written = [...command.matchAll(WRITES)].map(([, path = '']) => path)
  // The lines below a command that reads them are no commands.
  if (command.includes('<<') || command.length > LONGEST_COMMAND)
    return written.map((path) => ({ path, does: 'change' }))
  return [...command.matchAll(SHOWS)]
    .flatMap(([, words = '']) => words.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? [])
    .map((word) => word.replace(/^(['"])(.*)\1$/, '$2'))
    .filter(isPath)
    .map((path) => ({ path, does: 'read' }))
}

/** Returns the texts among the arguments of a call: a patch can be the argument, a field or a list item. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  const parts = Array.isArray(value)
    ? (value as readonly Json[])
    : isObject(value)
      ? Object.values(value)
      : []
  return parts.flatMap((part) =>
    typeof part === 'string'
      ? [part]
      : Array.isArray(part)
        ? (part as readonly Json[]).filter((word) => typeof word === 'string')
        : [],
  )
}

/** The names of tools that run commands, in small letters, without their namespace and what joins their words. */
const RUNNERS =
  /^(?:bash|shell(?:exec|command)?|localshell|exec(?:ute)?(?:command)?|run(?:shellcommand|terminalcmd|(?:in)?terminal|commands?))$/

const COMMANDS = ['command', 'cmd', 'commands', 'script', 'input'] as const

/**
 * Returns the command line that a tool call runs, or undefined. For an argument list that starts a shell, returns the
 * script of the shell.
 */
export function commandOf({ name, input }: Extract<Block, { kind: 'toolCall' }>): string | undefined {
  if (!RUNNERS.test(ownName(name))) return undefined
  const value = plain(input)
  const command = isObject(value) ? COMMANDS.map((key) => field(value, key)).find((text) => text) : value
  if (typeof command === 'string') return command
  return commandLine(wordsIn(command) ?? []) || undefined
}

/** Returns the name of a tool in small letters, without its namespace and what joins its words. */
const ownName = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replace(/[^a-z]/g, '')

/** Programs that run a script, and the option after which it is. */
const SHELL = /^(?:(?:ba|da|z|k|fi)?sh|pwsh|powershell|cmd)$/i
const SCRIPT = /^(?:-\w*c|-command|\/c)$/i

/** Returns an argument list as a command line: the script, if it starts a shell. */
function commandLine([program = '', ...words]: readonly string[]): string {
  const name = program.replace(/^.*[/\\]/, '').replace(/\.exe$/i, '')
  const at = SHELL.test(name) ? words.findIndex((word) => SCRIPT.test(word) || !word.startsWith('-')) : -1
  const script = SCRIPT.test(words[at] ?? '') ? words.slice(at + 1) : []
  return (script.length > 0 ? script : [program, ...words]).join(' ')
}

/** Returns the words of a list; undefined if it is no list or has anything else. */
function wordsIn(value: Json | undefined): readonly string[] | undefined {
  const isWords = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
  return isWords ? value : undefined
}

/** Returns an argument of a call as text: a list of words that is a command as a command line, else JSON. */
export function argumentText(name: string, value: Json): string {
  if (typeof value === 'string') return value
  const words = (COMMANDS as readonly string[]).includes(name) ? wordsIn(value) : undefined
  return words ? commandLine(words) : jsonText(value)
}

const TODO_TOOLS = /^(?:todowrite|updateplan|writetodos|updatetodolist|todo)$/

const MAX_TODO_CHARS = 200

/** Returns the to-do list that a tool call writes, as lines of markdown; undefined if it writes none. */
export function todosIn(name: string, input: Json): string[] | undefined {
  if (!TODO_TOOLS.test(name.toLowerCase().replace(/[^a-z]/g, ''))) return undefined
  const list = field(input, 'todos') ?? field(input, 'plan') ?? field(input, 'items')
  const text = asString(list)
  if (text !== undefined) return text.split('\n').flatMap((line) => todoLine(line, markOf(line)))
  return items(list).flatMap((item) =>
    todoLine(
      ['content', 'step', 'text', 'title', 'description'].flatMap(
        (key) => asString(field(item, key)) ?? [],
      )[0] ?? '',
      markOf(`[${asString(field(item, 'status')) ?? ''}]`),
    ),
  )
}

const todoLine = (text: string, mark: string): string[] => {
  const words = flat(text.trimStart().replace(/^(?:(?:\d+[.)]|[-*])\s*)?\[[\w -]*\]\s*/, ''))
  return words === '' ? [] : [`- [${mark}] ${cut(words, MAX_TODO_CHARS)}`]
}

/** Returns the checkbox of a status: done, in progress or open. */
const markOf = (text: string): string =>
  /\[(?:x|completed|done)\]/i.test(text) ? 'x' : /\[(?:in[ _-]?progress|doing)\]/i.test(text) ? '~' : ' '

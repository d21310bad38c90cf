import { isObject, plain } from '../model/json.ts'
import { commandOf, editsOf, filesOf, todosIn } from '../model/toolinput.ts'
import type { ToolPart } from '../verbs/types.ts'
import { counted, firstLine, type Line, styled } from './text.ts'
import { cut, widthOf } from './width.ts'

interface ToolLook {
  readonly columns: number
  /** The folder of the session: paths in it are shown relative to it. */
  readonly folder?: string | undefined
}

/** Returns a tool call and its result in one line: the call takes at most about half of it where both are long. */
export function toolLine(part: ToolPart, look: ToolLook): Line {
  const { name, result } = part
  const tool = name === null ? '' : firstLine(name)
  const asked = askedLine(part, look)
  const answered = result === null ? '' : answerText(part, result)
  const room = look.columns - widthOf(tool) - 2 - (tool === '' ? 0 : 1)
  const [wanted, needed] = [widthOf(asked), answered === '' ? 0 : widthOf(answered) + 3]
  const left =
    wanted + needed <= room
      ? wanted
      : Math.max(Math.floor(look.columns / 2) - (look.columns - room), room - needed)
  const shown = cut(asked, Math.max(8, left))
  const rest = room - widthOf(shown) - 3
  return [
    ...(tool === '' ? [] : [styled('magenta', `→ ${tool}`)]),
    ...(shown === '' ? [] : [` ${shown}`]),
    ...(result === null
      ? []
      : [
          styled(result.error ? 'red' : 'dim', result.error ? ' ✗ ' : ' ← '),
          styled(result.error ? 'red' : 'dim', cut(answered, Math.max(8, rest))),
        ]),
  ].filter((piece) => typeof piece !== 'string' || piece !== '')
}

/** Returns the call of a part as views of entries have it. */
export const callOf = ({ name, input }: ToolPart): Parameters<typeof editsOf>[0] => ({
  kind: 'toolCall',
  id: '',
  name: name ?? '',
  input,
})

/** Returns the arguments of a call in a line: its command, its file, or its texts. */
function askedLine(part: ToolPart, { folder }: ToolLook): string {
  const { name, input } = part
  if (name === null || input === null) return ''
  const call = callOf(part)
  const command = commandOf(call)
  if (command !== undefined) {
    const [first = '', ...more] = command.trim().split('\n')
    return `${firstLine(first)}${more.length > 0 ? ' …' : ''}`
  }
  const todos = todosIn(name, input)
  if (todos !== undefined) return todoText(todos)
  const files = filesOf(call)
  if (files.length > 0) return files.map(({ path }) => firstLine(within(path, folder))).join(', ')
  const value = plain(input)
  const values = isObject(value) ? Object.values(value) : [value]
  return values
    .flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? String(one) : []))
    .map((text) => firstLine(within(text, folder)))
    .join(' ')
}

/** Returns how much of a to-do list is done, and what is in progress. */
function todoText(todos: readonly string[]): string {
  const done = todos.filter((todo) => todo.startsWith('- [x]')).length
  const current = todos.find((todo) => todo.startsWith('- [~]'))?.slice('- [~] '.length)
  return `${done} of ${todos.length} done${current === undefined ? '' : `: ${firstLine(current)}`}`
}

/** Returns a path relative to a folder that it is in. */
const within = (path: string, folder: string | undefined): string =>
  folder !== undefined && folder.length > 1 && path.startsWith(`${folder}/`)
    ? path.slice(folder.length + 1)
    : path

/** Returns a result in a line. A file that was written or changed needs no more than that. */
function answerText(part: ToolPart, { text, error, lines }: NonNullable<ToolPart['result']>): string {
  if (!error && part.name !== null && editsOf(callOf(part)).length > 0) return 'done'
  const first = firstLine(text)
  if (first === '') return error ? 'failed' : 'nothing'
  return lines > 1 ? `${first} (${counted(lines, 'line')})` : first
}

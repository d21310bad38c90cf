import type { ComponentChildren, VNode } from 'preact'
import { isObject, type Json } from '../model/json.ts'
import { commandOf, editsOf, filesOf, todosIn } from '../model/toolinput.ts'
import type { Subagent, ToolPart } from '../model/turn.ts'
import { Code, languageOf } from './code.tsx'
import { Amounts, DiffView } from './diffview.tsx'
import { Icon, type IconName } from './icons.tsx'
import type { Look } from './look.ts'
import { counted, cutTo, firstLine, grouped, short } from './words.ts'

/** The most of a result that is shown: the raw entry has the rest. */
const MAX_OUTPUT = 20_000
const MAX_ARGUMENT = 200

const callOf = ({ name, input }: ToolPart): Parameters<typeof editsOf>[0] => ({
  kind: 'toolCall',
  id: '',
  name: name ?? '',
  input,
})

/** The deed of a call, as its row says it. */
interface Deed {
  readonly icon: IconName
  readonly verb: string
  readonly about: string
  readonly edits: ReturnType<typeof editsOf>
  readonly command: string | undefined
  readonly todos: readonly string[] | undefined
}

function deedOf(part: ToolPart, folder: string | null): Deed {
  const call = callOf(part)
  const { name } = call
  const command = commandOf(call)
  const todos = todosIn(name, part.input)
  const edits = editsOf(call)
  const rest = { edits, command, todos }
  if (command !== undefined) return { icon: 'terminal', verb: 'Run', about: firstLine(command), ...rest }
  if (todos) return { icon: 'list', verb: 'Plan', about: planLine(todos), ...rest }
  const files = filesOf(call).map(({ path }) => within(path, folder))
  if (edits.length > 0)
    return {
      icon: 'pencil',
      verb: edits[0]?.before === '' ? 'Write' : 'Edit',
      about: files.join(', '),
      ...rest,
    }
  if (files.length > 0) {
    const changes = filesOf(call).some(({ does }) => does === 'change')
    return {
      icon: changes ? 'pencil' : 'file',
      verb: changes ? 'Edit' : 'Read',
      about: files.join(', '),
      ...rest,
    }
  }
  const about = argumentLine(part.input, folder)
  if (/search|grep|glob|find|list/i.test(name)) return { icon: 'search', verb: 'Search', about, ...rest }
  if (part.agents.length > 0 || /^(?:task|agent)$/i.test(name))
    return { icon: 'agent', verb: 'Agent', about, ...rest }
  return { icon: 'dots', verb: name === '' ? 'Result' : name, about, ...rest }
}

function planLine(todos: readonly string[]): string {
  const done = todos.filter((todo) => todo.startsWith('- [x]')).length
  const now = todos.find((todo) => todo.startsWith('- [~]'))?.slice('- [~] '.length)
  return `${done} of ${todos.length} done${now === undefined ? '' : `: ${now}`}`
}

const within = (path: string, folder: string | null): string =>
  folder !== null && folder.length > 1 && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path

const argumentLine = (input: Json, folder: string | null): string =>
  cutTo(
    (isObject(input) ? Object.values(input) : [input])
      .flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? String(one) : []))
      .map((text) => firstLine(within(text, folder)))
      .join(' '),
    MAX_ARGUMENT,
  )

/** How test runners say how many tests passed or failed. */
const PASSED = /\b(\d+) (?:tests? )?pass(?:ed|ing)\b|\bpass(?:ed)?[: ]+(\d+)\b/i
const FAILED = /\b(\d+) (?:tests? )?fail(?:ed|ing|ures?)\b|\bfail(?:ed)?[: ]+(\d+)\b/i

const countIn = (text: string, pattern: RegExp): number => {
  const found = pattern.exec(text)
  return found === null ? 0 : Number(found[1] ?? found[2])
}

/** How a call ended, where its result says so. */
function Outcome({ part, deed }: { readonly part: ToolPart; readonly deed: Deed }): VNode | null {
  const { result } = part
  if (result === null) return <span class="chip">no result</span>
  if (deed.command !== undefined) {
    const text = result.text.slice(-4000)
    const [passed, failed] = [countIn(text, PASSED), countIn(text, FAILED)]
    if (failed > 0) return <Verdict good={false} text={`${failed} failed`} />
    if (passed > 0 && !result.error) return <Verdict good text={`${passed} passed`} />
  }
  if (result.error) return <Verdict good={false} text="failed" />
  const [edit] = deed.edits
  if (edit && deed.edits.length === 1) return <Amounts before={edit.before} after={edit.after} />
  return result.lines > 1 ? <span class="faint">{counted(result.lines, 'line')}</span> : null
}

/** A chip that says how something ended. */
const Verdict = ({ good, text }: { readonly good: boolean; readonly text: string }): VNode => (
  <span class={good ? 'chip good' : 'chip bad'}>
    <Icon name={good ? 'check' : 'cross'} />
    {text}
  </span>
)

/** Colours and moves of the cursor say nothing on a page. */
// oxlint-disable-next-line no-control-regex
const withoutEscapes = (text: string): string => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')

/** The output of a command, or the answer of a tool. */
export function Output({ text, bad }: { readonly text: string; readonly bad?: boolean }): VNode {
  const shown = withoutEscapes(text.slice(0, MAX_OUTPUT))
  return (
    <pre class={bad ? 'out bad' : 'out'} tabIndex={0}>
      {shown}
      {text.length > MAX_OUTPUT && (
        <span class="faint">{`\n… ${grouped(text.length - MAX_OUTPUT)} more characters`}</span>
      )}
    </pre>
  )
}

function asked({ input }: ToolPart, { edits, command, todos }: Deed): ComponentChildren {
  if (edits.length > 0)
    return edits.map(({ path, before, after }) => (
      <DiffView before={before} after={after} language={languageOf(path)} label={`Change of ${path}`} />
    ))
  if (command !== undefined)
    return command.includes('\n') || command.length > 80 ? <Code text={command} language="bash" /> : null
  if (todos)
    return (
      <ul class="todos">
        {todos.map((todo) => (
          <li>
            {todo
              .replace(/^- \[x\]/, '✓')
              .replace(/^- \[~\]/, '›')
              .replace(/^- \[ \]/, '○')}
          </li>
        ))}
      </ul>
    )
  if (input === null || (isObject(input) && Object.keys(input).length === 0)) return null
  const text = typeof input === 'string' ? input : JSON.stringify(input, null, 2)
  return text.length > 60 ? <Code text={text.slice(0, MAX_OUTPUT)} language="json" /> : null
}

/** A call of a tool with its result: a line that opens. */
export function ToolRow({ part, look }: { readonly part: ToolPart; readonly look: Look }): VNode {
  const deed = deedOf(part, look.folder)
  const { Fold } = look
  const { result } = part
  const isSilent = deed.edits.length > 0 && result?.error === false
  return (
    <Fold
      class="tool-fold"
      line={
        <>
          <span class="faint">
            <Icon name={deed.icon} />
          </span>
          <span class="nm">{deed.verb}</span>
          <span class="mono ell grow">{cutTo(deed.about, MAX_ARGUMENT)}</span>
          <Outcome part={part} deed={deed} />
        </>
      }
      body={() => (
        <>
          {asked(part, deed)}
          {result !== null && result.text !== '' && !isSilent && (
            <Output text={result.text} bad={result.error} />
          )}
          {result !== null && result.text === '' && <p class="out faint">nothing was printed</p>}
        </>
      )}
    />
  )
}

/** A sub-agent that a call started, with those that it started itself. */
export function SubagentCard({ agent, look }: { readonly agent: Subagent; readonly look: Look }): VNode {
  const link = agent.session === null ? undefined : look.session?.(agent.session)
  const figures = [
    agent.entries !== null && counted(agent.entries, 'entry', 'entries'),
    agent.calls !== null && counted(agent.calls, 'call'),
    agent.tokens !== null && agent.tokens > 0 && `${short(agent.tokens)} tokens`,
  ].filter((text) => text !== false)
  return (
    <div class="sub-a">
      <div class="hd">
        <Icon name="agent" />
        <span class="grow ell">
          {agent.type ?? 'Sub-agent'}
          {agent.description === null ? '' : `: ${agent.description}`}
        </span>
      </div>
      <p class="muted">
        {figures.join(' · ') || 'its session is not in the store'}
        {link !== undefined && (
          <>
            {' · '}
            <a href={link}>open it</a>
          </>
        )}
      </p>
      {agent.agents.map((one) => (
        <SubagentCard agent={one} look={look} />
      ))}
    </div>
  )
}

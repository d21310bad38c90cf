import type { ComponentChildren, VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../page/icons.tsx'
import { counted } from '../../page/words.ts'
import { type ApiError, addressOf, post } from '../api.ts'
import type { About, Session } from '../data.ts'
import { closeOutside } from '../help.tsx'
import { during, useApi } from '../hooks.ts'
import { CopyButton } from '../parts.tsx'
import { href } from '../router.ts'

/** Whether the server performs changes. */
export const useWrites = (): boolean => useApi<About>(addressOf('')).data?.write === true

/** Shows the command that resumes a session in its agent: the page itself starts nothing. */
export function ResumeButton({ session }: { readonly session: Session }): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const command = `sess resume ${session.id.slice(0, 12)}`
  return (
    <>
      <button class="btn main" onClick={() => dialog.current?.showModal()}>
        <Icon name="terminal" />
        <span>Resume in agent</span>
      </button>
      <dialog ref={dialog} class="sheet" aria-label="Resume in agent" onClick={closeOutside}>
        <form method="dialog" class="sheet-in">
          <div class="sheet-hd">
            <h2>Resume in agent</h2>
            <button class="btn">Close</button>
          </div>
          <p class="muted">A page starts no programs. In a terminal, this prints what resumes the session:</p>
          <pre class="code" tabIndex={0}>
            {command}
          </pre>
          <CopyButton text={command} label="Copy the command" />
        </form>
      </dialog>
    </>
  )
}

interface AskProps {
  readonly icon: IconName
  readonly text: string
  readonly title: string
  readonly field: string
  readonly about: ComponentChildren
  readonly isOff: boolean
  readonly initial?: string
  /** The values to choose from, where it is no free text. */
  readonly options?: readonly string[]
  /** Says what would change, which is shown before anything does. */
  readonly preview?: (value: string) => Promise<string>
  readonly run: (value: string) => Promise<Changed>
}

/** The answer to a change. */
interface Changed {
  readonly operation: number | null
}

/** A button that asks for a name and then changes something. */
function AskButton({
  icon,
  text,
  title,
  field,
  about,
  isOff,
  initial = '',
  options,
  preview,
  run,
}: AskProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const [plan, setPlan] = useState<string>()
  const [done, setDone] = useState<Changed>()
  const submit = async (value: string): Promise<void> => {
    setBusy(true)
    setError(undefined)
    await during(async () => {
      if (preview && plan === undefined) setPlan(await preview(value))
      else setDone(await run(value))
    }, setError)
    setBusy(false)
  }
  const open = (): void => {
    setPlan(undefined)
    setDone(undefined)
    dialog.current?.showModal()
  }
  return (
    <>
      <button
        class="btn"
        disabled={isOff}
        title={isOff ? 'the server only reads: start it with --write' : undefined}
        onClick={open}
      >
        <Icon name={icon} />
        {text}
      </button>
      <dialog ref={dialog} class="sheet" aria-label={title} onClick={closeOutside}>
        <form
          class="sheet-in"
          onSubmit={(event) => {
            event.preventDefault()
            const value = new FormData(event.currentTarget).get('value')
            if (typeof value === 'string') void submit(value.trim())
          }}
        >
          <div class="sheet-hd">
            <h2>{title}</h2>
          </div>
          <p class="muted">{about}</p>
          <label>
            <span class="label">{field}</span>
            {options ? (
              <select class="field" name="value" onChange={() => setPlan(undefined)}>
                {options.map((one) => (
                  <option>{one}</option>
                ))}
              </select>
            ) : (
              <input
                class="field"
                name="value"
                defaultValue={initial}
                required
                autocomplete="off"
                spellcheck={false}
              />
            )}
          </label>
          {error && (
            <p class="bad-text" role="alert">
              {error.detail}
            </p>
          )}
          <p role="status">
            {done ? (
              <>
                Done.{' '}
                {done.operation !== null && (
                  <a class="link" href={href(['ops', String(done.operation)])}>
                    Operation {done.operation}
                  </a>
                )}{' '}
                can be undone.
              </>
            ) : (
              plan
            )}
          </p>
          <div class="sheet-ft">
            <button type="button" class="btn" onClick={() => dialog.current?.close()}>
              {done ? 'Close' : 'Cancel'}
            </button>
            {!done && (
              <button class="btn main" disabled={isBusy}>
                {preview && plan === undefined ? 'Preview' : text}
              </button>
            )}
          </div>
        </form>
      </dialog>
    </>
  )
}

const MAX_TARGETS = 100

interface Forked extends Changed {
  readonly result: { readonly session: string }
}

interface Replayed extends Changed {
  readonly result: { readonly map: readonly object[]; readonly along: readonly string[] }
}

interface Merged extends Changed {
  readonly result: { readonly change: string; readonly entries: number }
}

/** The changes that begin at an entry of a session. */
export function EntryActions({
  session,
  entry,
  branch,
}: {
  readonly session: Session
  readonly entry: string
  /** The branch that is read. */
  readonly branch: string | undefined
}): VNode {
  const isOff = !useWrites()
  const path = `/sessions/${encodeURIComponent(session.id)}`
  const change = (verb: string, body: object): Promise<Changed> => post(`${path}/${verb}`, body)
  const targets = Object.keys(session.branches)
    .filter((name) => name !== branch)
    .slice(0, MAX_TARGETS)
  return (
    <div class="acts">
      <AskButton
        icon="branch"
        text="Branch"
        title="Branch here"
        field="Name of the branch"
        about="A new branch of this session that begins at this entry. The session stays where it is."
        isOff={isOff}
        run={(name) => change('branches', { name, start: entry })}
      />
      <AskButton
        icon="copy"
        text="Fork"
        title="Fork here"
        field="Title of the new session"
        about="A new session that goes on from this entry and shares what is before it: nothing is copied."
        isOff={isOff}
        run={async (title) => {
          const forked = await post<Forked>(`${path}/fork`, { revision: entry, title })
          location.hash = `#/s/${encodeURIComponent(forked.result.session)}`
          return forked
        }}
      />
      <AskButton
        icon="tag"
        text="Label"
        title="Label this entry"
        field="Label"
        about="A label names the entry for good, in this session."
        isOff={isOff}
        run={(label) => change('label', { label, revision: entry })}
      />
      <AskButton
        icon="pencil"
        text="Rename"
        title="Rename the session"
        field="Title"
        about="The title is kept in the store; the agent's own file is not changed."
        isOff={isOff}
        initial={session.title ?? ''}
        run={(title) => change('rename', { title })}
      />
      {targets.length > 0 && (
        <>
          <AskButton
            icon="copy"
            text="Pick"
            title="Pick this entry"
            field="Branch"
            about="Appends this entry to another branch."
            isOff={isOff}
            options={targets}
            preview={async (onto) => {
              const body = { revision: [entry], onto, dryRun: true }
              const { result } = await post<Replayed>(`${path}/cherry-pick`, body)
              const { map, along } = result
              const more = along.length > 0 ? `, ${along.length} of them to keep calls with results` : ''
              return `Would append ${counted(map.length, 'entry', 'entries')} to ${onto}${more}.`
            }}
            run={(onto) => change('cherry-pick', { revision: [entry], onto })}
          />
          {branch !== undefined && (
            <AskButton
              icon="compare"
              text="Merge"
              title={`Merge ${branch}`}
              field="Branch"
              about="The model then sees there what this branch added."
              isOff={isOff}
              options={targets}
              preview={async (into) => {
                const body = { revision: `${session.id}/${branch}`, into, dryRun: true }
                const { result } = await post<Merged>(`${path}/merge`, body)
                return `${into} would be ${result.change}: it lacks ${counted(result.entries, 'entry', 'entries')}.`
              }}
              run={(into) => change('merge', { revision: `${session.id}/${branch}`, into })}
            />
          )}
        </>
      )}
    </div>
  )
}

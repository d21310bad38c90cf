import type { ComponentChildren, VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../page/icons.tsx'
import { type ApiError, addressOf, post } from '../api.ts'
import type { About, Session } from '../data.ts'
import { closeOutside } from '../help.tsx'
import { during, useApi } from '../hooks.ts'
import { CopyButton } from '../parts.tsx'

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
  /** Returns the address of what was made, if there is one to go to. */
  readonly run: (value: string) => Promise<void>
}

/** A button that asks for a name and then changes something. */
function AskButton({ icon, text, title, field, about, isOff, initial = '', run }: AskProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (value: string): Promise<void> => {
    setBusy(true)
    setError(undefined)
    await during(async () => {
      await run(value)
      dialog.current?.close()
    }, setError)
    setBusy(false)
  }
  return (
    <>
      <button
        class="btn"
        disabled={isOff}
        title={isOff ? 'the server only reads: start it with --write' : undefined}
        onClick={() => dialog.current?.showModal()}
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
            <input
              class="field"
              name="value"
              defaultValue={initial}
              required
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          {error && (
            <p class="bad-text" role="alert">
              {error.detail}
            </p>
          )}
          <div class="sheet-ft">
            <button type="button" class="btn" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button class="btn main" disabled={isBusy}>
              {text}
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}

/** The changes that begin at an entry of a session. */
export function EntryActions({
  session,
  entry,
}: {
  readonly session: Session
  readonly entry: string
}): VNode {
  const isOff = !useWrites()
  const path = `/sessions/${encodeURIComponent(session.id)}`
  return (
    <div class="acts">
      <AskButton
        icon="branch"
        text="Branch"
        title="Branch here"
        field="Name of the branch"
        about="A new branch of this session that begins at this entry. The session stays where it is."
        isOff={isOff}
        run={async (name) => void (await post(`${path}/branches`, { name, start: entry }))}
      />
      <AskButton
        icon="copy"
        text="Fork"
        title="Fork here"
        field="Title of the new session"
        about="A new session that goes on from this entry and shares what is before it: nothing is copied."
        isOff={isOff}
        run={async (title) => {
          const { result } = await post<{ readonly result: { readonly session: string } }>(`${path}/fork`, {
            revision: entry,
            title,
          })
          location.hash = `#/s/${encodeURIComponent(result.session)}`
        }}
      />
      <AskButton
        icon="tag"
        text="Label"
        title="Label this entry"
        field="Label"
        about="A label names the entry for good, in this session."
        isOff={isOff}
        run={async (label) => void (await post(`${path}/label`, { label, revision: entry }))}
      />
      <AskButton
        icon="pencil"
        text="Rename"
        title="Rename the session"
        field="Title"
        about="The title is kept in the store; the agent's own file is not changed."
        isOff={isOff}
        initial={session.title ?? ''}
        run={async (title) => void (await post(`${path}/rename`, { title }))}
      />
    </div>
  )
}

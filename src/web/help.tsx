import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Binding, presentBindings } from './keys.ts'
import { switchKeys, useSettings } from './settings.ts'
import { isMac } from './shell.tsx'

/** The keys that do something, as a dialog. */
export function Help(): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [bindings, set] = useState<readonly Binding[]>([])
  const { hasKeys } = useSettings()
  useEffect(() => {
    const show = (): void => {
      set(presentBindings())
      if (!dialog.current?.open) dialog.current?.showModal()
    }
    addEventListener('sess-help', show)
    return () => removeEventListener('sess-help', show)
  }, [])
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="h-help" onClick={closeOutside}>
      <form method="dialog" class="sheet-in">
        <div class="sheet-hd">
          <h2 id="h-help">Keys</h2>
          <button class="btn">Close</button>
        </div>
        <dl class="keys">
          <Key keys={`${isMac ? '⌘' : 'Ctrl'} K`} does="find a session, a view or a command" />
          {bindings.map(({ keys, does }) => (
            <Key keys={keys} does={does} />
          ))}
          <Key keys="Tab" does="go through everything" />
          <Key keys="Esc" does="close what is open" />
        </dl>
        <label class="switch">
          <input type="checkbox" checked={hasKeys} onChange={switchKeys} /> keys of one letter do something
        </label>
      </form>
    </dialog>
  )
}

const Key = ({ keys, does }: { readonly keys: string; readonly does: string }): VNode => (
  <>
    <dt>
      {keys.split(' ').map((key) => (
        <kbd>{key}</kbd>
      ))}
    </dt>
    <dd>{does}</dd>
  </>
)

/** Closes a dialog where what is behind it is clicked. */
export function closeOutside(event: MouseEvent & { readonly currentTarget: HTMLDialogElement }): void {
  if (event.target === event.currentTarget) event.currentTarget.close()
}

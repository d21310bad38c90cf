import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, type IconName } from '../page/icons.tsx'
import type { FoldProps } from '../page/look.ts'
import type { ApiError } from './api.ts'
import { forgetToken } from './token.ts'

/** A line that paints what is below it when it is opened. */
export function Fold({ class: name, line, body, open = false }: FoldProps): VNode {
  const [isOpen, set] = useState(open)
  return (
    <details class={name} open={isOpen} onToggle={(event) => set(event.currentTarget.open)}>
      <summary class={name === 'tool-fold' ? 'tool' : undefined}>{line}</summary>
      {isOpen && body()}
    </details>
  )
}

/** Stands where there is nothing to show. */
export const Empty = ({
  icon,
  title,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}): VNode => (
  <div class="empty">
    <span class="empty-sign">
      <Icon name={icon} />
    </span>
    <h2>{title}</h2>
    <div>{children}</div>
  </div>
)

/** Stands where something failed. */
export function Problem({ error, retry }: { readonly error: ApiError; readonly retry?: () => void }): VNode {
  if (error.status === 401)
    return (
      <Empty icon="help" title="This token is not the server's">
        <p>
          It belongs to an earlier run of <code>sess serve</code>. Open the address that it printed now.
        </p>
        <p>
          <button
            class="btn"
            onClick={() => {
              forgetToken()
              location.reload()
            }}
          >
            Enter another
          </button>
        </p>
      </Empty>
    )
  return (
    <div role="alert">
      <Empty
        icon="cross"
        title={error.status === 404 ? 'This is not in the store' : 'This could not be read'}
      >
        <p>{error.detail}</p>
        {retry && (
          <p>
            <button class="btn" onClick={retry}>
              Try again
            </button>
          </p>
        )}
      </Empty>
    </div>
  )
}

/** Bars in the place of what is being read. */
export const Loading = ({ rows = 6 }: { readonly rows?: number }): VNode => (
  <div class="loading" role="status">
    <span class="vh">loading</span>
    {Array.from({ length: rows }, (_, i) => (
      <span class={`bone w${i % 4}`} />
    ))}
  </div>
)

/** A heading above a part of the page. */
export const Section = ({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
}): VNode => (
  <section class="part">
    <div class="sec">
      <h2>{title}</h2>
      {note !== undefined && <span class="faint">{note}</span>}
    </div>
    {children}
  </section>
)

/** A button of which one of several is pressed. */
export function Choice<T extends string>({
  label,
  options,
  value,
  onChoose,
}: {
  readonly label: string
  readonly options: readonly (readonly [value: T, text: string, title?: string])[]
  readonly value: T
  readonly onChoose: (value: T) => void
}): VNode {
  return (
    <div class="seg" role="group" aria-label={label}>
      {options.map(([one, text, title]) => (
        <button aria-pressed={one === value} title={title} onClick={() => onChoose(one)}>
          {text}
        </button>
      ))}
    </div>
  )
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const [done, set] = useState(false)
  return (
    <button
      class="link"
      onClick={() => {
        void navigator.clipboard.writeText(text)
        set(true)
        setTimeout(() => set(false), 1500)
      }}
    >
      {done ? 'copied' : label}
    </button>
  )
}

/** The chip of a branch. */
export const BranchChip = ({ name, hue }: { readonly name: string; readonly hue: number }): VNode => (
  <span class={`chip b${hue}`}>
    <Icon name="branch" />
    <span class="ell">{name}</span>
  </span>
)

/** The chip of a label. */
export const LabelChip = ({ name }: { readonly name: string }): VNode => (
  <span class="chip">
    <Icon name="tag" />
    <span class="ell">{name}</span>
  </span>
)

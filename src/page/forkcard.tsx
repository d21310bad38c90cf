import type { ComponentChildren, VNode } from 'preact'
import { Icon } from './icons.tsx'
import { AttemptRail } from './rail.tsx'
import { grouped, money } from './words.ts'

/** One of several ways on from an entry. */
export interface Attempt {
  readonly name: string
  /** Its last words, or its first. */
  readonly about: ComponentChildren
  readonly hue: number
  readonly isHere: boolean
  readonly entries: number | null
  readonly cost: number | null
  readonly href: string | undefined
}

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine']

/** The attempts that part at an entry: which one is read, and the others. */
export function ForkCard({ attempts }: { readonly attempts: readonly Attempt[] }): VNode {
  const here = attempts.findIndex(({ isHere }) => isHere)
  const count = NUMBERS[attempts.length] ?? grouped(attempts.length)
  const step = (by: number, name: 'left' | 'right', label: string): VNode => {
    const other = attempts[(here + by + attempts.length) % attempts.length]
    return other?.href === undefined ? (
      <span />
    ) : (
      <a class="icon" href={other.href} aria-label={`${label} attempt: ${other.name}`} data-step={name}>
        <Icon name={name} />
      </a>
    )
  }
  return (
    <section class="fork" aria-label={`${count} attempts part here`}>
      <div class="hd">
        <Icon name="branch" />
        <span>{count} attempts from here</span>
        {here >= 0 && (
          <span class="step">
            {step(-1, 'left', 'Previous')}
            {here + 1} of {attempts.length}
            {step(1, 'right', 'Next')}
          </span>
        )}
      </div>
      {attempts.map((one) => (
        <AttemptRow one={one} />
      ))}
    </section>
  )
}

function AttemptRow({ one }: { readonly one: Attempt }): VNode {
  const { name, about, hue, isHere, entries, cost, href } = one
  const inner = (
    <>
      <AttemptRail hue={hue} isHere={isHere} />
      <b class="ell">{name}</b>
      <span class={isHere ? 'ell' : 'muted ell'}>{about}</span>
      {isHere ? <span class={`chip b${hue}`}>you read this</span> : <span class="chip">left</span>}
      <span class="num muted hide">{entries === null ? '' : grouped(entries)}</span>
      <span class="num muted hide">{cost === null ? '' : money(cost)}</span>
    </>
  )
  return href === undefined || isHere ? (
    <div class={`att h${hue}`} aria-current={isHere ? 'true' : undefined}>
      {inner}
    </div>
  ) : (
    <a class={`att h${hue}`} href={href}>
      {inner}
    </a>
  )
}

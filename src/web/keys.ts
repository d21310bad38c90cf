import { useEffect, useRef } from 'preact/hooks'
import { keysAreOn } from './settings.ts'

/** A key and what it does, as the help lists it. */
export interface Binding {
  /** As `KeyboardEvent.key` names it; two letters that follow one another with a blank between them. */
  readonly keys: string
  readonly does: string
  readonly run: (event: KeyboardEvent) => void
}

const sets = new Set<{ readonly current: readonly Binding[] }>()

/** Returns the keys that do something now. */
export const presentBindings = (): readonly Binding[] => [...sets].flatMap(({ current }) => current)

const CHORD_MS = 1200
let first: { readonly key: string; readonly at: number } | undefined

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Listens for keys, for as long as the page is there. */
export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!keysAreOn() || isTyping(event.target) || document.querySelector('dialog[open]')) return
    const chord = first && event.timeStamp - first.at < CHORD_MS ? `${first.key} ${event.key}` : undefined
    const all = presentBindings().toReversed()
    const found = all.find(({ keys }) => keys === chord) ?? all.find(({ keys }) => keys === event.key)
    if (found) {
      first = undefined
      event.preventDefault()
      found.run(event)
    } else if (all.some(({ keys }) => keys.startsWith(`${event.key} `)))
      first = { key: event.key, at: event.timeStamp }
  })
}

/** Binds keys for as long as a component is there. */
export function useKeys(bindings: readonly Binding[]): void {
  const ref = useRef(bindings)
  ref.current = bindings
  useEffect(() => {
    sets.add(ref)
    return () => void sets.delete(ref)
  }, [])
}

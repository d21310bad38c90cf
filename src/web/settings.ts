import { useEffect, useState } from 'preact/hooks'

export const THEMES = ['auto', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const THEME_KEY = 'sess-theme'
const KEYS_KEY = 'sess-keys'

const listeners = new Set<() => void>()

const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    // The browser keeps nothing: the setting holds for this page.
    return null
  }
}

let theme: Theme = THEMES.find((one) => one === stored(THEME_KEY)) ?? 'auto'
let hasKeys = stored(KEYS_KEY) !== 'off'

function set(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // As above.
  }
  for (const listener of listeners) listener()
}

/** Shows the page in the theme that was chosen. */
export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme === 'auto') delete dataset.theme
  else dataset.theme = theme
}

/** Chooses the next theme: as the system has it, light, dark. */
export function nextTheme(): void {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto'
  applyTheme()
  set(THEME_KEY, theme)
}

/** Switches keys of one letter on or off. */
export function switchKeys(): void {
  hasKeys = !hasKeys
  set(KEYS_KEY, hasKeys ? 'on' : 'off')
}

/** Whether a key without Ctrl or Cmd does something. */
export const keysAreOn = (): boolean => hasKeys

/** Returns the settings of this browser. */
export function useSettings(): { readonly theme: Theme; readonly hasKeys: boolean } {
  const [value, update] = useState({ theme, hasKeys })
  useEffect(() => {
    const listener = (): void => update({ theme, hasKeys })
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return value
}

import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { AgentTile } from '../page/agenttile.tsx'
import { Icon, type IconName } from '../page/icons.tsx'
import { firstLine, lastPart } from '../page/words.ts'
import { addressOf } from './api.ts'
import { type Hits, type Page, type Session, titleOf } from './data.ts'
import { closeOutside } from './help.tsx'
import { useApi, useSettled } from './hooks.ts'
import { go, href } from './router.ts'
import { nextTheme } from './settings.ts'
import { open } from './shell.tsx'

/** A line of the palette. */
interface Choice {
  readonly id: string
  readonly text: string
  readonly note: string
  readonly sign: VNode
  readonly run: () => void
}

const command = (icon: IconName, text: string, note: string, run: () => void): Choice => ({
  id: `c-${text}`,
  text,
  note,
  sign: <Icon name={icon} />,
  run,
})

const COMMANDS: readonly Choice[] = [
  command('list', 'All sessions', 'g h', () => go('#/')),
  command('undo', 'Operations and undo', 'g o', () => go('#/ops')),
  command('disk', 'The store', 'g s', () => go('#/store')),
  command('branch', 'Swarms', 'g w', () => go('#/swarms')),
  command('half', 'Change the theme', 't', nextTheme),
  command('help', 'Keys', '?', () => void open('help')),
]

const SETTLED_MS = 140
const MIN_SEARCHED = 2

/** Finds sessions, what was said in them, and commands. */
export function Palette(): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  useEffect(() => {
    const show = (): void => {
      if (dialog.current?.open) return
      setTyped('')
      setAt(0)
      setOpen(true)
      dialog.current?.showModal()
      field.current?.focus()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      show()
    }
    addEventListener('sess-palette', show)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('sess-palette', show)
      removeEventListener('keydown', onKey)
    }
  }, [])
  const choices = useChoices(isOpen, typed)
  const chosen = Math.min(at, choices.length - 1)
  const run = (choice: Choice | undefined): void => {
    if (!choice) return
    dialog.current?.close()
    choice.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((chosen + step + choices.length) % Math.max(1, choices.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(choices[chosen])
    }
  }
  return (
    <dialog
      ref={dialog}
      class="sheet palette"
      aria-label="Search and commands"
      onClick={closeOutside}
      onClose={() => setOpen(false)}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          ref={field}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={choices[chosen] ? `p-${chosen}` : undefined}
          aria-label="Search and commands"
          placeholder="A session, words that were said, or a command"
          autocomplete="off"
          spellcheck={false}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="palette-list" role="listbox" aria-label="Found">
        {choices.map((choice, i) => (
          <li
            key={choice.id}
            id={`p-${i}`}
            role="option"
            aria-selected={i === chosen}
            onMouseMove={() => i !== chosen && setAt(i)}
            onClick={() => run(choice)}
          >
            <span class="psign">{choice.sign}</span>
            <span class="ell grow">{choice.text}</span>
            <span class="faint ell note-r">{choice.note}</span>
          </li>
        ))}
      </ul>
    </dialog>
  )
}

function useChoices(isOpen: boolean, typed: string): readonly Choice[] {
  const words = useSettled(typed.trim(), SETTLED_MS)
  const isSearched = isOpen && words.length >= MIN_SEARCHED
  const sessions = useApi<Page<Session>>(isOpen ? addressOf('/sessions', { limit: 200 }) : null)
  const hits = useApi<Hits>(isSearched ? addressOf('/search', { query: words, limit: 8 }) : null)
  if (!isOpen) return []
  const parts = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '')
  const fits = (text: string): boolean => parts.every((part) => text.toLowerCase().includes(part))
  const named = (sessions.data?.items ?? [])
    .filter((one) => fits(`${titleOf(one)} ${one.project ?? ''} ${one.id}`))
    .slice(0, parts.length === 0 ? 5 : 6)
    .map(
      (one): Choice => ({
        id: `s-${one.id}`,
        text: titleOf(one),
        note: one.project === null ? '' : lastPart(one.project),
        sign: <AgentTile format={one.format} />,
        run: () => go(href(['s', one.id])),
      }),
    )
  const said = (hits.data?.items ?? []).flatMap((hit): readonly Choice[] => {
    const [snippet] = hit.snippets
    if (!snippet || hit.oid === null) return []
    return [
      {
        id: `h-${hit.session}-${hit.oid}`,
        text: firstLine(snippet.text),
        note: hit.title ?? hit.prompt ?? '',
        sign: <Icon name="search" />,
        run: () => go(href(['s', hit.session], { e: hit.oid })),
      },
    ]
  })
  const commands = COMMANDS.filter(({ text }) => fits(text))
  const all =
    parts.length > 0
      ? [
          command('search', `All that was said about “${typed.trim()}”`, '', () =>
            go(href(['search'], { q: typed.trim() })),
          ),
        ]
      : []
  return [...named, ...(isSearched ? said : []), ...commands, ...all]
}

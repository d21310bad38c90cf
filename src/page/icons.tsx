import type { VNode } from 'preact'

/** The paths of icons, on a field of 16 by 16, drawn as lines. */
const PATHS = {
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7z',
  half: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 2v12M8 5l4.5-1M8 8h6M8 11l4.5 1',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M6.2 6.3c.2-1.2 1-1.8 1.9-1.8s1.8.6 1.8 1.6c0 1.3-1.8 1.5-1.8 2.8M8 11.3h.1',
  branch:
    'M4 4.6v6.8M12 4.6c0 4-8 2.4-8 6M4 1.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2M12 1.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2M4 11.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2',
  tag: 'M2.5 2.5h5.2l5.8 5.8-5.2 5.2-5.8-5.8zM5.4 5.4h.1',
  down: 'M3.5 6 8 10.5 12.5 6',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  user: 'M8 2.9a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M3 13.5c.7-2.6 2.6-3.8 5-3.8s4.3 1.2 5 3.8',
  copy: 'M7.1 5.5h4.8a1.6 1.6 0 0 1 1.6 1.6v4.8a1.6 1.6 0 0 1-1.6 1.6H7.1a1.6 1.6 0 0 1-1.6-1.6V7.1a1.6 1.6 0 0 1 1.6-1.6M3 10.5V4a1.5 1.5 0 0 1 1.5-1.5H11',
  link: 'M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.6-2.6a2.5 2.5 0 0 0-3.6-3.6l-1 1M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.3 9.1a2.5 2.5 0 0 0 3.6 3.6l1-1',
  cross: 'm4 4 8 8M12 4l-8 8',
  check: 'm3 8.5 3.2 3L13 4.5',
  compare: 'M8 1.5v13M6 4H2.5v8H6M10 4h3.5v8H10',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7H6',
  terminal: 'm3 4.5 3.5 3.5L3 11.5M8.5 12H13',
  pencil: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z',
  file: 'M4 1.8h5l3.2 3.2v9.2H4zM9 1.8V5h3.2',
  agent: 'M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4M4 4a5.6 5.6 0 0 0 0 8M12 4a5.6 5.6 0 0 1 0 8',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.8V8l2.2 1.6',
  disk: 'M3 3.5C3 2.7 5.2 2 8 2s5 .7 5 1.5v9c0 .8-2.2 1.5-5 1.5s-5-.7-5-1.5zM3 3.5C3 4.3 5.2 5 8 5s5-.7 5-1.5M3 8c0 .8 2.2 1.5 5 1.5S13 8.8 13 8',
  dots: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  bulb: 'M6 11.5a4.5 4.5 0 1 1 4 0v1.2H6zM6.5 14.5h3',
  image: 'M2.5 3h11v10h-11zM2.5 11l3.2-3.2 2.5 2.5 1.8-1.8 3.5 3.5M10.4 5.8h.1',
} as const

export type IconName = keyof typeof PATHS

/** All icons once, for a file that names them. */
export const IconShapes = (): VNode => (
  <svg class="vh" aria-hidden="true">
    {Object.entries(PATHS).map(([name, path]) => (
      <symbol id={`i-${name}`} viewBox="0 0 16 16">
        <path d={path} />
      </symbol>
    ))}
  </svg>
)

/** An icon that a file has elsewhere. */
export const NamedIcon = ({ name }: { readonly name: IconName }): VNode => (
  <svg class="i" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)

/** An icon beside a text that says the same. */
export const Icon = ({ name }: { readonly name: IconName }): VNode => (
  <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)

/** The mark of the program: two branches of one line. */
export const Mark = (): VNode => (
  <svg class="mark-sign" viewBox="0 0 22 22" aria-hidden="true">
    <path class="rail s1" d="M6 3v16" />
    <path class="rail s2" d="M6 8.5c0 5 10 1.5 10 8" />
    <circle class="f1" cx="6" cy="4" r="2.6" />
    <circle class="f2" cx="16" cy="18" r="2.6" />
    <circle class="f1" cx="6" cy="18" r="2.6" />
  </svg>
)

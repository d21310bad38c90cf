/** The commands that may write, and so take -n; of those of a command behind its name. */
export const WRITERS: ReadonlySet<string> = new Set([
  'append',
  'branch',
  'config',
  'export',
  'fork',
  'hash-object',
  'import',
  'init',
  'label',
  'op restore',
  'redo',
  'rename',
  'rm',
  'set',
  'switch',
  'undo',
  'update-ref',
])

/** The commands that may print more than fits on a screen, and so go through the pager. */
export const READERS: ReadonlySet<string> = new Set([
  'branch',
  'compare',
  'context',
  'diff',
  'help',
  'label',
  'log',
  'ls',
  'op log',
  'op show',
  'reflog',
  'search',
  'show',
  'tree',
])

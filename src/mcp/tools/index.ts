import type { Tool } from '../tool.ts'
import { compare } from './compare.ts'
import { context } from './context.ts'
import { files } from './files.ts'
import { fork } from './fork.ts'
import { label } from './label.ts'
import { log } from './log.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { show } from './show.ts'
import { tree } from './tree.ts'

/** The tools that read, in the order in which they are listed: it never changes, so that prompts can be cached. */
const READING: readonly Tool[] = [search, show, sessions, log, files, tree, compare, context]

/** The tools that write. */
const WRITING: readonly Tool[] = [label, fork]

/** Returns the tools of a server. */
export const toolsOf = ({ writes }: { readonly writes: boolean }): readonly Tool[] =>
  writes ? [...READING, ...WRITING] : READING

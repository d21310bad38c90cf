import { EXIT, type Kind } from '../model/errors.ts'

const MEANS: Readonly<Record<Kind, string>> = {
  user: 'your data or the names that you gave: nothing by that name, a bad line, a missing path',
  usage: 'the command was typed in a way that sess does not know',
  conflict: 'something moved meanwhile: look at it again and repeat the command',
  busy: 'another process has the store: repeat the command, or wait longer with --lock-timeout',
  corrupt: "the store is damaged: type 'sess fsck' to see what is hurt",
  bug: 'sess failed in a way it should not: report it with the command that you typed',
}

const exitCodes = `Exit codes

     0  done; also where the reader of the output went away
${Object.entries(EXIT)
  .map(([kind, code]) => `${String(code).padStart(6)}  ${kind}: ${MEANS[kind as Kind]}`)
  .join('\n')}

With --json an error is the last line of standard error:
  {"error":{"code","kind","message","hint","retryable"}}
Codes never change; messages may.`

const revisions = `Revisions

A revision names an entry. It is tried in this order:
  SESSION            the exact id of a session: where it stands
  SESSION/BRANCH     a branch or a label of a session
  TITLE              the exact title of a session
  SESSION:ID         an entry by the id that its agent gave it
  OID                the oid of an entry, or 4 or more of its first digits
  PREFIX             the first characters of a session's id
  @                  the session of this folder that was added to last

Then any of:
  ~N                 N entries up the path
  ^N                 the Nth parent
  @{N}               what the branch named N moves ago

Ranges, for sess log:
  A..B               what B has and A has not
  A...B              what only one of the two has`

interface Topic {
  readonly name: string
  readonly does: string
  readonly text: string
}

/** What `sess help` tells of that is no command. */
export const TOPICS: readonly Topic[] = [
  { name: 'revisions', does: 'how to name sessions and entries', text: revisions },
  { name: 'exit-codes', does: 'what the exit code of a command says', text: exitCodes },
]

/** Gives the topics as help lists them. */
export function topicList(): string {
  const width = Math.max(...TOPICS.map(({ name }) => name.length))
  const lines = TOPICS.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`)
  return `Topics, for sess help TOPIC:\n${lines.join('\n')}`
}

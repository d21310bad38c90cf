import type { Sample } from '../core/sample.ts'

/** Returns the run of a workflow that a sub-agent is a part of, from the names of its folder and of those above. */
export const runOf = (folder: string, above: readonly string[]): string | undefined =>
  above[0] === 'workflows' && above[1] === 'subagents' && folder !== '' ? folder : undefined

/** Returns whether a source is the journal of a workflow's run, which belongs to the session that started the run. */
export const isJournal = ({ name, folder = '', above = [] }: Sample): boolean =>
  name === 'journal.jsonl' && runOf(folder, above) !== undefined

/**
 * The entries that a graph shows besides those that shape it (roots, forks, merges, compactions, entries with refs):
 * `default` some prompts, `user-only` all prompts, `no-tools` all text, `all` everything. `labeled-only` shows only
 * labels, the current entry and what joins them.
 */
export type GraphFilter = (typeof FILTERS)[number]

export const FILTERS = ['default', 'no-tools', 'user-only', 'labeled-only', 'all'] as const

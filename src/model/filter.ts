/**
 * Which entries of a graph are drawn besides those that give it its shape (roots, forks, merges, compactions, what refs
 * name): with `default` a few prompts, with `user-only` all of them, with `no-tools` all that is said in words, with
 * `all` everything. With `labeled-only` nothing is drawn but labels, where the session stands, and what joins them.
 */
export type Filter = (typeof FILTERS)[number]

export const FILTERS = ['default', 'no-tools', 'user-only', 'labeled-only', 'all'] as const

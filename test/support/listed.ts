import type { Oid } from '../../src/model/oid.ts'
import type { Listed } from '../../src/repo/listedsession.ts'

/** A listed session, of which little is of interest. */
export const listedSession = (about: Partial<Listed>): Listed => ({
  id: 'session',
  format: 'pi',
  title: null,
  prompt: 'Say it in a few words',
  cwd: '/work',
  entries: 14,
  records: 15,
  prompts: 2,
  calls: 3,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, total: 10 },
  cost: 0.25,
  model: 'claude',
  branches: { main: 'a'.repeat(64) as Oid },
  labels: {},
  set: {},
  head: 'main',
  parent: null,
  continuedIn: null,
  agents: {},
  created: '2026-01-01T00:00:00.000Z',
  updated: '2026-01-02T00:00:00.000Z',
  source: null,
  silent: false,
  state: 'b'.repeat(64),
  ...about,
})

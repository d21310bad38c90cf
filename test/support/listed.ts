import type { Oid } from '../../src/model/encoding/oid.ts'
import type { ListSource } from '../../src/repo/listcolumns.ts'
import type { Listed } from '../../src/repo/listedsession.ts'

/** Returns sessions without usage as a list keeps them. */
export const withoutSpending = (sessions: readonly Listed[]): ListSource[] =>
  sessions.map((session) => ({
    ...session,
    spending: {
      ...{ models: [], rows: [], openings: [], joined: false, isUnsure: false },
      ...{ native: session.id, logs: [], base: [], reported: null, model: '' },
    },
  }))

/** A listed session, of which little is of interest. */
export const listedSession = (about: Partial<Listed>): Listed => ({
  id: 'session',
  format: 'pi',
  title: null,
  prompt: 'Say it in a few words',
  cwd: '/work',
  folders: ['/work'],
  git: null,
  pullRequests: [],
  entries: 14,
  records: 15,
  prompts: 2,
  calls: 3,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, total: 10 },
  cost: 0.25,
  parts: null,
  reportedCost: null,
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
  ...about,
})

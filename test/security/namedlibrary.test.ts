import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type EntryInput, type Oid, openStore, SessError, type Session, type Store } from '../../src/index.ts'
import { sampled } from '../support/amount.ts'
import { newFolder } from '../support/folder.ts'
import { NAMES } from '../support/hostilenames.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

interface Where {
  readonly store: Store
  readonly session: Session
  /** A folder in which nothing but what is asked for may come to be. */
  readonly dir: string
}

async function all(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) continue
}

const user = (content: string): EntryInput => ({ body: { role: 'user', content } })

/** Every place of the library that takes a name, a revision or a text which somebody makes. */
const PLACES: Readonly<Record<string, (name: string, where: Where) => Promise<unknown>>> = {
  'title of a new session': async (title, { store }) => {
    const made = await store.createSession({ title })
    expect((await made.info()).title).toBe(title.toWellFormed())
  },
  'folder of a new session': (cwd, { store }) => store.createSession({ cwd }),
  session: (name, { store }) => store.session(name),
  'session to be removed': (name, { store }) => store.remove([name]),
  'title of a fork': (title, { store, session }) => store.fork(session.id, { title }),
  'revision to be forked': (name, { store }) => store.fork(name),
  revision: (name, { store }) => store.resolve(name),
  'revision to be compared': (name, { store, session }) => store.compare([session.id, name]),
  metric: (by, { store, session }) => store.compare([session.id, session.id], { metric: by as 'cost' }),
  'side of a diff': (name, { store, session }) => store.diff(session.id, name),
  'side of a merge base': (name, { store, session }) => store.mergeBase(name, session.id),
  'revision of a log': (name, { store }) => all(store.log(name)),
  expression: (name, { store }) => all(store.select(name)),
  'revision to be shown': (name, { store }) => store.show(name),
  query: (name, { store }) => store.search(name),
  'operation to be undone': (operation, { store }) => store.undo({ operation }),
  'session whose work is undone': (session, { store }) => store.undo({ session }),
  'reason to expunge': (why, { store, session }) =>
    store.expunge({ entries: [`${session.id}~1`], why, force: true }),
  'entry to expunge': (name, { store }) => store.expunge({ entries: [name] }),
  'goal of a handoff': (goal, { store, session }) => store.handoff(goal, session.id),
  'session to be redacted': (name, { store }) => store.redact(name, { find: () => [] }),
  'session to be exported': (name, { store }) => all(store.export(name)),
  'format of an export': (format, { store, session }) => all(store.export(session.id, { format })),
  'session to be resumed': (name, { store }) => store.resume(name),
  'session to be read anew': (name, { store }) => store.reread(name),
  text: async (content, { session, store }) => {
    const oid = await session.append(user(content))
    const { text } = await store.show(oid)
    expect(text ?? '').toBe(content)
  },
  'type of an entry': (type, { session }) => session.append({ type, body: {} }),
  'branch to append to': (branch, { session }) => session.append(user('x'), { branch }),
  'expected tip': (expected, { session }) => session.append(user('x'), { expected: expected as never }),
  branch: async (name, { session }) => {
    const { name: made } = await session.branch(name)
    expect([made, (await session.branches()).some((branch) => branch.name === name)]).toEqual([name, true])
  },
  'revision of a branch': (name, { session }) => session.branch(`b${name.length}`, name),
  'revision to switch to': (name, { session }) => session.switch(name),
  'branch for the root': (name, { session }) => session.switchToRoot(name),
  'revision to be picked': (name, { session }) => session.cherryPick(name),
  'revision to be merged': (name, { session }) => session.merge(name),
  'revision to rebase onto': (name, { session }) => session.rebase(name),
  'revision to be edited': (name, { session }) => session.edit(name, []),
  'revision to go to': (name, { session }) => session.navigate(name),
  'revision to pop to': (name, { session }) => session.pop(name),
  label: async (name, { session }) => {
    await session.label(name)
    expect((await session.labels()).some((label) => label.name === name)).toBe(true)
    await session.unlabel(name)
  },
  'label to be removed': (name, { session }) => session.unlabel(name),
  'text of labels to be found': (find, { session }) => session.labels({ find }),
  title: async (name, { session }) => {
    const { title } = await session.rename(name)
    expect((await session.info()).title).toBe(title)
  },
  key: (name, { session }) => session.set({ [name]: '1' }),
  value: (name, { session }) => session.set({ key: name }),
  'revision of a context': (at, { session }) => session.context({ at }),
  'format of a context': (format, { session }) => session.context({ format: format as 'json' }),
  summary: (summary, { session }) => session.compact({ summary, keepTokens: 1 }),
  'summary of what is left': (summary, { session }) => session.pop(`${session.id}~2`, { summary }),
  'summary of a merge': async (summary, { session }) => {
    await session.branch('other', `${session.id}~1`)
    await session.append(user('aside'), { branch: 'other' })
    await session.merge(`${session.id}/other`, { summary })
  },
  'words of an edit': async (text, { store, session }) => {
    const oid = (await session.tip()) as Oid
    const { tip } = await session.edit(`${session.id}~1`, [{ verb: 'reword', oid, text }])
    expect((await store.show(tip as Oid)).text ?? '').toBe(text)
  },
  moment: async (atOperation, { dir }) => (await openStore(join(dir, 'store'), { atOperation })).close(),
  'id in a file': async (name, { store, dir }) => {
    const file = join(dir, 'in', 'talk.jsonl')
    writeFileSync(file, claudeLines(name, asked(`${name}q`, null), answered(`${name}a`, `${name}q`)).join(''))
    const { files } = await store.import(file)
    const [read] = files
    if (!read) return
    const out = join(dir, 'out', 'talk.jsonl')
    await store.exportFile(read.session, { path: out, format: 'pi', force: true })
    await store.exportFile(read.session, { toAgent: true, format: 'pi', home: join(dir, 'out') })
  },
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => !/^(?:store|in|out)/.test(name))

it.each(sampled(Object.entries(PLACES), 6))(
  'the library takes anything for a %s: it is that, or is refused with a code',
  async (_, work) => {
    const dir = join(newFolder(), 'around')
    for (const name of ['in', 'out']) mkdirSync(join(dir, name), { recursive: true })
    const store = await openStore(join(dir, 'store'), { create: true, cwd: dir })
    const wrong: unknown[] = []
    for (const [kind, name] of Object.entries(NAMES)) {
      const session = await store.createSession({ title: 'Tea' })
      await session.appendAll([user('one'), { body: { role: 'assistant', content: 'two' } }, user('three')])
      try {
        await work(name, { store, session, dir })
      } catch (error) {
        if (!(error instanceof SessError) || error.code === 'bug') wrong.push([kind, error])
      }
    }
    expect(wrong).toEqual([])
    expect((await store.fsck()).findings).toEqual([])
    expect(filesIn(dir)).toEqual([])
    expect(readdirSync(join(dir, '..'))).toEqual(['around'])
    await store.close()
  },
)

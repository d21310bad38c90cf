import { type LinksBy, mapLinks } from '../../src/model/entry.ts'
import type { Json } from '../../src/model/json.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import type { Oid } from '../../src/model/oid.ts'
import { branchRef } from '../../src/model/refname.ts'
import { textOf } from '../../src/model/view.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { NativeLog } from '../../src/ops/append/nativelog.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { contextOf } from '../../src/ops/context/context.ts'
import { log } from '../../src/ops/log.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { getSession } from '../../src/repo/session.ts'

/** An entry to append: a text, of the user or of the assistant in turn, or a body. */
export type Said = string | { readonly type?: string; readonly body: Json }

/** Calls of tools and their results. */
export const calls = (...ids: readonly string[]): Said => ({
  body: {
    role: 'assistant',
    content: ids.map((id) => ({ type: 'toolCall', id, name: 'bash', arguments: { command: id } })),
  },
})
export const answers = (...ids: readonly string[]): Said => ({
  body: { role: 'tool', content: ids.map((id) => ({ type: 'toolResult', id, text: `result ${id}` })) },
})

/** Texts that end in `?` are the user's. */
const spoken = (said: Said): { readonly type?: string; readonly body: Json } =>
  typeof said === 'string'
    ? { body: { role: said.endsWith('?') ? 'user' : 'assistant', content: said } }
    : said

/** A session with branches, for tests that bring what one says to another. */
export class Talk {
  readonly repo: Repo
  readonly id: string

  private constructor(repo: Repo, id: string) {
    this.repo = repo
    this.id = id
  }

  /** Begins a session that says something on `main`. */
  static async begin(repo: Repo, ...said: readonly Said[]): Promise<Talk> {
    const talk = new Talk(repo, await createSession(repo))
    await talk.say('main', ...said)
    return talk
  }

  /** Says something on a branch. */
  say(branch: string, ...said: readonly Said[]): Promise<Oid[]> {
    return append(this.repo, this.id, said.map(spoken), { branch })
  }

  /** Makes a branch so many entries before the end of another, and says something on it. */
  async branch(name: string, from: string, ...said: readonly Said[]): Promise<Oid[]> {
    await createBranch(this.repo, this.id, name, `${this.id}/${from}`)
    return said.length === 0 ? [] : this.say(name, ...said)
  }

  /** Returns what a branch says, oldest first. */
  async path(name: string): Promise<string[]> {
    const texts: string[] = []
    for await (const { view, type } of log(this.repo, `${this.id}/${name}`))
      texts.push(
        textOf(view) ??
          (view.blocks.map((block) => ('id' in block ? `${block.kind} ${block.id}` : '')).join() || type),
      )
    return texts.reverse()
  }

  /** Returns what the model sees of a branch, in short. */
  async context(name: string): Promise<string[]> {
    const { messages } = await contextOf(this.repo, `${this.id}/${name}`)
    return messages.map(({ role, blocks }) =>
      blocks
        .map((block) => {
          if (block.kind === 'text') return block.text
          return block.kind === 'toolCall' || block.kind === 'toolResult'
            ? `${block.kind} ${block.id}`
            : block.kind
        })
        .join(` ${role} `),
    )
  }

  /** Appends an entry with links to a branch. */
  async link(branch: string, type: string, body: Json, links: LinksBy<Oid>): Promise<Oid> {
    return this.repo.write({}, async (change) => {
      const growth = await NativeLog.begin(change, this.id)
      const handleOf = async (oid: Oid): Promise<EntryHandle> =>
        (await change.reader.find(oid)) as EntryHandle
      const before = (await change.reader.ref(branchRef(this.id, branch))) as Oid
      const handles = await mapLinks(links, handleOf)
      const made = await growth.add({ type, body, parents: [await handleOf(before)], links: handles })
      change.move(branchRef(this.id, branch), before, made.oid)
      growth.end()
      return made.oid
    })
  }

  async tip(name: string): Promise<Oid | undefined> {
    return (await this.repo.read((reader) => getSession(reader, this.id))).branches.get(name)
  }
}

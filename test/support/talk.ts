import { type LinksBy, mapLinks } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'
import type { EntryHandle } from '../../src/model/node.ts'
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
export type TalkInput = string | { readonly type?: string; readonly body: Json }

/** Calls of tools and their results. */
export const calls = (...ids: readonly string[]): TalkInput => ({
  body: {
    role: 'assistant',
    content: ids.map((id) => ({ type: 'toolCall', id, name: 'bash', arguments: { command: id } })),
  },
})
export const answers = (...ids: readonly string[]): TalkInput => ({
  body: { role: 'tool', content: ids.map((id) => ({ type: 'toolResult', id, text: `result ${id}` })) },
})

/** Texts that end in `?` are the user's. */
const bodyOf = (input: TalkInput): { readonly type?: string; readonly body: Json } =>
  typeof input === 'string'
    ? { body: { role: input.endsWith('?') ? 'user' : 'assistant', content: input } }
    : input

/** A session with branches, for tests that bring entries of one to another. */
export class Talk {
  readonly repo: Repo
  readonly id: string

  private constructor(repo: Repo, id: string) {
    this.repo = repo
    this.id = id
  }

  /** Begins a session with entries on `main`. */
  static async begin(repo: Repo, ...inputs: readonly TalkInput[]): Promise<Talk> {
    const talk = new Talk(repo, await createSession(repo))
    await talk.append('main', ...inputs)
    return talk
  }

  /** Appends entries to a branch. */
  append(branch: string, ...inputs: readonly TalkInput[]): Promise<Oid[]> {
    return append(this.repo, this.id, inputs.map(bodyOf), { branch })
  }

  /** Makes a branch so many entries before the end of another, and appends entries to it. */
  async branch(name: string, from: string, ...inputs: readonly TalkInput[]): Promise<Oid[]> {
    await createBranch(this.repo, this.id, name, `${this.id}/${from}`)
    return inputs.length === 0 ? [] : this.append(name, ...inputs)
  }

  /** Returns the texts of a branch, oldest first. */
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

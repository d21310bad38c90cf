import { SessError } from '../../model/errors.ts'
import { type RefUpdate, updateRef } from '../../verbs/update-ref.ts'
import { defineCommand, misuse } from '../define.ts'
import { textOf } from '../entryinput.ts'
import { flag, optional, ref, revision } from '../parameters.ts'
import { outputOf } from '../present.ts'

/** `sess update-ref`: moves refs, each only from the value that it is expected to have. */
export const command = defineCommand({
  effect: updateRef.effect,
  arguments: {
    name: optional(ref(), 'a branch, label or HEAD of a session, as sess for-each-ref names it'),
    new: optional(
      revision(),
      'the new value: a revision, for a HEAD also ref:BRANCH or root:; zeros delete it',
    ),
    old: optional(revision(), 'the expected value; zeros if the ref must not exist'),
  },
  options: {
    delete: flag('delete the ref: update-ref -d NAME [OLD]', { short: 'd' }),
    stdin: flag('read commands from standard input', { excludes: ['name', 'delete'] }),
    z: flag('with --stdin: separate lines and fields with NUL'),
  },
  help: `With --stdin, each line is one of:
  update NAME NEW [OLD]
  create NAME NEW
  delete NAME [OLD]
  verify NAME [OLD]
Either all of it happens or nothing. Prints nothing, or with --json and -n a line for each ref that moves.`,
  examples: [
    [
      'sess update-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/before 3b1f~3',
      'create or move a branch',
    ],
    [
      "echo 'verify sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main 3b1f' | sess update-ref --stdin",
      'verify the value of a branch',
    ],
  ],
  output: outputOf('A line for each ref that moved.', updateRef.output),
  run: async (call, { name, new: value, old, delete: isDelete, stdin, z }, out) => {
    const updates = stdin
      ? await readUpdates(call.platform.stdin, z)
      : [updateTyped([name, value, old], isDelete)]
    const moved = await updateRef.run(await call.context(), { update: updates })
    if (!call.io.json && !call.dryRun) return
    for (const one of moved) await out.record([one.name, one.old ?? NONE, one.new ?? NONE].join(' '), one, z)
  },
})

/** Stands for a missing ref in a line. */
const NONE = '0'.repeat(64)

async function readUpdates(stdin: AsyncIterable<Uint8Array>, zero: boolean): Promise<RefUpdate[]> {
  const text = await textOf(stdin)
  return zero ? updatesOfZero(text) : updatesOf(text)
}

function updateTyped(words: readonly (string | undefined)[], isDelete: boolean): RefUpdate {
  const [name, ...values] = words.filter((word) => word !== undefined)
  const [to, from] = isDelete ? ['', ...values] : values
  if (name === undefined || to === undefined) throw misuse('update-ref', 'no ref or no value was named')
  if (values.length > (isDelete ? 1 : 2)) throw misuse('update-ref', '-d takes NAME and OLD')
  return { name, to: valueOrNone(to), ...expected(from) }
}

/** A command of `update-ref --stdin`: its form, and how many values follow the name. */
interface UpdateVerb {
  readonly form: string
  readonly least: number
  readonly most: number
  readonly update: (name: string, values: readonly (string | undefined)[]) => RefUpdate
}

/** Returns a value for an update: null for a missing ref. */
const valueOrNone = (text: string): string | null => (/^(?:0{64})?$/.test(text) ? null : text)

const expected = (text: string | undefined): Pick<RefUpdate, 'from'> =>
  text === undefined ? {} : { from: valueOrNone(text) }

const VERBS: ReadonlyMap<string, UpdateVerb> = new Map([
  [
    'update',
    {
      form: 'update NAME NEW [OLD]',
      least: 1,
      most: 2,
      update: (name, [to = '', from]) => ({ name, to: valueOrNone(to), ...expected(from) }),
    },
  ],
  [
    'create',
    { form: 'create NAME NEW', least: 1, most: 1, update: (name, [to = '']) => ({ name, to, from: null }) },
  ],
  [
    'delete',
    {
      form: 'delete NAME [OLD]',
      least: 0,
      most: 1,
      update: (name, [from]) => ({ name, to: null, ...expected(from) }),
    },
  ],
  [
    'verify',
    {
      form: 'verify NAME [OLD]',
      least: 0,
      most: 1,
      update: (name, [from]) => ({ name, ...expected(from ?? '') }),
    },
  ],
])

/** Parses updates as `git update-ref --stdin` does: one per line, values with spaces in `"` `"`. */
const updatesOf = (text: string): RefUpdate[] =>
  text.split('\n').flatMap((line, place) => {
    const [verb, name, ...values] = wordsOf(line, place + 1)
    return verb === undefined ? [] : [updateOf(verb, name, values, place + 1)]
  })

/** Parses the same with NUL after the name and after each value, none left out; an empty value is missing. */
function updatesOfZero(text: string): RefUpdate[] {
  const updates: RefUpdate[] = []
  const fields = text.split('\0')
  if (fields.at(-1) === '') fields.pop()
  for (let at = 0; at < fields.length; ) {
    const [, verb = '', name] = /^(\S*) ?(.*)$/s.exec(fields[at] as string) ?? []
    const most = VERBS.get(verb)?.most ?? 0
    const values = fields.slice(at + 1, at + 1 + most)
    if (values.length < most) throw wrong(updates.length + 1, `'${verb}' lacks a value`)
    updates.push(
      updateOf(
        verb,
        name,
        values.map((value) => value || undefined),
        updates.length + 1,
      ),
    )
    at += 1 + most
  }
  return updates
}

function updateOf(
  word: string,
  name: string | undefined,
  values: readonly (string | undefined)[],
  number: number,
): RefUpdate {
  const verb = VERBS.get(word)
  if (!verb) throw wrong(number, `'${word}' is none of ${[...VERBS.keys()].join(', ')}`)
  const count = values.filter((value) => value !== undefined).length
  if (!name || count < verb.least || values.length > verb.most)
    throw wrong(number, `it is not '${verb.form}'`)
  return verb.update(name, values)
}

function wordsOf(line: string, number: number): string[] {
  return [...line.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g)].map(([word]) => {
    if (!word.startsWith('"')) return word
    try {
      return String(JSON.parse(word))
    } catch (cause) {
      throw wrong(number, `${word} is not a text in quotes`, cause)
    }
  })
}

const wrong = (number: number, message: string, cause?: unknown): SessError =>
  new SessError('bad-usage', `line ${number}: ${message}`, {
    hint: "type 'sess help update-ref' to see the lines that it reads",
    cause,
  })

import { branchRef, headRef, labelRef, parseSessionRef, type RefName } from '../model/refname.ts'
import { malformedRef, refProblem } from '../model/refs/table.ts'
import type { Head } from '../model/refs/values.ts'
import type { Reader } from './reader.ts'

/** Refs that have not the form of their kind, with what is wrong with each. */
export type UnsoundRefs = ReadonlyMap<RefName, string>

export const NO_UNSOUND_REFS: UnsoundRefs = new Map()

/** Whether reading goes on without refs of another form: it does not in a write, which could lose what they name. */
export const isTolerant = ({ passedOver, isStrict }: Pick<Reader, 'passedOver' | 'isStrict'>): boolean =>
  passedOver !== undefined && isStrict !== true

/** Records a ref that reading goes on without. Throws `corrupt` where nobody is told of it. */
export function passOver({ passedOver }: Pick<Reader, 'passedOver'>, ref: RefName, problem: string): void {
  if (!passedOver) throw malformedRef(ref, problem)
  passedOver.set(ref, problem)
}

/** Returns the refs that reading goes on without and that still have not the form of their kind. */
export async function refsPassedOver(reader: Pick<Reader, 'passedOver' | 'ref'>): Promise<UnsoundRefs> {
  const passedOver = reader.passedOver ?? new Map<RefName, string>()
  for (const name of [...passedOver.keys()]) {
    const value = await reader.ref(name)
    if (value === undefined || refProblem(name, value) === undefined) passedOver.delete(name)
  }
  return new Map(passedOver)
}

/** The kinds of refs without which a session can be read, but for what they name. */
const SPARED: readonly string[] = ['HEAD', 'branches', 'labels', 'leaf']

/** Returns whether a session can be read without some of its refs. */
export function canSpare(refs: UnsoundRefs): boolean {
  for (const ref of refs.keys()) if (!SPARED.includes(parseSessionRef(ref)?.kind ?? '')) return false
  return true
}

/** Throws `corrupt` where a branch or a label of a session could not be read. */
export function checkNamed(session: WithUnsound, name: string): void {
  if (session.unsound.size === 0) return
  checkRef(session, branchRef(session.id, name))
  checkRef(session, labelRef(session.id, name))
}

/** A session, as far as its unsound refs need it. */
interface WithUnsound {
  readonly id: string
  readonly head: Head
  readonly unsound: UnsoundRefs
}

/** Throws `corrupt` where one of a session's refs could not be read. */
function checkRef({ unsound }: WithUnsound, ref: RefName): void {
  const problem = unsound.get(ref)
  if (problem !== undefined) throw malformedRef(ref, problem)
}

/** Whether it could not be read which branch or entry a session is at. */
export const isHeadUnsound = ({ id, unsound }: WithUnsound): boolean =>
  unsound.size > 0 && unsound.has(headRef(id))

/** Throws `corrupt` where the current branch of a session could not be read. */
export function checkCurrentBranch(session: WithUnsound): void {
  if (session.unsound.size === 0) return
  checkRef(session, headRef(session.id))
  if ('branch' in session.head) checkRef(session, branchRef(session.id, session.head.branch))
}

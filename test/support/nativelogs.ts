import { nativesRef, type RefName } from '../../src/model/refname.ts'
import type { NativeHead } from '../../src/model/refs/values.ts'
import type { SessionState } from '../../src/repo/session.ts'
import { lastWriter } from '../../src/storage/directory/identity.ts'

/** Returns the head of the newest log of native appends to a session; undefined without any. */
export const nativeOf = ({ natives }: SessionState): NativeHead | undefined => [...natives.values()][0]

/** Returns the ref of the log of what the store in a folder appends to a session. */
export const nativeRefIn = (dir: string, session: string): RefName<NativeHead> =>
  nativesRef(session, lastWriter(dir))

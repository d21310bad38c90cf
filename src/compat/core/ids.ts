import { randomBytes } from 'node:crypto'
import { type IdSource, uuid7 } from '../../model/uuid.ts'

/** The clock and the randomness of this process. */
export const ofProcess: IdSource = { now: () => Date.now(), random: randomBytes }

/** Returns a new id of a session: a UUID of version 7. */
export const newSessionId = (): string => uuid7(ofProcess)
